// The account that an agent's sessions draw on, where machines share accounts: a session starts when it has a seat there and gives it back when it ends. If the account is at
// a usage limit, whoever met it, the session does not start, and the step waits as if it had met the limit itself.
import { type Agent, type AgentOutcome, NO_USAGE } from "../../agent.ts";
import type { ChosenAgent, EngineParts, SharedAccounts } from "../parts.ts";
import { UNKNOWN_MS } from "./agent-picker.ts";
import type { LiveAttempt } from "./live-attempt.ts";

/** The agent, whose session starts when it has a seat. */
export function inSeat(a: LiveAttempt, agent: Agent): Agent {
	const { accounts } = a.parts;
	if (accounts === undefined) return agent;
	return { ...agent, run: (request, signal) => seated(a, accounts, accounts.of(agent.name), signal, (own) => agent.run(request, own)) };
}

async function seated(
	a: LiveAttempt,
	accounts: SharedAccounts,
	account: string,
	signal: AbortSignal,
	session: (signal: AbortSignal) => Promise<AgentOutcome>,
): Promise<AgentOutcome> {
	const { clock } = a.parts;
	const id = { scope: a.scope, step: a.step.id, attempt: a.attempt };
	const seat = await accounts.seat({ account, run: a.state.id, ...id }, signal, (used, max) => {
		const text = `waits for a seat of account ${account} (${used} of ${max} in use)`;
		return a.tools.run.feed({ type: "remark", at: clock.now(), ...id, text });
	});
	if (seat === null) return { ...NOTHING, result: "cancelled", error: "it was cancelled while it waited for a seat" };
	if ("limitedMs" in seat) {
		const retryAt = clock.now() + Math.ceil(seat.limitedMs);
		const by = seat.by === null ? "" : ` (${seat.by} met it)`;
		const error = `account ${account} is at its usage limit until ${new Date(retryAt).toISOString()}${by}`;
		return { ...NOTHING, result: "rate_limited", error, retryAt };
	}
	try {
		const outcome = await session(AbortSignal.any([signal, seat.lost]));
		if (outcome.result === "rate_limited") {
			const now = clock.now();
			await accounts.limit(account, Math.max(0, (outcome.retryAt ?? now + UNKNOWN_MS) - now));
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
