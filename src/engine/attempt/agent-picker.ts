// Which agent does an attempt: the one that the role asks for, or, while that one is at a limit, the first of its
// stand-ins that is not. In memory only: after a restart the first try tells again.
import type { ChosenAgent } from "../parts.ts";

/** How long an agent that did not say when is left alone. */
const UNKNOWN_MS = 60_000;

export class AgentPicker {
	private readonly limited = new Map<string, number>();

	choose(agents: readonly ChosenAgent[], now: number): ChosenAgent | undefined {
		return (
			agents.find(({ agent }) => this.freeAt(agent.name) <= now) ??
			agents.toSorted((a, b) => this.freeAt(a.agent.name) - this.freeAt(b.agent.name))[0]
		);
	}

	/** Says when the step may be tried again: at once where another agent can take it, else when the first one is free. */
	limit(name: string, until: number | null, agents: readonly ChosenAgent[], now: number): number | null {
		this.limited.set(name, until ?? now + UNKNOWN_MS);
		if (agents.length < 2) return until;
		return Math.max(now, Math.min(...agents.map(({ agent }) => this.freeAt(agent.name))));
	}

	private freeAt(name: string): number {
		return this.limited.get(name) ?? 0;
	}
}
