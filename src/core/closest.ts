// Suggests the known word that a person probably meant.

/** The closest known word if it is close enough to be a typo or another number of the same word, otherwise null. */
export function closest(word: string, known: Iterable<string>): string | null {
	const near = [...known]
		.map((name) => ({ name, far: singular(word) === singular(name) ? 0 : distance(word.toLowerCase(), name.toLowerCase()) }))
		.filter(({ name, far }) => far <= Math.max(1, Math.floor(Math.max(word.length, name.length) / 3)))
		.toSorted((a, b) => a.far - b.far);
	return near[0]?.name ?? null;
}

const singular = (word: string): string => word.toLowerCase().replace(/ies$/, "y").replace(/s$/, "");

/** Edit distance: letters changed, inserted, deleted, or swapped with their neighbour. */
function distance(from: string, to: string): number {
	// Known words are short, so a long word is never close; skip the costly table.
	if (from.length > 64) return Number.POSITIVE_INFINITY;
	let row = Array.from({ length: to.length + 1 }, (_, index) => index);
	let older = row;
	for (let i = 1; i <= from.length; i++) {
		const next = [i];
		for (let j = 1; j <= to.length; j++) {
			const changed = (row[j - 1] ?? 0) + (from[i - 1] === to[j - 1] ? 0 : 1);
			const swapped = from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1] ? (older[j - 2] ?? 0) + 1 : changed;
			next.push(Math.min(changed, swapped, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
		}
		older = row;
		row = next;
	}
	return row[to.length] ?? 0;
}
