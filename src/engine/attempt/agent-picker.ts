// Which agent runs an attempt: the role's own, or, while that one is at its usage limit, the first stand-in that is not. Kept in memory
// only: after a restart the first session finds out again. What machines know of accounts that they share comes from outside (account.ts).
import type { ChosenAgent } from "../parts.ts";

/** How long to leave an agent alone that did not say when its limit ends. */
export const UNKNOWN_MS = 60_000;

/** Agent → when it is free again. */
type Limited = ReadonlyMap<string, number>;

export class AgentPicker {
	private readonly limited = new Map<string, number>();

	choose(agents: readonly ChosenAgent[], now: number, shared: Limited): ChosenAgent | undefined {
		const freeAt = ({ agent }: ChosenAgent): number => this.freeAt(agent.name, shared);
		return agents.find((one) => freeAt(one) <= now) ?? agents.toSorted((a, b) => freeAt(a) - freeAt(b))[0];
	}

	limit(name: string, until: number | null, now: number): void {
		this.limited.set(name, until ?? now + UNKNOWN_MS);
	}

	/** When a step whose agent is limited until then may be tried again: now, if another agent can take it, or else when the first one is free. */
	retryAt(until: number | null, agents: readonly ChosenAgent[], now: number, shared: Limited): number | null {
		if (agents.length < 2) return until;
		return Math.max(now, Math.min(...agents.map(({ agent }) => this.freeAt(agent.name, shared))));
	}

	private freeAt(name: string, shared: Limited): number {
		return Math.max(this.limited.get(name) ?? 0, shared.get(name) ?? 0);
	}
}
