// Where a repository keeps its runs, and what goes with each commit: the same for every process that opens or creates a run.
import type { RunStorage } from "../engine/run.ts";
import type { Store } from "../store.ts";
import type { RunsContext } from "./context.ts";

export const runStorage = (c: RunsContext, store: Store): RunStorage => ({
	store,
	rows: c.services.rows,
	secrets: c.services.secretsIn(c.env),
	witness: c.telemetry?.witness,
	crashPoint: crashPoint(c),
});

/** For tests of recovery: the process ends, as if killed, at the Nth boundary of this name. */
export function crashPoint(c: RunsContext): ((name: string) => void) | undefined {
	const wanted = c.env["PAWL_CRASH_AT"];
	if (wanted === undefined || wanted === "") return undefined;
	const [, point = "", nth = "1"] = /^(.*?)(?:#(\d+))?$/.exec(wanted) ?? [];
	let seen = 0;
	return (name) => {
		if (name === point && ++seen === Number(nth)) process.kill(process.pid, "SIGKILL");
	};
}
