// The second driver of a run: nobody is started, agents come and ask for work. It feeds the same transitions and does the engine's
// own work (actions, rollbacks, archives) whenever somebody passes by. All of it with the run's lock held, so that two that ask at
// the same moment come one after the other, and never get the same step.
import { join } from "node:path";
import type { AgentOutcome } from "../agent.ts";
import { fold } from "../core/apply.ts";
import type { Effect } from "../core/effect.ts";
import type { Input, Outcome } from "../core/input.ts";
import type { RunState } from "../core/model.ts";
import { attemptOf, findStep, hasEnded, nextWake, typeOf } from "../core/query.ts";
import { transition } from "../core/transition.ts";
import type { Claim, PendingEffect } from "../store.ts";
import { type Point, WorkspaceError } from "../workspace.ts";
import { type AttemptContext, buildPrompt, logOf, NOTHING, outcomeOf } from "./agent-attempt.ts";
import { AgentChoice } from "./agent-choice.ts";
import { doChore, type Tools } from "./chores.ts";
import { commit } from "./commit.ts";
import { EditFiles } from "./edit-file.ts";
import { markOf } from "./mark.ts";
import { runAction } from "./own-work.ts";
import type { EngineParts } from "./parts.ts";
import { Projector } from "./projector.ts";
import { Scratch } from "./scratch.ts";
import { Workspaces } from "./workspaces.ts";

type Start = Extract<Effect, { effect: "start_attempt" }>;

/** What is kept with a claim. */
interface ClaimData {
	readonly scope: string;
	readonly step: string;
	readonly attempt: number;
	readonly role: string;
	readonly point: Point;
	readonly seq: number;
}

export interface Claimed {
	readonly claim: string;
	readonly stepId: string;
	readonly runId: string;
	readonly agent: string;
	readonly input: string;
	readonly workspace: string;
	readonly leaseSeconds: number;
}

export type Taken =
	| { readonly result: "taken"; readonly signal: string; readonly error: string | null }
	/** It was taken before: nothing changed. */
	| { readonly result: "again" }
	| { readonly result: "stale"; readonly reason: string };

export class Pull implements Tools {
	readonly parts: EngineParts;
	private state: RunState;
	private readonly projector: Projector;
	readonly scratch: Scratch;
	readonly edits: EditFiles;
	readonly workspaces: Workspaces;

	constructor(parts: EngineParts, state: RunState) {
		this.parts = parts;
		this.state = state;
		this.projector = new Projector(parts.projections(state), (error) => parts.onWarning?.(String(error)));
		this.scratch = new Scratch(parts.sharedDir);
		this.edits = new EditFiles(parts.sharedDir);
		this.workspaces = new Workspaces(parts.repository);
	}

	static load(parts: EngineParts): Pull | null {
		const events = parts.store.events(parts.run);
		const state = fold(events);
		if (state === null) return null;
		const pull = new Pull(parts, state);
		pull.projector.apply(events, state);
		return pull;
	}

	get current(): RunState {
		return this.state;
	}

	/** Everything that is not an agent's: what people decided, claims that ran out, the engine's own work. */
	async settle(): Promise<void> {
		for (;;) {
			for (const { id, input } of this.parts.store.inbox(this.parts.run)) this.feed({ ...input, at: this.parts.now() }, [], [id]);
			this.releaseExpired();
			const wake = nextWake(this.state);
			if (wake !== null && wake <= this.parts.now()) this.feed({ type: "advance", at: this.parts.now() });
			const todo = this.parts.store.pending(this.parts.run).find(({ effect }) => this.isOurs(effect));
			if (todo === undefined) break;
			await this.carryOut(todo);
		}
	}

	/** A step for an agent of this role; null where there is none. */
	async claim(role: string, token: string, leaseMs: number | null): Promise<Claimed | null> {
		for (;;) {
			const found = this.parts.store.pending(this.parts.run).find(({ effect }) => this.isFree(effect, role));
			if (found?.effect.effect !== "start_attempt") return null;
			try {
				return await this.take(found.seq, found.effect, token, leaseMs);
			} catch (error) {
				if (!(error instanceof WorkspaceError)) throw error;
				this.end(found.effect, { ...NOTHING, signal: "workspace_error", error: error.message }, found.seq, []);
				await this.settle();
			}
		}
	}

