// Which parts of `npm run prove` run beside which, and how long each may take.

/** As many lists as there are lanes, with as nearly the same shares as can be; the longest of each comes last: it can give most of what the others took too much. */
export function lanesOf(shares: Readonly<Record<string, number>>, count: number): string[][] {
	const lanes = Array.from({ length: count }, () => ({ names: new Set<string>(), sum: 0 }));
	for (const [name, share] of Object.entries(shares).sort(([, a], [, b]) => b - a)) {
		const least = lanes.reduce((a, b) => (b.sum < a.sum ? b : a));
		least.names.add(name);
		least.sum += share;
	}
	return lanes.map(({ names }) => [...names].reverse()).filter((names) => names.length > 0);
}

/** The first of a lane's remaining parts gets its share of the minutes that are left; what an earlier one took too much, all later ones give. */
export const minutesOf = ([share = 0, ...later]: readonly number[], left: number): number =>
	Math.max(0, left) * (share / (share + later.reduce((sum, one) => sum + one, 0)));
