// Chance from a seed (mulberry32): the same numbers for the same seed, on every machine.
export interface Chance {
	/** A whole number, both ends included. */
	between(low: number, high: number): number;
	happens(share: number): boolean;
}

export function chance(seed: number): Chance {
	let state = seed >>> 0;
	const next = (): number => {
		state = (state + 0x6d2b79f5) >>> 0;
		let t = state;
		t = Math.imul(t ^ (t >>> 15), t | 1);
		t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
		return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
	};
	return { between: (low, high) => low + Math.floor(next() * (high - low + 1)), happens: (share) => next() < share };
}
