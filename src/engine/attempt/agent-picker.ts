// Which agent runs an attempt: the role's own, or, while that one is at its usage limit, the first stand-in that is not. Kept in memory
// only: after a restart the first session finds out again.
import type { ChosenAgent } from "../parts.ts";

/** How long to leave an agent alone that did not say when its limit ends. */
const UNKNOWN_MS = 60_000;

export class AgentPicker {
	private readonly limited = new Map<string, number>();

	choose(agents: readonly ChosenAgent[], now: number): ChosenAgent | undefined {
		return (
			agents.find(({ agent }) => this.freeAt(agent.name) <= now) ??
			agents.toSorted((a, b) => this.freeAt(a.agent.name) - this.freeAt(b.agent.name))[0]
		);
	}

	/** Returns when the step may be tried again: now, if another agent can take it, or else when the first one is free. */
	limit(name: string, until: number | null, agents: readonly ChosenAgent[], now: number): number | null {
		this.limited.set(name, until ?? now + UNKNOWN_MS);
		if (agents.length < 2) return until;
		return Math.max(now, Math.min(...agents.map(({ agent }) => this.freeAt(agent.name))));
	}

	private freeAt(name: string): number {
		return this.limited.get(name) ?? 0;
	}
}
