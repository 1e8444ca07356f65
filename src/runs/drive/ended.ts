// A run that has halted, with everything that a summary needs.
import { rmSync } from "node:fs";
import type { Event } from "../../core/event.ts";
import { pullRequestUrl } from "../../core/mark.ts";
import type { RunState } from "../../core/model.ts";
import { startedWith } from "../../core/started-with.ts";
import type { Store } from "../../store.ts";
import type { History, Repository } from "../../workspace.ts";
import { branchOf, type Delivery, deliveryOf, keptRefs, putBackIn } from "../look/delivery.ts";
import { usd } from "../look/json-values.ts";
import { storyTimes } from "../look/story-times.ts";
import { standingReasons, type Why } from "../look/why.ts";
import { recoveryText } from "../recovery.ts";
import { keptDiffs, putAside } from "../run-files.ts";

export interface EndedRun {
	readonly state: RunState;
	/** Where its files are, or were. */
	readonly sharedDir: string;
	/** They are in a temporary folder. */
	readonly temporary: boolean;
	/** false: its files are removed. */
	readonly kept: boolean;
	readonly delivery: Delivery;
	/** Why it did not simply continue, if that still matters. */
	readonly reasons: readonly Why[];
	/** How long agents worked on each story. */
	readonly storyMs: ReadonlyMap<string, number>;
	/** Files with work that was rolled back. */
	readonly diffs: readonly string[];
	/** Files that were put aside as no part of the work, below `sharedDir`. */
	readonly aside: readonly string[];
	/** Where branches, tags and stashes of sessions are kept that were taken away again; null: nowhere. */
	readonly keptRefs: string | null;
	/** What sessions changed that they may not, and that was put back. */
	readonly putBack: readonly string[];
}

/** Removes the files of a one-shot that succeeded. null: the run has not halted. */
export async function endedRun(repository: Repository, store: Store, state: RunState | null): Promise<EndedRun | null> {
	if (state === null) return null;
	const ended = await lookAtEnded(repository, await store.events(state.id), state);
	if (!ended.kept) rmSync(ended.sharedDir, { recursive: true, force: true });
	return ended;
}

/** For a process that only watched: changes nothing. */
export async function lookAtEnded(repository: History, events: readonly Event[], state: RunState): Promise<EndedRun> {
	const { sharedDir, ephemeral } = startedWith(state);
	const kept = !ephemeral || state.status !== "completed";
	return {
		state,
		sharedDir,
		temporary: ephemeral,
		kept,
		delivery: await deliveryOf(repository, events, state),
		reasons: standingReasons(events, state),
		storyMs: storyTimes(events, state.endedAt ?? state.idleSince ?? state.createdAt),
		diffs: kept ? keptDiffs(sharedDir) : [],
		aside: kept ? putAside(sharedDir) : [],
		keptRefs: keptRefs(events),
		putBack: putBackIn(events),
	};
}

/** As data: the last line of `--json`. */
export function finishedView({ state, sharedDir, kept }: EndedRun) {
	const { costUsd, inputTokens, outputTokens } = state.totals;
	const recovery = state.definition.resume === "never" && !["completed", "refused"].includes(state.status) ? recoveryText(state) : null;
	return {
		...(recovery === null ? {} : { recovery }),
		cost_usd: usd(costUsd),
		input_tokens: inputTokens,
		output_tokens: outputTokens,
		stories: Object.fromEntries(state.stories.map((s) => [s.id, s.status])),
		files: kept ? sharedDir : null,
		...(branchOf(state) === null ? {} : { branch: branchOf(state), pull_request: pullRequestUrl(state) }),
	};
}
