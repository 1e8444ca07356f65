// Stories that an earlier run delivered: their work is on base, or in a pull request that nobody closed. They are not done again; `--fresh` does them again.
import { mergedStories } from "../../core/decide/merges.ts";
import type { Event } from "../../core/event.ts";
import { fold } from "../../core/fold/apply.ts";
import { pullRequestUrl } from "../../core/mark.ts";
import type { RunState } from "../../core/model.ts";
import type { Store } from "../../store.ts";
import { storyIdOf } from "../../text/issue-story.ts";
import type { RunsContext } from "../context.ts";
import { reachForge } from "../forge.ts";
import { deliveryOf } from "../look/delivery.ts";
import { inputOf } from "../open.ts";
import { Refusal } from "../refusal.ts";
import { isShared } from "../shared-files.ts";
import type { Prepared } from "./prepare.ts";

/** There is nothing to do: no run was made. */
export class NothingToDo extends Refusal {}

/** The same with those stories marked as passed. Refuses if nothing is left to do. */
export async function withoutDelivered(c: RunsContext, p: Prepared, store: Store): Promise<Prepared> {
	// A list says itself what passes. Of a run that machines share it does so only while somebody follows that run, so the journal is asked as well.
	const keys = p.deliveredBy.length === 0 && isShared(store) ? p.source : p.deliveredBy;
	if (keys.length === 0 || p.options.fresh) return p;
	const wanted = new Set(p.stories.map(({ id }) => id));
	const found = new Map<string, string>();
	for (const run of await store.runs()) {
		const input = await inputOf(store, run);
		if (input === null || !keys.every((key) => input[key] === p.input[key])) continue;
		const events = await store.events(run.id);
		const state = fold(events);
		if (state === null) continue;
		for (const id of doneBy(state, p).filter((one) => !found.has(one))) {
			const where = await whereIs(c, p, { events, state, story: id, shared: isShared(store) });
			if (where !== null) found.set(id, `run ${run.id} did it: ${where}`);
		}
	}
	const told = [...found].filter(([id]) => wanted.size === 0 || wanted.has(id)).map(([id, how]) => `${id}: ${how}`);
	const stories = p.stories.map((story) => (found.has(story.id) ? { ...story, passes: true } : story));
	if (told.length > 0 && stories.every(({ passes }) => passes))
		throw new NothingToDo("refused", `there is nothing to do. ${told.join("; ")}. Do it again with --fresh`);
	for (const text of told) c.warn(`${text}; it is not done again`);
	return { ...p, stories };
}

/** Stories of a run that were worked on and completed; a run without stories of its own is about one issue as a whole. */
function doneBy(state: RunState, p: Prepared): string[] {
	const undone = new Set(state.undone?.map(({ scope }) => scope));
	const done = state.stories.filter(({ status, claimedAt, id }) => status === "completed" && claimedAt !== null && !undone.has(id));
	const whole =
		p.stories.length === 0 && state.status === "completed" && state.undone === undefined && state.input["issue"] === p.input["issue"];
	return whole ? [storyIdOf(Number(state.input["issue"]))] : done.map(({ id }) => id);
}

interface Delivered {
	readonly events: readonly Event[];
	readonly state: RunState;
	readonly story: string;
	readonly shared: boolean;
}

/** Where the work is, in words; null: nowhere that counts. */
async function whereIs(c: RunsContext, p: Prepared, { events, state, story, shared }: Delivered): Promise<string | null> {
	const url = pullRequestUrl(state);
	if (url !== null) {
		const reached = await reachForge(c, p.repository, p.config, p.options.base);
		const became = "problem" in reached ? null : ((await reached.forge.requestState?.(reached.cwd, url)) ?? null);
		return became === "closed" ? null : `${url}${became === null ? "" : ` is ${became}`}`;
	}
	const announced = mergedStories(state).find((one) => one.story === story)?.commits;
	const commits = announced ?? (await deliveryOf(p.repository, events, state)).commits.map(({ sha }) => sha).slice(-1);
	for (const commit of commits)
		if (await p.repository.holds(commit, p.base).catch(() => false)) return `${commit.slice(0, 12)} on ${p.base}`;
	// Workers put it onto the base that machines share; the one of this checkout may be behind.
	const [merged] = shared && !(state.lost ?? []).some((one) => one.story === story) ? (announced ?? []) : [];
	return merged === undefined ? null : `${merged.slice(0, 12)} on ${p.base} of the shared repository`;
}
