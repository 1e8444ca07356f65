// pawl workers [drain ID]
import { Command } from "commander";
import { protocolOf } from "../../core/assign/labels.ts";
import { drainWorker, listWorkers, type WorkerView } from "../../runs/shared/workers.ts";
import type { Context } from "../context.ts";
import { document } from "../text/document.ts";
import { fitted } from "../text/fit.ts";
import { span } from "../text/text.ts";

export function command(c: Context): Command {
	const list = new Command("pawl workers")
		// A flag after the name of a subcommand is that one's.
		.enablePositionalOptions()
		.description("list the workers of a database that machines share, and what each works on")
		.option("--json", "as one JSON document")
		.action(async ({ json }: { json?: boolean }) => {
			const workers = await listWorkers(c);
			if (json) return c.out(document(workers));
			if (workers.length === 0) return c.err("there are no workers; start one with: pawl worker --repo URL\n");
			c.out(
				`${fitted(
					workers.flatMap((worker) => linesOf(worker, c.now())),
					c.width,
					"",
				)}\n`,
			);
		});
	const drain = new Command("drain")
		.description("let a worker finish what it works on, take nothing new, and leave")
		.argument("<id>", "its id, or a unique prefix")
		.option("--json", "as one JSON document")
		.action(async (id: string, { json }: { json?: boolean }) => {
			const worker = await drainWorker(c, id);
			if (json) return c.out(document(worker));
			const left = worker.works.length === 0 ? "leaves now" : `finishes what it works on (${worker.works.length}) and leaves`;
			c.out(`${worker.worker} takes nothing new, ${left}; pawl workers shows it until then\n`);
		});
	return list.addCommand(drain);
}

function linesOf(worker: WorkerView, now: number): string[][] {
	const ago = (at: string | null): string => (at === null ? "unknown" : span(now - Date.parse(at)));
	const { works, lanes, draining, gone } = worker;
	const state = gone ? `gone, last seen ${ago(worker.seen_at)} ago` : `${draining ? "draining, " : ""}${works.length} of ${lanes} busy`;
	const about = [
		worker.labels.filter((label) => protocolOf(label) === null).join(","),
		`pawl ${worker.version}`,
		`started ${ago(worker.started_at)} ago`,
		worker.repo,
	];
	return [
		[worker.worker, state, about.filter((text) => text !== "").join("  ")],
		...works.map(({ run, story, since }) => ["", `${run} ${story ?? "itself"}`, `for ${ago(since)}`]),
	];
}