	/** The result of a claim: what its agent printed, judged like that of any other agent. */
	complete(claim: Claim, output: string): Promise<Taken> {
		return this.finish(claim, "completed", output, async (c) => {
			const said: AgentOutcome = {
				result: "ok",
				error: null,
				text: output,
				usage: NOTHING.usage,
				exitCode: 0,
				retryAt: null,
				sessionId: null,
				model: null,
			};
			return (await outcomeOf(c, "", said)) ?? { ...NOTHING, signal: "agent_error", error: "it was cancelled" };
		});
	}

	fail(claim: Claim, reason: string): Promise<Taken> {
		return this.finish(claim, "failed", "", async () => ({ ...NOTHING, signal: "agent_error", error: reason }));
	}

	/** What the files say is written, and what an ended run no longer needs is put away. */
	async close(): Promise<void> {
		await this.projector.close();
		if (["completed", "failed", "cancelled"].includes(this.state.status)) await this.workspaces.close(this.state);
	}

	private async finish(
		claim: Claim,
		how: "completed" | "failed",
		output: string,
		judge: (c: AttemptContext) => Promise<Outcome>,
	): Promise<Taken> {
		if (claim.state === how) return { result: "again" };
		if (claim.state !== "held") return { result: "stale", reason: `this claim was ${claim.state}` };
		const data = claim.data as ClaimData;
		const step = findStep(this.state, data.scope, data.step);
		const type = step && typeOf(this.state, step);
		if (!step || !type || !attemptOf(step, data.attempt)) return { result: "stale", reason: "its step is not under way any more" };
		const outcome = await this.judged(data, judge);
		this.log(data, output, outcome);
		this.end(data, outcome, data.seq, [{ ...claim, state: how }]);
		await this.settle();
		return { result: "taken", signal: outcome.signal, error: outcome.error };
	}

	private async judged(data: ClaimData, judge: (c: AttemptContext) => Promise<Outcome>): Promise<Outcome> {
		const step = findStep(this.state, data.scope, data.step);
		const type = step && typeOf(this.state, step);
		if (!step || !type) return { ...NOTHING, signal: "agent_error", error: "the step is gone" };
		try {
			const workspace = await this.workspaces.of(this.state, data.scope);
			return await judge(this.context(data, step, type, workspace, data.point));
		} catch (error) {
			if (error instanceof WorkspaceError) return { ...NOTHING, signal: "workspace_error", error: error.message };
			throw error;
		}
	}

	private async take(seq: number, effect: Start, token: string, leaseMs: number | null): Promise<Claimed> {
		const { scope, step: stepId, attempt, role } = effect;
		const workspace = await this.workspaces.of(this.state, scope);
		const branch = await this.workspaces.branchOf(this.state);
		const point = await workspace.point();
		await this.edits.clear(scope, `${scope}-${stepId}-${attempt}`);
		const step = findStep(this.state, scope, stepId);
		const type = step && typeOf(this.state, step);
		if (!step || !type) throw new WorkspaceError("the step is gone");
		const at = this.parts.now();
		const lease = leaseMs ?? this.state.options.timeouts[type.name] ?? type.timeoutMs;
		const handle = `${this.state.id}:${scope}:${stepId}:${attempt}`;
		const data: ClaimData = { scope, step: stepId, attempt, role, point, seq };
		const claim: Claim = { token, run: this.state.id, handle, data, expiresAt: at + lease, state: "held" };
		const prepared = {
			scope,
			step: stepId,
			attempt,
			commit: point.commit,
			log: logOf(scope, stepId),
			...(branch === null ? {} : { branch }),
		};
		this.feed({ type: "attempt_prepared", at, ...prepared }, [], [], [claim]);
		const input = await buildPrompt(this.context(data, findStep(this.state, scope, stepId) ?? step, type, workspace, point), false);
		return {
			claim: token,
			stepId: handle,
			runId: this.state.id,
			agent: role,
			input,
			workspace: workspace.path,
			leaseSeconds: Math.round(lease / 1000),
		};
	}

	private context(
		of: ClaimData,
		step: AttemptContext["step"],
		type: AttemptContext["type"],
		workspace: AttemptContext["workspace"],
		point: Point,
	): AttemptContext {
		const { scope, attempt, role } = of;
		const { parts, state, scratch, edits } = this;
		const mark = markOf(parts.run, of);
		const choice = new AgentChoice();
		return {
			parts,
			state,
			scope,
			step,
			type,
			attempt,
			role,
			workspace,
			point,
			mark,
			scratch,
			edits,
			choice,
			signal: new AbortController().signal,
		};
	}

