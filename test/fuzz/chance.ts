// Random choices from a seed, as the fuzzing makes them.
import { chance as seeded } from "../support/soak-chance.ts";

export interface Chance {
	/** 0 ≤ n < limit; 0 if there is nothing to choose from. */
	below(limit: number): number;
	/** Whether something happens that does so once in `of` times. */
	once(of: number): boolean;
	pick<T>(of: readonly T[]): T;
}

export function chance(seed: number): Chance {
	const { between } = seeded(seed);
	const below = (limit: number): number => (limit <= 1 ? 0 : between(0, limit - 1));
	return { below, once: (of) => below(of) === 0, pick: (of) => of[below(of.length)] as (typeof of)[number] };
}

/** A seed of its own for each name. */
export function seedOf(seed: number, name: string): number {
	let hash = (seed ^ 0x811c9dc5) >>> 0;
	for (const char of name) hash = Math.imul(hash ^ (char.codePointAt(0) ?? 0), 0x01000193) >>> 0;
	return hash;
}
