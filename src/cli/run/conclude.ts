// What `pawl run` and its like say last: the summary of a run that has halted, or how to come back to one that has not.
import type { RunState } from "../../core/model.ts";
import { startedWith } from "../../core/started-with.ts";
import { type EndedRun, finishedView } from "../../runs/drive/ended.ts";
import type { EngineEnd } from "../../runs/drive/observer.ts";
import { type Context, EXIT } from "../context.ts";
import { nextText } from "../text/next-text.ts";
import { summaryText } from "../text/summary.ts";
import { paint, wantsColor } from "../text/text.ts";

const keptText = (sharedDir: string): string => `the files of this run are kept in ${sharedDir}`;

/** `told`: warnings that the person has seen already. */
export function conclude(c: Context, json: boolean, ended: EndedRun, exit: number, told: ReadonlySet<string>): void {
	const { id: run, status, reason } = ended.state;
	if (json) {
		c.out(`${JSON.stringify({ event: "run_finished", at: c.now(), run, status, reason, exit_code: exit, ...finishedView(ended) })}\n`);
		return;
	}
	c.out(summaryText(ended, { width: c.width, color: paint(wantsColor(c.env, c.outIsTty)), now: c.now() }));
	c.out(nextText(ended.state));
	const kept = keptText(ended.sharedDir);
	if (ended.temporary && ended.kept && !told.has(kept)) c.warn(kept);
}

/** The person has left a run that continues. */
export function sayItGoesOn(c: Context, run: string): void {
	c.out(
		`run ${run} continues without this terminal\nwatch it with: pawl watch ${run}\nstop it with: pawl pause ${run} or pawl cancel ${run}\n`,
	);
}

/** The process of its engine ended before the run had halted: somebody killed it, or it failed. */
export function sayItDied(c: Context, state: RunState, { code, signal }: EngineEnd): void {
	const how = signal === null ? `ended with exit code ${code}` : `was ended by ${signal}`;
	const asked = code === EXIT.interrupted || code === EXIT.terminated;
	c.warn(asked ? `run ${state.id} was ended at once` : `the process that drove run ${state.id} ${how} before the run had halted`);
	const { ephemeral, sharedDir } = startedWith(state);
	if (ephemeral) c.warn(keptText(sharedDir));
	c.out(nextText(state));
}
