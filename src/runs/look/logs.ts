// What agents and checks printed, step after step; during a run, as they print it.
import { basename, dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Event } from "../../core/event.ts";
import { RUN_SCOPE, type RunState, type Scope } from "../../core/model.ts";
import type { RunsContext } from "../context.ts";
import { lookAt, stateOf } from "../open.ts";
import { Refusal } from "../refusal.ts";
import { filesIn, logFile } from "../run-files.ts";
import { bringLogs, isShared, type LogOf } from "../shared-files.ts";
import { Tail } from "./log/tail.ts";

const POLL_MS = 200;
/** Where every look goes over the network. */
const SHARED_POLL_MS = 1_000;

export interface WhichLogs {
	readonly run: string | undefined;
	/** Only of this story. */
	readonly story: string | undefined;
	/** Only of this step. */
	readonly step: string | undefined;
	/** Follow until the run halts. */
	readonly follow: boolean;
}

/** The log of one step. */
export interface StepLog {
	readonly scope: string;
	readonly step: string;
	readonly file: string;
	/** Story, step and type, for a heading. */
	readonly title: string;
}

/** Gives each line once, in order; returns the run's id. */
export function readLogs(
	c: RunsContext,
	{ run, story, step, follow }: WhichLogs,
	give: (line: string, log: StepLog) => void,
): Promise<string> {
	return lookAt(c, run, async ({ store, state, events: first }) => {
		check(state, story, step, follow);
		const tails = new Map<string, Tail>();
		let seen = 0;
		for (let events = first; ; events = await store.events(state.id)) {
			const now = stateOf(state.id, events);
			// Looks at the status before it reads, so that it still reads everything written before the halt.
			const goesOn = follow && now.status === "running";
			const fresh = events.slice(seen);
			const [scope, ...more] = scopesOf(now, story);
			await bringLogs(store, now, (log) => isWanted(now, log, story, step), more.length === 0 ? scope?.id : undefined);
			for (const log of logsOf(now, story, step)) {
				const tail = tails.get(log.file) ?? new Tail(log.file);
				tails.set(log.file, tail);
				tail.read((line) => give(line, log));
				for (const record of checksOf(fresh, log)) give(JSON.stringify(record), log);
			}
			seen = events.length;
			if (!goesOn) return state.id;
			await sleep(isShared(store) ? SHARED_POLL_MS : POLL_MS);
		}
	});
}

/** The engine runs the checks itself: their output is in the journal, not in the log of the session. */
export const checksOf = (events: readonly Event[], { scope, step }: Pick<StepLog, "scope" | "step">) =>
	events.flatMap((event) =>
		event.event === "checks_recorded" && event.scope === scope && event.step === step
			? event.checks
					.filter((check) => !check.reused && !check.said)
					.map(({ name, command, exitCode, output }) => ({
						type: "check",
						attempt: event.attempt,
						name,
						command,
						exit_code: exitCode,
						output,
					}))
			: [],
	);

function check(state: RunState, story: string | undefined, step: string | undefined, later: boolean): void {
	const scopes = scopesOf(state, story);
	if (scopes.length === 0)
		throw new Refusal(
			"not_found",
			`run ${state.id} has no story ${story}; there are ${state.stories.map((s) => s.id).join(", ") || "none"}`,
		);
	if (step === undefined) return;
	const steps = scopes.flatMap((scope) => scope.steps);
	if (steps.some((s) => s.id === step || s.type === step) || (later && /^step-\d+$/.test(step))) return;
	const there = steps.map((s) => `${s.id} (${s.type})`).join(", ") || "none yet";
	throw new Refusal("not_found", `${story} has no step ${step}; there are ${there}`);
}

function scopesOf(state: RunState, story: string | undefined): Scope[] {
	if (story === "run" || story === RUN_SCOPE) return [state.root];
	if (story !== undefined) return state.stories.flatMap((s) => (s.id === story ? [s.scope] : []));
	return [state.root, ...state.stories.map((s) => s.scope)];
}

function isWanted(state: RunState, log: LogOf, story: string | undefined, wanted: string | undefined): boolean {
	const scope = scopesOf(state, story).find(({ id }) => id === log.scope);
	if (scope === undefined || wanted === undefined || wanted === log.step) return scope !== undefined;
	return scope.steps.some(({ id, type }) => id === log.step && type === wanted);
}

/** In the order of the steps; logs of steps that are no longer in the list come last. */
function logsOf(state: RunState, story: string | undefined, wanted: string | undefined): StepLog[] {
	return scopesOf(state, story).flatMap((scope) => {
		const known = scope.steps.map((step) => ({ id: step.id, type: step.type, file: logFile(state, scope.id, step.id) }));
		const folder = dirname(logFile(state, scope.id, "step"));
		const others = filesIn(folder)
			.map((file) => basename(file, ".jsonl"))
			.filter((id) => !known.some((step) => step.id === id))
			.map((id) => ({ id, type: "", file: logFile(state, scope.id, id) }));
		return [...known, ...others]
			.filter((step) => wanted === undefined || step.id === wanted || step.type === wanted)
			.map((step) => ({
				scope: scope.id,
				step: step.id,
				file: step.file,
				title: `${scope.id === RUN_SCOPE ? "run" : scope.id} ${step.id} ${step.type}`.trim(),
			}));
	});
}
