// Makes a failing scenario shorter: whatever can be left out, one thing or half of the things at a time, while the same thing still fails.

/** The parts of a scenario that can be left out. */
export type Droppable<K extends string> = Readonly<Record<K, readonly unknown[]>>;

/** `fails`: whether what is left still shows the same violation. */
export async function minimise<K extends string, S extends Droppable<K>>(
	scenario: S,
	parts: readonly K[],
	fails: (shorter: S) => Promise<boolean>,
	mostTries = 400,
): Promise<S> {
	let best = scenario;
	let tries = 0;
	for (let shorter = true; shorter; ) {
		shorter = false;
		for (const part of parts)
			for (let size = Math.max(1, best[part].length >> 1); size >= 1; size >>= 1)
				for (let at = 0; at < best[part].length && tries < mostTries; ) {
					const rest: S = { ...best, [part]: best[part].toSpliced(at, size) };
					tries++;
					if (await fails(rest)) {
						best = rest;
						shorter = true;
					} else at += size;
				}
		if (tries >= mostTries) break;
	}
	return best;
}
