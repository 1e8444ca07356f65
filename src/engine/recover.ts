// Cleans up after an engine that died: ends the processes of its attempts, reports attempts that had begun as lost, and returns the other
// effects that were committed and not noted as done.
import type { Effect } from "../core/effect.ts";
import type { Input } from "../core/input.ts";
import { runningAttempts, workspaceOf } from "../core/query.ts";
import type { PendingEffect } from "../store.ts";
import { type Processes, realProcesses } from "./attempt/checks.ts";
import type { AttemptId, StartAttempt } from "./attempt/live-attempt.ts";
import { markOf } from "./attempt/mark.ts";
import { removeReportBox } from "./attempt/report-box.ts";
import type { Tools } from "./tools.ts";

export interface LeftBehind {
	/** To be carried out again, in order, before the lost attempts are reported. */
	readonly effects: readonly PendingEffect[];
	readonly lost: readonly { readonly seq: number; readonly input: Input }[];
}

/** `isOurs`: false for an attempt whose session somebody else runs; that session continues although our engine died. `isMeant`: which effects
 * are looked at; all by default. */
export async function leftBehind(
	tools: Tools,
	isOurs: (effect: StartAttempt) => boolean,
	isMeant: (effect: Effect) => boolean = () => true,
): Promise<LeftBehind> {
	const { parts, run } = tools;
	const pending = (await run.pending()).filter(({ effect }) => isMeant(effect));
	const running = runningAttempts(run.state);
	const mine = pending.flatMap(({ effect }) => (effect.effect === "start_attempt" && isOurs(effect) ? [effect] : []));
	// Also those of attempts that had not begun: the checks of a merge leave no log.
	const { sharedDir, processes = realProcesses } = parts;
	await Promise.all(mine.map((effect) => endAttempt(processes, run.id, sharedDir, effect)));
	if (pending.length > 0) await parts.repository.clearLocks?.();
	const effects: PendingEffect[] = [];
	const lost: { seq: number; input: Input }[] = [];
	for (const entry of pending) {
		const { effect, seq } = entry;
		const attempt = effect.effect === "start_attempt" ? running.find((r) => isSame(r, effect))?.attempt : undefined;
		if (effect.effect !== "start_attempt") effects.push(entry);
		else if (attempt === undefined) run.noteDone(seq);
		else if (attempt.prepared && isOurs(effect)) {
			const { scope, step, attempt: number } = effect;
			lost.push({ seq, input: { type: "attempt_lost", at: parts.clock.now(), scope, step, attempt: number } });
			// Also where its work is not put back: no later session could commit.
			await clearLocks(tools, scope);
		} else {
			// A step of pawl's own is repeated. Its locks in the user's tree are nobody else's to remove; a worktree is opened when its turn comes.
			if (isOurs(effect) && workspaceOf(run.state) === "tree") await clearLocks(tools, effect.scope);
			effects.push(entry);
		}
	}
	return { effects, lost };
}

async function clearLocks({ workspaces, run }: Tools, scope: string): Promise<void> {
	await workspaces.of(run.state, scope).then(
		(workspace) => workspace.clearLocks?.(),
		() => {},
	);
}

async function endAttempt(processes: Processes, run: string, sharedDir: string, id: AttemptId): Promise<void> {
	await processes.sweep(markOf(run, id));
	removeReportBox({ sharedDir, scope: id.scope, step: id.step, attempt: id.attempt });
}

const isSame = (r: ReturnType<typeof runningAttempts>[number], id: AttemptId): boolean =>
	r.scope === id.scope && r.step.id === id.step && r.attempt.number === id.attempt;
