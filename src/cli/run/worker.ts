// pawl worker --db URL --repo URL
import { homedir } from "node:os";
import { join } from "node:path";
import { Command, InvalidArgumentError } from "commander";
import { labelProblem } from "../../core/assign/labels.ts";
import { Refusal } from "../../runs/refusal.ts";
import { startWorker } from "../../runs/shared/worker.ts";
import type { Context } from "../context.ts";
import { duration } from "../flags.ts";

interface Flags {
	readonly repo: string;
	readonly lanes: number;
	readonly labels: readonly string[];
	readonly folder?: string;
	readonly lease: number;
}

export function command(c: Context): Command {
	return new Command("pawl worker")
		.description("work on the runs of a database, on this machine")
		.requiredOption("--repo <url>", "the git repository that all machines share")
		.option("--lanes <n>", "how many stories at once", count, 1)
		.option("--labels <list>", "what it has, for runs that require it: gpu,big (besides its system and agents)", labelList, [])
		.option("--folder <dir>", "where this machine's clone of it is (default: in your cache folder)")
		.option("--lease <duration>", "how long its stories are kept for a worker that gives no sign of life (at least 10s)", lease, 180_000)
		.action(async ({ repo, lanes, labels, folder, lease: leaseMs }: Flags) => {
			if (c.db === undefined)
				throw new Refusal("invalid", "name the database: pawl worker --db postgres://…, or PAWL_DB in the environment");
			const cache = c.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache");
			const name = repo.replace(/[^A-Za-z0-9]+/g, "-").slice(-60);
			// From the beginning: it may have a lane before it says that it is there.
			const stopped = new Promise<void>((stop) => {
				for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => stop());
			});
			const worker = await startWorker(c, {
				db: c.db,
				repo,
				lanes,
				labels,
				leaseMs,
				folder: folder ?? join(cache, "pawl", "workers", name),
				onEvent: (text) => c.err(`${text}\n`),
			});
			c.err(`worker ${worker.id}: ${lanes} ${lanes === 1 ? "lane" : "lanes"}; stop it with Ctrl-C, it finishes what it works on\n`);
			try {
				await Promise.race([stopped, worker.asked]);
			} finally {
				c.err("takes no more lanes, and ends when those that it has are done\n");
				await worker.drain();
			}
		});
}

/** Shorter than pg-boss can tell, or than a database takes to restart, it would take work from workers that live. */
const LEAST_LEASE_MS = 10_000;

function lease(text: string): number {
	const value = duration(text);
	if (value < LEAST_LEASE_MS) throw new InvalidArgumentError("it must be at least 10s.");
	return value;
}

function labelList(text: string): readonly string[] {
	const labels = text.split(",").map((label) => label.trim());
	for (const label of labels) {
		const problem = labelProblem(label);
		if (problem !== null) throw new InvalidArgumentError(`${problem}.`);
	}
	return labels;
}

function count(text: string): number {
	const value = Number(text);
	if (!Number.isSafeInteger(value) || value < 1) throw new InvalidArgumentError("it must be a whole number from 1.");
	return value;
}
