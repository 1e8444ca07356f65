// Effects other than attempts: rolling back, appending to scratch files, settling edit files, releasing worktrees, notifying people. Each
// is safe to repeat, because after a crash it is repeated.
import { join } from "node:path";
import type { Effect } from "../core/effect.ts";
import type { LostMerge, Merged, RunState } from "../core/model.ts";
import { findStep, own, typeOf } from "../core/query.ts";
import { RemoteAway, type Repository, WorkGone, WorkspaceError } from "../workspace.ts";
import { rollbackRemarks } from "./attempt/leftovers.ts";
import { markOf } from "./attempt/mark.ts";
import { commentOnIssue } from "./issue-comment.ts";
import { SlotIsGone } from "./occupants.ts";
import { redactFile } from "./redact.ts";
import type { Tools } from "./tools.ts";
import { mergeBase } from "./workspaces.ts";

export type Chore = Exclude<Effect, { effect: "start_attempt" | "cancel_attempt" }>;

export async function doChore({ parts, run, workspaces, scratch, edits }: Tools, effect: Chore): Promise<void> {
	const { state } = run;
	switch (effect.effect) {
		case "rollback": {
			const workspace = await workspaces.of(state, effect.scope).catch(orGone);
			// Where the story stands is in the journal: whoever goes on with it begins there, or finds that it is gone.
			if (workspace === null) return undoNotes(parts, state, effect);
			const begun = await workspace.recall(markOf(run.id, { ...effect, attempt: effect.since ?? effect.attempt }));
			const to = begun?.commit === effect.commit ? begun : { commit: effect.commit, tree: `${effect.commit}^{tree}` };
			const diff = await workspace.saveDiff(to, join(parts.sharedDir, effect.folder, `${effect.name}.diff`), effect.attempt);
			if (diff !== null) await redactFile(diff, parts.secrets);
			parts.crashPoint?.("saved diff");
			const folder = `put_aside/${effect.name}-${effect.attempt}`;
			const back = await workspace.rollback(to, join(parts.sharedDir, folder));
			for (const text of rollbackRemarks(back, folder)) parts.onWarning?.(`${effect.step} was put back: ${text}`);
			return undoNotes(parts, state, effect);
		}
		case "look_for_merges": {
			const missing = await lostMerges(parts.repository, mergeBase(state), effect.merges);
			await run.feed({ type: "merges_looked_for", at: parts.clock.now(), missing });
			return;
		}
		case "comment_issue": {
			const { issue, about } = effect;
			const told = await commentOnIssue(parts, state, effect);
			await run.feed({ type: "issue_commented", at: parts.clock.now(), issue, about, ...told });
			return;
		}
		case "append_scratch":
			return scratch.append(effect.scope, effect.at, effect.text);
		case "settle_edits":
			return edits.settle(effect.scope, `${effect.scope}-${effect.step}-${effect.attempt}`, effect.how, effect.reasons);
		case "release_story":
			await workspaces.release(state, effect.scope, effect.slot);
			if (effect.completed) await scratch.archive(effect.scope);
			return;
		case "notify":
			return parts
				.notify?.({
					run: run.id,
					about: effect.about,
					text: effect.text,
					scope: effect.scope,
					...(effect.step === undefined ? {} : { step: effect.step }),
					...(effect.asks ? { asks: true } : {}),
				})
				.catch((error: unknown) =>
					parts.onWarning?.(`the notification could not be sent: ${error instanceof Error ? error.message : String(error)}`),
				);
	}
}

/** What the attempt wrote beside the checkout goes the way of its work. */
async function undoNotes(
	{ keepers = {}, sharedDir, repository }: Tools["parts"],
	state: RunState,
	{ scope, step: id, attempt, since }: Extract<Effect, { effect: "rollback" }>,
): Promise<void> {
	const step = findStep(state, scope, id);
	const type = step && typeOf(state, step);
	const keeper = own(keepers, type?.keeper ?? "");
	if (step && type) await keeper?.undone?.({ state, scope, step, role: type.role ?? "", attempt: since ?? attempt, sharedDir, repository });
}

/** For each story base has to hold one announced commit, or one with the same change. */
async function lostMerges(repository: Repository, base: string, merges: readonly Merged[]): Promise<LostMerge[]> {
	const lost: LostMerge[] = [];
	for (const { story, commits } of merges) {
		let held = false;
		// A base that is gone holds nothing.
		for (const commit of commits) held ||= await repository.holds(commit, base).catch(orNotHeld);
		if (!held) lost.push({ story, commit: commits[0] ?? "" });
	}
	return lost;
}

function orGone(error: unknown): null {
	if (error instanceof SlotIsGone || error instanceof WorkGone) return null;
	throw error;
}

function orNotHeld(error: unknown): boolean {
	// A base that does not answer has not said that it is gone.
	if (error instanceof WorkspaceError && !(error instanceof RemoteAway)) return false;
	throw error;
}
