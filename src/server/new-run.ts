// Starts a run as `pawl run … --detach` does, and answers with its row.
import { setTimeout as sleep } from "node:timers/promises";
import type { RunsContext } from "../runs/context.ts";
import type { ListedRun } from "../runs/look/list.ts";
import type { RunsReader } from "../runs/look/reader.ts";
import { personFor } from "../runs/person.ts";
import { Refusal } from "../runs/refusal.ts";
import { startConfined } from "../runs/start/detached.ts";
import { startOptionsOf } from "../runs/start/said-options.ts";
import type { StartOptions } from "../runs/start/start-options.ts";
import type { StartBody } from "./schemas.ts";

const DRIVEN_MS = 15_000;
const POLL_MS = 50;

export async function newRun(c: RunsContext, reader: RunsReader, body: StartBody): Promise<ListedRun> {
	personFor(c, null);
	const run = await startConfined(c, { ...body, options: { ...optionsOf(body), flags: body.flags } }).catch((error: unknown) => {
		// What the body names and does not exist is a mistake in the body; the address is right.
		throw error instanceof Refusal && error.code === "not_found" ? new Refusal("invalid", error.message) : error;
	});
	return rowOf(c, reader, run);
}

function optionsOf({ options: o }: StartBody): StartOptions {
	return startOptionsOf({
		agents: o.agents,
		agent: o.agent,
		model: o.model,
		effort: o.effort,
		role: o.role,
		fallback: o.fallback,
		base: o.base,
		timeout: o.timeout,
		maxCost: o.max_cost,
		allowUnknownCost: o.allow_unknown_cost,
		maxTime: o.max_time,
		maxWait: o.max_wait,
		sharedDir: o.shared_dir,
		maxIterations: o.max_iterations,
		delay: o.delay,
		yes: o.yes,
		fresh: o.fresh,
		pr: o.pr,
		comment: o.comment,
		checks: o.no_checks ? false : o.checks,
	});
}

/** Its row, once its engine has it, or has already ended. */
async function rowOf(c: RunsContext, reader: RunsReader, run: string): Promise<ListedRun> {
	for (const end = c.now() + DRIVEN_MS; ; await sleep(POLL_MS)) {
		const row = (await reader.runs()).find((one) => one.row.run === run)?.row;
		if (row === undefined) throw new Refusal("internal", `run ${run} was created and is gone`);
		if (row.driven || row.status !== "running" || c.now() > end) return row;
	}
}
