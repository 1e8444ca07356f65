// Effects other than attempts: rolling back, appending to scratch files, settling edit files, releasing worktrees, notifying people. Each
// is safe to repeat, because after a crash it is repeated.
import { join } from "node:path";
import type { Effect } from "../core/effect.ts";
import { redactFile } from "./redact.ts";
import type { Tools } from "./tools.ts";

export type Chore = Exclude<Effect, { effect: "start_attempt" | "cancel_attempt" }>;

export async function doChore({ parts, run, workspaces, scratch, edits }: Tools, effect: Chore): Promise<void> {
	const { state } = run;
	switch (effect.effect) {
		case "rollback": {
			const workspace = await workspaces.of(state, effect.scope);
			const to = { commit: effect.commit, tree: `${effect.commit}^{tree}` };
			const diff = await workspace.saveDiff(to, join(parts.sharedDir, effect.folder, `${effect.name}.diff`), effect.attempt);
			if (diff !== null) await redactFile(diff, parts.secrets);
			parts.crashPoint?.("saved diff");
			return workspace.rollback(to);
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
				})
				.catch((error: unknown) =>
					parts.onWarning?.(`the notification could not be sent: ${error instanceof Error ? error.message : String(error)}`),
				);
	}
}
