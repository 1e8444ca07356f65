// Makes a text that breaks something as small as it can in a short time: whole lines first, then ever smaller parts.

/** Time is for a target that is slow; the tries are used up first, so that the same text comes out every time. */
const MOST_TRIES = 2000;
const MOST_MS = 20_000;

export async function minimised(text: string, breaks: (smaller: string) => Promise<boolean>): Promise<string> {
	const until = performance.now() + MOST_MS;
	let tries = 0;
	let best = text;
	const isTime = (): boolean => tries < MOST_TRIES && performance.now() < until;
	const without = async (by: string): Promise<void> => {
		let size = Math.ceil(best.split(by).length / 2);
		while (size >= 1 && isTime()) {
			let cut = false;
			for (let at = 0; at < best.split(by).length && isTime(); ) {
				const parts = best.split(by);
				const smaller = parts.toSpliced(at, size).join(by);
				tries++;
				if (smaller !== best && (await breaks(smaller))) {
					best = smaller;
					cut = true;
				} else at += size;
			}
			if (!cut || size > 1) size = size === 1 ? 0 : Math.ceil(size / 2);
		}
	};
	await without("\n");
	await without("");
	return best;
}
