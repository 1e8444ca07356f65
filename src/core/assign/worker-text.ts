// Who did an attempt, in words.

export interface Worker {
	readonly agent: string | null;
	readonly model: string | null;
	readonly effort?: string | null | undefined;
}

/** "claude, opus, effort high"; empty if nobody is known. */
export const workerText = ({ agent, model, effort = null }: Worker): string =>
	[agent, model, effort === null ? null : `effort ${effort}`].filter((part) => part !== null).join(", ");
