// The pull protocol: agents that pawl did not start ask for work. The engine is the same but starts no sessions: an agent claims one,
// gets its prompt, and later returns an answer that is judged like any other. The caller holds the run's lease, so two agents that ask at
// the same moment are served one after the other and never get the same step.
import { join } from "node:path";
import type { AgentOutcome } from "../agent.ts";
import type { Outcome } from "../core/input.ts";
import type { RunState } from "../core/model.ts";
import { attemptOf, claimHandle, findStep, isOver, nextWake } from "../core/query.ts";
import { specFor, startedWith } from "../core/started-with.ts";
import type { Claim, PendingEffect } from "../store.ts";
import { type Point, WorkspaceError } from "../workspace.ts";
import { orWorkspaceError } from "./attempt/attempt.ts";
import { cutRemarks, judge, withRemarksOf } from "./attempt/judge.ts";
import { type AttemptId, type LiveAttempt, NOTHING, STEP_IS_GONE, type StartAttempt } from "./attempt/live-attempt.ts";
import { logOf } from "./attempt/mark.ts";
import { liveAttempt, prepareAttempt, typeOfEffect } from "./attempt/prepare.ts";
import { personaOf, promptOf } from "./attempt/prompt.ts";
import type { Answer } from "./attempt/session.ts";
import { Engine } from "./engine.ts";
import type { EngineParts } from "./parts.ts";
import type { Opened, Run } from "./run.ts";

/** Kept with a claim: what the end of the attempt needs to know about its beginning. */
interface ClaimData extends AttemptId {
	readonly role: string;
	readonly point: Point;
	/** The keeper's. Claims of earlier versions have none. */
	readonly memory?: unknown;
	/** The effect that the claim carries out. */
	readonly seq: number;
}

export interface Claimed {
	readonly claim: string;
	readonly stepId: string;
	readonly runId: string;
	readonly agent: string;
	/** Who the agent is and how it works: its own files, filled in. Empty if it has none. */
	readonly persona: string;
	readonly input: string;
	readonly workspace: string;
	readonly leaseSeconds: number;
	/** What the step should be done with, if somebody said so; null: whatever the agent uses. */
	readonly model: string | null;
	readonly effort: string | null;
	readonly tier: string | null;
}

export type TakenResult =
	| {
			readonly result: "taken";
			readonly signal: string;
			readonly error: string | null;
			/** What a person is asked before the result counts. */
			readonly question: string | null;
	  }
	/** The result was accepted before: nothing changed. */
	| { readonly result: "again" }
	| { readonly result: "stale"; readonly reason: string };

export class Pull {
	private readonly parts: EngineParts;
	private readonly run: Run;
	private readonly engine: Engine;
	private begun = false;

	constructor(parts: EngineParts, opened: Opened) {
		this.parts = parts;
		this.run = opened.run;
		this.engine = new Engine(parts, opened, "claimed");
	}

	get state(): RunState {
		return this.run.state;
	}

	/** Does everything that needs no agent: people's decisions, expired claims, actions and commands. */
	async settle(): Promise<void> {
		await this.begin();
		await this.releaseExpired();
		const now = this.parts.clock.now();
		const wake = nextWake(this.state);
		if (wake !== null && wake <= now) await this.engine.feed({ type: "advance", at: now });
		await this.engine.quiet();
	}

	/** Claims a step for an agent of this role; null if there is none. Call `settle` first. */
	async claim(role: string, token: string, leaseMs: number | null): Promise<Claimed | null> {
		for (;;) {
			const found = await this.free(role);
			if (found === null) return null;
			try {
				return await this.take(found.seq, found.effect, token, leaseMs);
			} catch (error) {
				if (!(error instanceof WorkspaceError)) throw error;
				await this.end(found.effect, { ...NOTHING, signal: "workspace_error", error: error.message }, found.seq, []);
				await this.settle();
			}
		}
	}

	/** Whether a step waits for an agent of this role. Call `settle` first. */
	async waits(role: string): Promise<boolean> {
		return (await this.free(role)) !== null;
	}

	/** Takes the result of a claim: what its agent printed, judged like that of any other agent. */
	async complete(claim: Claim, output: string): Promise<TakenResult> {
		return this.finish(claim, "completed", output, async (live) => judge(live, await promptOf(live, false), answerOf("ok", null, output)));
	}

	/** An agent that gives up is judged too: its edits are set apart, and its keeper looks at what it left. */
	async fail(claim: Claim, reason: string): Promise<TakenResult> {
		return this.finish(claim, "failed", "", (live) => judge(live, "", answerOf("agent_error", reason)));
	}

	/** Writes the run's files, and removes the worktrees of a run that has ended. */
	close(): Promise<void> {
		return this.engine.close();
	}

	private async finish(
		claim: Claim,
		how: "completed" | "failed",
		output: string,
		judged: (live: LiveAttempt) => Promise<Outcome | null>,
	): Promise<TakenResult> {
		if (claim.state === how) {
			// The agent may come again because the process that accepted the result was killed: finish what that one left.
			await this.settle();
			return { result: "again" };
		}
		if (claim.state !== "held") return { result: "stale", reason: `this claim was ${claim.state}` };
		// Begin before the result is fed: the effects of the result would otherwise be taken for leftovers of an earlier process, and done twice.
		await this.begin();
		const data = claim.data as ClaimData;
		if (!attemptOf(findStep(this.state, data.scope, data.step), data.attempt))
			return { result: "stale", reason: "its step is not under way any more" };
		const outcome = (await orWorkspaceError(async () => judged(await this.live(data)))) ?? STEP_IS_GONE;
		const told = withRemarksOf(outcome, await this.log(data, output, outcome));
		await this.end(data, told, data.seq, [{ ...claim, state: how }]);
		await this.settle();
		return { result: "taken", signal: outcome.signal, error: outcome.error, question: outcome.unclear ?? null };
	}

