// The account that an agent's sessions draw on, where machines share accounts: a session starts when it has a seat there and gives it back when it ends. If the account is at
// a usage limit, whoever met it, the session does not start, and the step waits as if it had met the limit itself.
import { type Agent, type AgentOutcome, NO_USAGE } from "../../agent.ts";
import type { SeatRequest } from "../../store.ts";
import type { ChosenAgent, EngineParts, SharedAccounts } from "../parts.ts";
import { UNKNOWN_MS } from "./agent-picker.ts";
import type { LiveAttempt } from "./live-attempt.ts";

/** What a session says to the accounts. */
export interface Sitting {
	readonly accounts: SharedAccounts;
	readonly who: Omit<SeatRequest, "account" | "ttlMs">;
	now(): number;
	/** Told once, if it has to wait. */
	onWait(text: string): Promise<void>;
}

/** The agent, whose session starts when it has a seat. */
export const seatedAgent = (agent: Agent, sitting: Sitting): Agent => ({
	...agent,
	run: (request, signal) => seated(sitting, sitting.accounts.of(agent.name), signal, (own) => agent.run(request, own)),
});

/** The agent of an attempt, with a seat where machines share accounts. */
export function inSeat(a: LiveAttempt, agent: Agent): Agent {
	const { accounts, clock } = a.parts;
	if (accounts === undefined) return agent;
	const id = { scope: a.scope, step: a.step.id, attempt: a.attempt };
	const onWait = (text: string) => a.tools.run.feed({ type: "remark", at: clock.now(), ...id, text });
	return seatedAgent(agent, { accounts, who: { run: a.state.id, ...id }, now: clock.now, onWait });
}

async function seated(
	{ accounts, who, now, onWait }: Sitting,
	account: string,
	signal: AbortSignal,
	session: (signal: AbortSignal) => Promise<AgentOutcome>,
): Promise<AgentOutcome> {
	const seat = await accounts.seat({ account, ...who }, signal, (used, max) =>
		onWait(`waits for a seat of account ${account} (${used} of ${max} in use)`),
	);
	if (seat === null) return { ...NOTHING, result: "cancelled", error: "it was cancelled while it waited for a seat" };
	if ("limitedMs" in seat) {
		const retryAt = now() + Math.ceil(seat.limitedMs);
		const by = seat.by === null ? "" : ` (${seat.by} met it)`;
		const error = `account ${account} is at its usage limit until ${new Date(retryAt).toISOString()}${by}`;
		return { ...NOTHING, result: "rate_limited", error, retryAt };
	}
	try {
		const outcome = await session(AbortSignal.any([signal, seat.lost]));
		if (outcome.result === "rate_limited") {
			const at = now();
			await accounts.limit(account, Math.max(0, (outcome.retryAt ?? at + UNKNOWN_MS) - at));
		}
		if (!seat.lost.aborted || signal.aborted || outcome.result !== "cancelled") return outcome;
		return { ...outcome, result: "lost", error: (seat.lost.reason as Error).message };
	} finally {
		await seat.release();
	}
}

/** Agent → when its account is free again, of those whose account is at a usage limit. */
export async function limitedAgents(
	{ accounts, clock }: EngineParts,
	agents: readonly ChosenAgent[],
): Promise<ReadonlyMap<string, number>> {
	if (accounts === undefined) return new Map();
	const limits = await accounts.limits(agents.map(({ agent }) => accounts.of(agent.name)));
	return new Map(
		agents.flatMap(({ agent: { name } }) => {
			const ms = limits.get(accounts.of(name));
			return ms === undefined ? [] : [[name, clock.now() + Math.ceil(ms)] as const];
		}),
	);
}

const NOTHING: Omit<AgentOutcome, "result" | "error"> = {
	...{ text: "", usage: NO_USAGE, exitCode: null, retryAt: null, sessionId: null, model: null },
};
