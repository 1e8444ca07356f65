// Starts a run: followed until it halts, in the background, as a one-shot, or left to agents that fetch its steps.
import { mkdtempSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Input } from "../../core/input.ts";
import type { RunState } from "../../core/model.ts";
import { deliver } from "../change/deliver.ts";
import { changesInList, inputsFor, storyChanges } from "../change/story-changes.ts";
import type { RunsContext } from "../context.ts";
import { startApart } from "../drive/apart.ts";
import { type Drive, drive } from "../drive/drive.ts";
import { type EndedRun, endedRun } from "../drive/ended.ts";
import type { RunObserver } from "../drive/observer.ts";
import { begun, estimateOf, RUNS_TO_LEARN_FROM } from "../look/estimate.ts";
import { openStore } from "../open.ts";
import { personFor } from "../person.ts";
import { Refusal } from "../refusal.ts";
import { makePawlFolder } from "../repository.ts";
import { refuseTakenByOthers } from "../taken.ts";
import { baseline } from "./baseline.ts";
import { create } from "./create.ts";
import { newRunId } from "./create-input.ts";
import { NothingToDo, withoutDelivered } from "./delivered-before.ts";
import { earlierRun, judgeStanding } from "./earlier-run.ts";
import { givingBackTree, type Prepared } from "./prepare.ts";
import { onItsBranch, refuseRunBranch } from "./tree.ts";

export interface Started {
	readonly run: string;
	/** null: it continues in a process of its own, or that process was killed. */
	readonly ended: EndedRun | null;
}

export interface StartHow {
	readonly background?: boolean;
	/** A one-shot: its files are in a temporary folder, which is removed when it succeeds. */
	readonly ephemeral?: boolean;
	/** Refuses to continue an unfinished run on the same file. */
	readonly onlyNew?: boolean;
}

/** Continues an unfinished run on the same file instead. */
export function startRun(c: RunsContext, p: Prepared, observer: RunObserver, how: StartHow = {}): Promise<Started> {
	return givingBackTree(p, () => startInPlace(c, p, observer, how));
}

async function startInPlace(
	c: RunsContext,
	p: Prepared,
	observer: RunObserver,
	{ background = false, ephemeral = false, onlyNew = false }: StartHow,
): Promise<Started> {
	const { repository, config } = p;
	const putAway = await judgeStanding(c, p);
	makePawlFolder(repository.root);
	const store = await openStore(c, repository.root);
	try {
		const earlier = p.options.fresh ? null : await earlierRun(c, p, store);
		if (earlier && onlyNew)
			throw new Refusal(
				"refused",
				`run ${earlier.id} works on the same input and is not finished: continue it, or start a new one (fresh)`,
			);
		const followed = async (d: Pick<Drive, "run" | "first">): Promise<Started> => {
			const driven = { ...d, store, repository, config };
			if (!background) return { run: d.run, ended: await endedRun(repository, store, await drive(c, driven, observer)) };
			await startApart(c, driven);
			return { run: d.run, ended: null };
		};
		if (earlier) return await followed({ run: earlier.id, first: await inputsToGoOn(c, p, earlier) });
		const left = await withoutDelivered(c, p, store);
		refuseFinished(left);
		await refuseTakenByOthers(store, left);
		refuseRunBranch(left);
		await putAway?.();
		const run = newRunId(c.now());
		const there = await onItsBranch(c, left, run);
		const folder = ephemeral ? { ephemeral: realpathSync(mkdtempSync(join(tmpdir(), "pawl-one-shot-"))) } : {};
		const { events, state } = await create(c, there, store, { run, baseline: await baseline(c, there), ...folder });
		observer.onCreated(events, state, estimateOf(begun(state, c.now()), await store.runs({ limit: RUNS_TO_LEARN_FROM })));
		return await followed({ run: state.id });
	} finally {
		await store.close();
	}
}

/** Stories are added to such a list for later runs: a run without any would only be in the way of the one that did the work. */
function refuseFinished({ growing, stories }: Prepared): void {
	if (growing === null || stories.length === 0 || !stories.every(({ passes }) => passes)) return;
	throw new NothingToDo("refused", `all stories of ${growing} pass; there is nothing to do`);
}

/** Says what has changed since. */
async function inputsToGoOn(c: RunsContext, p: Prepared, state: RunState): Promise<readonly Input[]> {
	const by = personFor(c, state);
	const changes = p.growing === null ? await changesInList(c, state) : storyChanges(state, p.stories, p.growing);
	c.warn(`going on with run ${state.id}, which is not finished (--fresh starts a new one)`);
	for (const note of changes.notes) c.warn(note);
	const at = c.now();
	return [
		...inputsFor(changes, at),
		{ type: "extend", at, budgets: {}, fields: changedFields(p) },
		{ type: "resume", at, by },
		...(p.options.yes ? [{ type: "decide", at, scope: null, step: null, verdict: "approve", reason: "--yes", by } as const] : []),
		{ type: "advance", at },
	];
}

/** What the source or the user has changed since; the rest stays as the run was started. */
const changedFields = ({ fields, renewed }: Prepared): Record<string, string> =>
	Object.fromEntries(renewed.flatMap((name) => (fields[name] === undefined ? [] : [[name, fields[name]]])));

/** Creates a run that no process drives: agents fetch its steps. Returns its id. */
export function startPulled(c: RunsContext, p: Prepared): Promise<string> {
	return givingBackTree(p, async () => {
		refuseUnclaimable(p);
		const putAway = await judgeStanding(c, p);
		makePawlFolder(p.repository.root);
		const store = await openStore(c, p.repository.root);
		try {
			const left = await withoutDelivered(c, p, store);
			await refuseTakenByOthers(store, left, true);
			refuseRunBranch(left);
			await putAway?.();
			const run = newRunId(c.now());
			const there = await onItsBranch(c, left, run);
			const { state } = await create(c, there, store, { run, pull: true, baseline: await baseline(c, there) });
			await deliver(c, store, state.id, { type: "advance", at: c.now() });
			return state.id;
		} finally {
			await store.close();
		}
	});
}

/** Only the program that started a session can continue it. */
function refuseUnclaimable({ definition }: Prepared): void {
	const continued = Object.values(definition.types).filter((type) => type.session === "continue");
	if (continued.length > 0)
		throw new Refusal(
			"invalid",
			`steps of ${definition.name} cannot be claimed: ${continued.map((type) => type.name).join(", ")} continues an earlier session (session: continue), which only pawl run can do`,
		);
}