	private async begin(): Promise<void> {
		if (this.begun) return;
		this.begun = true;
		await this.engine.begin([]);
	}

	private async live(data: ClaimData): Promise<LiveAttempt> {
		const { tools } = this.engine;
		const type = typeOfEffect(tools, { effect: "start_attempt", ...data });
		if (!type) throw new WorkspaceError("the step is gone");
		const workspace = await tools.workspaces.of(this.state, data.scope);
		return liveAttempt(tools, data, type, workspace, data.point, data.memory ?? null, new AbortController().signal);
	}

	private async take(seq: number, effect: StartAttempt, token: string, leaseMs: number | null): Promise<Claimed> {
		const { scope, step, attempt, role } = effect;
		const { tools } = this.engine;
		const type = typeOfEffect(tools, effect);
		if (!type) throw new WorkspaceError("the step is gone");
		const lease = leaseMs ?? this.state.options.timeouts[type.name] ?? type.timeoutMs;
		const expiresAt = this.parts.clock.now() + lease;
		const handle = claimHandle(this.run.id, scope, step, attempt);
		const claim = (point: Point, memory: unknown): Claim => {
			const data: ClaimData = { scope, step, attempt, role, point, memory, seq };
			return { token, run: this.run.id, handle, data, expiresAt, state: "held" };
		};
		const live = await prepareAttempt({ tools, effect, type, signal: new AbortController().signal, claim });
		const { model, effort = null, tier = null } = specFor(startedWith(this.state), type.name, role);
		return {
			claim: token,
			stepId: handle,
			runId: this.run.id,
			agent: role,
			persona: await personaOf(live),
			input: await promptOf(live, false),
			workspace: live.workspace.path,
			leaseSeconds: Math.round(lease / 1000),
			model,
			effort,
			tier,
		};
	}

	private end({ scope, step, attempt }: AttemptId, outcome: Outcome, seq: number, claims: readonly Claim[]): Promise<void> {
		return this.engine.feed({ type: "attempt_ended", at: this.parts.clock.now(), scope, step, attempt, outcome }, { done: [seq], claims });
	}

	/** Writes the log before the journal says that the attempt has ended, so that a reader of the journal finds it. Returns what people
	 * have to know about it. */
	private async log({ scope, step, attempt, role }: ClaimData, output: string, { signal, error }: Outcome): Promise<readonly string[]> {
		const { sharedDir, secrets, clock, keepBrought, onWarning, logMax } = this.parts;
		const brought = {
			attempt,
			step,
			role,
			output,
			result: error === null ? "ok" : signal,
			error,
			secrets,
			at: clock.now(),
			...(logMax === undefined ? {} : { logMax }),
		};
		const kept = (await keepBrought?.(join(sharedDir, logOf(scope, step)), brought)) ?? { cut: 0 };
		if ("cut" in kept) return cutRemarks(kept.cut);
		onWarning?.(kept.problem);
		return [];
	}

	private async releaseExpired(): Promise<void> {
		for (const claim of await this.held()) {
			const data = claim.data as ClaimData;
			const over = !attemptOf(findStep(this.state, data.scope, data.step), data.attempt) || isOver(this.state.status);
			if (!over && claim.expiresAt > this.parts.clock.now()) continue;
			const error = `${data.role} claimed it and did not come back in time`;
			const judged = over ? null : await orWorkspaceError(async () => judge(await this.live(data), "", answerOf("timeout", error)));
			const late = judged ?? { ...NOTHING, signal: "timeout", error };
			await this.log(data, "", late);
			await this.end(data, late, data.seq, [{ ...claim, state: "released" }]);
		}
	}

	private held(): Promise<readonly Claim[]> {
		return this.run.store.claims(this.run.id);
	}

	/** An unclaimed session of this role. The members of a gate share a tree, so they are handed out one after the other. */
	private async free(role: string): Promise<(PendingEffect & { readonly effect: StartAttempt }) | null> {
		if (this.state.status !== "running") return null;
		const held = (await this.held()).map((claim) => claim.data as ClaimData);
		for (const { seq, effect } of await this.run.store.pending(this.run.id)) {
			if (effect.effect !== "start_attempt" || effect.role !== role) continue;
			const kind = typeOfEffect(this.engine.tools, effect)?.kind;
			if (kind === undefined || kind === "action" || kind === "command") continue;
			if (!attemptOf(findStep(this.state, effect.scope, effect.step), effect.attempt)) continue;
			if (held.some((other) => other.scope === effect.scope && other.step === effect.step)) continue;
			return { seq, effect };
		}
		return null;
	}
}

/** The outcome of an agent that pawl did not start: pawl knows only its answer. */
function answerOf(result: AgentOutcome["result"], error: string | null, text = ""): Answer {
	const outcome = { result, error, text, usage: NOTHING.usage, exitCode: null, retryAt: null, sessionId: null, model: null };
	return { outcome, given: null, refused: [] };
}
