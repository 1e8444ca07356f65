// A run that has come to a halt: what a summary is made of.
import { rmSync } from "node:fs";
import { pullRequestUrl } from "../../core/mark.ts";
import type { RunState } from "../../core/model.ts";
import { startedWith } from "../../core/started-with.ts";
import type { Repository } from "../../workspace.ts";
import { usd } from "../look/json-values.ts";
import { recoveryText } from "../recovery.ts";
import { keptDiffs } from "../run-files.ts";

export interface EndedRun {
	readonly state: RunState;
	/** Where its files are, or were. */
	readonly sharedDir: string;
	/** They lie in a temporary folder. */
	readonly temporary: boolean;
	/** false: its files are removed. */
	readonly kept: boolean;
	/** What it added to its branch, or to base. */
	readonly commits: readonly { readonly sha: string; readonly subject: string }[];
	/** Files with work that was put back. */
	readonly diffs: readonly string[];
}

/** Removes what it does not keep: the files of a one-shot that succeeded. */
export async function endedRun(repository: Repository, state: RunState): Promise<EndedRun> {
	const { sharedDir, startCommit, ephemeral } = startedWith(state);
	const to = state.branch ?? state.options.base ?? "HEAD";
	const commits = await repository.commits(startCommit, to).catch(() => []);
	const kept = !ephemeral || state.status !== "completed";
	if (!kept) rmSync(sharedDir, { recursive: true, force: true });
	return { state, sharedDir, temporary: ephemeral, kept, commits, diffs: kept ? keptDiffs(sharedDir) : [] };
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
		...(state.branch === null ? {} : { branch: state.branch, pull_request: pullRequestUrl(state) }),
	};
}
