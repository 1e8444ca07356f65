// Removes secrets from a stream of bytes. Bytes that could be the beginning of a secret are held back until the next chunk
// decides, so that a secret split over chunks is found too.

export interface Redactor {
	/** What can be shown now. */
	push(chunk: Buffer): Buffer;
	/** What was held back, at the end of the stream. */
	flush(): Buffer;
}

const EMPTY = Buffer.alloc(0);
const STARS = Buffer.from("***");

export function redactor(secrets: readonly string[]): Redactor {
	const needles = needlesOf(secrets);
	const longest = needles[0]?.length ?? 0;
	if (longest === 0) return { push: (chunk) => chunk, flush: () => EMPTY };
	let held: Buffer = EMPTY;
	const take = (data: Buffer, last: boolean): Buffer => {
		const hold = last ? data.length : heldFrom(data, needles, longest);
		const out: Buffer[] = [];
		let at = 0;
		const next = hitsIn(data, needles);
		for (let hit = next(at); hit !== null && hit.start < hold; hit = next(at)) {
			out.push(data.subarray(at, hit.start), STARS);
			at = hit.end;
		}
		const end = Math.max(at, hold);
		// Copied: a slice would keep the whole chunk alive.
		held = end < data.length ? Buffer.from(data.subarray(end)) : EMPTY;
		if (out.length === 0) return data.subarray(0, end);
		out.push(data.subarray(at, end));
		return Buffer.concat(out);
	};
	return {
		push: (chunk) => take(held.length > 0 ? Buffer.concat([held, chunk]) : chunk, false),
		flush: () => take(held, true),
	};
}

/** Each secret as it is and as it looks inside a JSON string, longest first. */
function needlesOf(secrets: readonly string[]): Buffer[] {
	const texts = new Set(secrets.flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1)]).filter((text) => text !== ""));
	return [...texts].map((text) => Buffer.from(text)).sort((a, b) => b.length - a.length);
}

/** The leftmost match from a position on, which only grows; of several that begin there, the longest. Each secret is looked for once more only when its
 * last match is passed: one that is not in the data would be looked for through all of it at every match of another. */
function hitsIn(data: Buffer, needles: readonly Buffer[]): (from: number) => { start: number; end: number } | null {
	const starts = needles.map((needle) => data.indexOf(needle));
	return (from) => {
		let best: { start: number; end: number } | null = null;
		for (const [i, needle] of needles.entries()) {
			let start = starts[i] ?? -1;
			if (start >= 0 && start < from) {
				start = data.indexOf(needle, from);
				starts[i] = start;
			}
			if (start >= 0 && (best === null || start < best.start)) best = { start, end: start + needle.length };
		}
		return best;
	};
}

/** Where the end of the data begins to look like the beginning of a secret. */
function heldFrom(data: Buffer, needles: readonly Buffer[], longest: number): number {
	for (let i = Math.max(0, data.length - longest + 1); i < data.length; i++) {
		const length = data.length - i;
		if (needles.some((needle) => needle.length > length && data.compare(needle, 0, length, i) === 0)) return i;
	}
	return data.length;
}
