// Chance for the simulation: one seed gives one stream of numbers; a stream can be split, so that one part does not depend on how much
// another part has drawn.
import { type Chance, chance } from "../support/soak-chance.ts";

export interface Luck extends Chance {
	readonly pick: <T>(from: readonly [T, ...T[]]) => T;
	/** One of a list that may be empty. */
	readonly some: <T>(from: readonly T[]) => T | undefined;
	/** A number to begin another stream with. */
	readonly seed: () => number;
}

export function luckOf(seed: number): Luck {
	const { between, happens } = chance(seed);
	return {
		between,
		happens,
		pick: (from) => from[between(0, from.length - 1)] ?? from[0],
		some: (from) => (from.length === 0 ? undefined : from[between(0, from.length - 1)]),
		seed: () => between(0, 0x7fffffff),
	};
}

/** A seed from several: the same for the same parts, on every machine. */
export function mixed(...parts: readonly (string | number)[]): number {
	let hash = 0x811c9dc5;
	for (const letter of parts.join(" ")) hash = Math.imul(hash ^ (letter.codePointAt(0) ?? 0), 0x01000193);
	return hash >>> 0;
}