	private end(of: { scope: string; step: string; attempt: number }, outcome: Outcome, seq: number, claims: readonly Claim[]): void {
		const { scope, step, attempt } = of;
		this.feed({ type: "attempt_ended", at: this.parts.now(), scope, step, attempt, outcome }, [seq], [], claims);
	}

	/** Before the journal knows of it: whoever reads there that it has ended finds what it said. */
	private log({ scope, step, attempt, role }: ClaimData, output: string, { signal, error }: Outcome): void {
		const { sharedDir, secrets, now, keepBrought, onWarning } = this.parts;
		const brought = { attempt, step, role, output, result: error === null ? "ok" : signal, error, secrets, at: now() };
		const problem = keepBrought?.(join(sharedDir, logOf(scope, step)), brought) ?? null;
		if (problem !== null) onWarning?.(problem);
	}

	private releaseExpired(): void {
		for (const claim of this.parts.store.claims(this.parts.run)) {
			const data = claim.data as ClaimData;
			const step = findStep(this.state, data.scope, data.step);
			const over = !attemptOf(step, data.attempt) || hasEnded(this.state);
			if (!over && claim.expiresAt > this.parts.now()) continue;
			const late = { ...NOTHING, signal: "timeout", error: `${data.role} claimed it and did not come back in time` };
			this.log(data, "", late);
			this.end(data, late, data.seq, [{ ...claim, state: "released" }]);
		}
	}

	/** Work of an agent stays until one comes for it. */
	private isOurs(effect: Effect): boolean {
		return effect.effect !== "start_attempt" || !this.isUnderWay(effect) || ["action", "command"].includes(this.kindOf(effect) ?? "");
	}

	private isFree(effect: Effect, role: string): boolean {
		if (effect.effect !== "start_attempt" || effect.role !== role || !this.isUnderWay(effect) || this.state.status !== "running")
			return false;
		return this.kindOf(effect) === "agent" && findStep(this.state, effect.scope, effect.step)?.log === null;
	}

	private isUnderWay(effect: Start): boolean {
		return attemptOf(findStep(this.state, effect.scope, effect.step), effect.attempt) !== undefined;
	}

	private kindOf(effect: Start): string | undefined {
		const step = findStep(this.state, effect.scope, effect.step);
		return step && typeOf(this.state, step)?.kind;
	}

	private async carryOut({ seq, effect }: PendingEffect): Promise<void> {
		switch (effect.effect) {
			case "start_attempt":
				if (!this.isUnderWay(effect)) break;
				return this.act(seq, effect);
			case "cancel_attempt": {
				const { scope, step, attempt, reason } = effect;
				const mine = this.parts.store.claims(this.parts.run).filter((claim) => {
					const data = claim.data as ClaimData;
					return data.scope === scope && data.step === step && data.attempt === attempt;
				});
				const released = mine.map((claim): Claim => ({ ...claim, state: "released" }));
				return this.feed({ type: "attempt_cancelled", at: this.parts.now(), scope, step, attempt, reason }, [seq], [], released);
			}
			default:
				await doChore(this, this.state, effect);
		}
		this.parts.store.settle(this.parts.run, [seq]);
	}

	private async act(seq: number, effect: Start): Promise<void> {
		const step = findStep(this.state, effect.scope, effect.step);
		let outcome: Outcome = { ...NOTHING, signal: "agent_error", error: "the step is gone" };
		try {
			const workspace = await this.workspaces.of(this.state, effect.scope);
			const { parts, state } = this;
			const mark = markOf(parts.run, effect);
			const signal = new AbortController().signal;
			if (step) outcome = (await runAction({ parts, state, scope: effect.scope, step, workspace, mark, signal })) ?? outcome;
		} catch (error) {
			if (!(error instanceof WorkspaceError)) throw error;
			outcome = { ...NOTHING, signal: "workspace_error", error: error.message };
		}
		this.end(effect, outcome, seq, []);
	}

	private feed(input: Input, done: readonly number[] = [], taken: readonly number[] = [], claims: readonly Claim[] = []): void {
		const next = transition(this.state, input);
		if (next.state === null || next.events.length + done.length + taken.length + claims.length === 0) return;
		commit(this.parts, this.state, input.at, { ...next, state: next.state }, { done, taken, claims });
		this.state = next.state;
		this.projector.apply(next.events, next.state);
		this.parts.onEvents?.(next.events, next.state);
	}
}
