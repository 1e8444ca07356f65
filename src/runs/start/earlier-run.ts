// An earlier run on the same input: one that is unfinished and continues, one that a person put back to an earlier state, and
// a state file in the tree that is in the way.
import { fold } from "../../core/fold/apply.ts";
import { iterationsBefore } from "../../core/mark.ts";
import type { RunState } from "../../core/model.ts";
import { isOver } from "../../core/query.ts";
import { startedWith } from "../../core/started-with.ts";
import type { StateInTree } from "../../reader.ts";
import type { RunSummary, Store } from "../../store.ts";
import type { RunsContext } from "../context.ts";
import { inputOf, openReader } from "../open.ts";
import { Refusal } from "../refusal.ts";
import type { Prepared } from "./prepare.ts";

export async function earlierRun(c: RunsContext, p: Prepared, store: Store): Promise<RunState | null> {
	return (await unfinishedRun(store, p)) ?? (await restoredRun(c, p, store));
}

/** A run on the same file that was stopped or killed, so that its work is not repeated. Once a later run on that file (`--fresh`) has
 * ended, no earlier one continues. */
async function unfinishedRun(store: Store, p: Prepared): Promise<RunState | null> {
	if (p.source.length === 0 || (await store.runs({ open: true })).length === 0) return null;
	let later = false;
	for (const run of await store.runs()) {
		if (run.workflow !== p.definition.name) continue;
		const input = await inputOf(store, run);
		if (input === null || !p.source.every((key) => input[key] === p.input[key])) continue;
		if (isOver(run.status)) {
			later = true;
			continue;
		}
		const state = fold(await store.events(run.id));
		if (state === null || isBehind(state, p)) continue;
		return later ? null : state;
	}
	return null;
}

/** The work continued elsewhere: the state in the tree is ahead of this run. */
const isBehind = (state: RunState, p: Prepared): boolean =>
	iterationsBefore(state.definition, p.fields) > Math.max(0, ...state.root.steps.map((s) => s.iteration));

/** A run on the same file that was over until a person restored an earlier state: it continues from there. */
async function restoredRun(c: RunsContext, p: Prepared, store: Store): Promise<RunState | null> {
	if (!p.standing?.unfinished || !p.standing.same) return null;
	const folder = stateFolder(c, p);
	for (const run of folder === null ? [] : await store.runs()) {
		if (run.workflow !== p.definition.name || !isOver(run.status)) continue;
		const input = await inputOf(store, run);
		if (folder === null || input === null || input[folder] !== p.input[folder]) continue;
		const events = await store.events(run.id);
		const state = fold(events);
		const changed = state && (await c.services.changedByHand(startedWith(state).sharedDir, p.repository.root, events));
		// Only the newest one has its state there.
		return changed && "adopted" in changed && p.source.every((key) => input[key] === p.input[key]) ? state : null;
	}
	return null;
}

/** The key of the input that names the run's state file; null if it has none. */
function stateFolder(c: RunsContext, { definition, mode, input }: Prepared): string | null {
	const reader = definition.inputs[mode]?.reader;
	const key = Object.values(c.services.stateFiles).find((file) => file.reader === reader)?.folder;
	return key !== undefined && input[key] !== undefined ? key : null;
}

/** Looks at a state file in the tree. Refuses if it is in the way. Returns null if there is none or the run adopts it, else a function
 * that archives it. */
export async function judgeStanding(c: RunsContext, p: Prepared): Promise<(() => Promise<void>) | null> {
	const { standing } = p;
	if (standing === null) return null;
	if (!standing.unfinished || p.options.fresh) return () => standing.archive();
	const store = await openReader(c, p.repository.root);
	try {
		const writer = store === null ? undefined : await writerOf(store, p.definition.name, standing);
		if (store !== null && (await earlierRun(c, p, store))) return null;
		if (writer && isOver(writer.status)) return () => standing.archive();
		if (writer || !standing.same)
			throw new Refusal(
				"refused",
				`${standing.file} is the state of a run on ${standing.about} that is not finished: continue it with pawl resume${writer ? ` ${writer.id}` : ""}, or archive it with --fresh`,
			);
	} finally {
		await store?.close();
	}
	const adoption = standing.adopt(p.definition);
	if (!adoption.ok)
		throw new Refusal(
			"refused",
			`pawl cannot adopt ${standing.file}: ${adoption.problems.join("; ")}. --fresh archives it and starts again`,
		);
	return null;
}

/** The run of this workflow that wrote the file. */
async function writerOf(store: Store, workflow: string, standing: StateInTree): Promise<RunSummary | undefined> {
	for (const run of await store.runs()) if (run.workflow === workflow && standing.isOf(await store.events(run.id))) return run;
	return undefined;
}
