// What another agent can do with the runs of one repository: start, watch and steer them. It decides nothing that a person decides; where a person is
// needed, the answers have the commands that the person runs.

import { actingOn } from "../runs/acting.ts";
import { steer } from "../runs/change/steer.ts";
import type { RunsContext } from "../runs/context.ts";
import { resumeDetached, stopOnce } from "../runs/control/go-on.ts";
import { diffOf } from "../runs/look/diff.ts";
import { type Followed, followRun } from "../runs/look/follow-run.ts";
import { listRuns } from "../runs/look/list.ts";
import { logPage } from "../runs/look/log/log-page.ts";
import { questionsOf } from "../runs/look/questions.ts";
import { statusIn } from "../runs/look/status.ts";
import { storyList } from "../runs/look/stories.ts";
import { lookAt } from "../runs/open.ts";
import { personFor } from "../runs/person.ts";
import { Refusal } from "../runs/refusal.ts";
import { configOf, findHistory } from "../runs/repository.ts";
import { startConfined } from "../runs/start/detached.ts";
import { type SaidOptions, startOptionsOf } from "../runs/start/said-options.ts";
import { workflowsHere } from "../runs/workflows.ts";
import { bounded, fitting, type Scrub } from "./bounded.ts";

/** Characters of a text inside of an event or a record, of a part of a diff, and bytes of a page of a log. */
const DETAIL = 1_000;
const PATCH = 30_000;
const LOG = 32 * 1024;

export async function workflows(c: RunsContext) {
	const usable = (await workflowsHere(c)).filter((one) => one.shadowed_by === null && one.problems.length === 0);
	return usable.map(({ name, title, inputs }) => ({ name, title, inputs }));
}

export interface RunAsked {
	readonly workflow: string;
	/** By the name of the input; `undefined` is as good as nothing. */
	readonly inputs: Readonly<Record<string, string | undefined>>;
	readonly options: Pick<SaidOptions, "agents" | "agent" | "model" | "effort" | "maxCost" | "maxTime" | "maxIterations" | "fresh">;
}

export async function start(c: RunsContext, { workflow, inputs, options }: RunAsked) {
	personFor(c, null);
	await refuseOverLimits(c, options);
	const given = Object.fromEntries(Object.entries(inputs).filter((one): one is [string, string] => one[1] !== undefined));
	const run = await startConfined(c, { workflow, inputs: given, options: startOptionsOf(options) });
	return { run, next: `it goes on by itself; watch it with run_events {"run":"${run}","after":0,"wait_seconds":50}` };
}

/** The limits of pawl.yml are a person's. */
async function refuseOverLimits(c: RunsContext, { maxCost = 0, maxTime = 0 }: RunAsked["options"]): Promise<void> {
	const { limits } = await configOf(c, (await findHistory(c)).root);
	const over = [
		...(limits.costUsd !== null && maxCost > limits.costUsd ? [`max_cost is above limits.cost ($${limits.costUsd})`] : []),
		...(limits.timeMs !== null && maxTime > limits.timeMs ? ["max_time is above limits.time"] : []),
	];
	if (over.length > 0) throw new Refusal("refused", `${over.join("; ")} of pawl.yml: only a person raises a limit`);
}

export const list = (c: RunsContext, limit: number) => listRuns(c, limit);

export function status(c: RunsContext, run: string) {
	return lookAt(c, run, async (open) => {
		const { advice, stories: _, steps, budgets, ...view } = await statusIn(open, c.now());
		const shown = await storyList(c, open);
		return {
			run: view.run,
			workflow: view.workflow,
			title: view.title,
			status: view.status,
			/** false although it should be running: its process has died. */
			driven: view.driven,
			reason: view.reason,
			version: view.version,
			base: view.base,
			pull_request: view.pull_request,
			cost_usd: view.cost_usd,
			budgets,
			...(view.progress === undefined ? {} : { progress: view.progress }),
			reasons: view.reasons.map(({ story, step, what, reason }) => ({ story, step, what, reason })),
			delivery: view.delivery,
			steps: steps.map(({ id, type, status: of, error }) => ({ id, type, status: of, error })),
			stories: shown.map(({ id, title, status: of, current_step: step, error }) => ({
				...{ id, title, status: of, error },
				step: step === null ? null : { id: step.id, type: step.type, status: step.status },
			})),
			waits_for_a_person: questionsOf(open.state, open.events).map(({ story, step, type, reason }) => ({ story, step, type, reason })),
			commands_for_a_person: advice,
		};
	});
}

export interface EventsAsked {
	readonly run: string;
	readonly after: number;
	/** How long to wait for the next event if there is none yet. */
	readonly waitMs: number;
	readonly signal: AbortSignal;
}

export async function events(c: RunsContext, { run: name, after, waitMs, signal }: EventsAsked, scrub: Scrub) {
	const run = await lookAt(c, name, ({ state }) => state.id);
	const until = AbortSignal.any([signal, AbortSignal.timeout(Math.max(1, waitMs))]);
	let found: Followed | null = null;
	for await (const one of followRun(c, run, { after, ...(waitMs === 0 ? {} : { signal: until }) })) {
		found = one;
		if (one.events.length > 0 || waitMs === 0) break;
	}
	if (found === null) return { run, events: [], next: after, more: false };
	const shown = fitting(found.events, scrub, DETAIL);
	const more = shown.length < found.events.length;
	const goesOn = more || found.goesOn;
	return {
		run,
		status: found.status,
		events: shown,
		next: after + shown.length,
		more,
		...(goesOn ? {} : { halted: "nothing more comes by itself: run_status says why, and what a person can do" }),
	};
}

export function log(
	c: RunsContext,
	of: { readonly run: string; readonly story: string; readonly step: string; readonly after: string },
	scrub: Scrub,
) {
	return lookAt(c, of.run, async (open) => {
		const { records, next } = await logPage(open, of.story, of.step, of.after, LOG);
		return { records: records.map((record) => bounded(record, scrub, DETAIL)), next };
	});
}

export async function diff(c: RunsContext, run: string, story: string | undefined, from: number) {
	const { patch, ...about } = await diffOf(c, run, story);
	const part = patch.slice(from, from + PATCH);
	const next = from + part.length;
	return { about: { ...about, patch_characters: patch.length, next: next < patch.length ? next : null }, part };
}

const acting: typeof actingOn = (c, run, work) => {
	// Whoever acts says on what: the latest run may be somebody else's.
	if (run === "latest") throw new Refusal("invalid", "name the run by its id");
	return actingOn(c, run, work);
};

export const tell = (c: RunsContext, run: string, text: string) =>
	acting(c, run, async (there, id) => ({ ...(await steer(there, id, text)), what: "noted for the next steps" }));
export const pause = (c: RunsContext, run: string) => acting(c, run, (there, id) => stopOnce(there, id, "pause"));
export const cancel = (c: RunsContext, run: string) => acting(c, run, (there, id) => stopOnce(there, id, "cancel"));
export const resume = (c: RunsContext, run: string) => acting(c, run, resumeDetached);
