// A timer that may be longer than the 24.8 days that setTimeout holds (beyond them it fires at once).
const LONGEST = 2 ** 31 - 1;

/** Calls `fn` once after `ms`; what it returns takes the call back. */
export function after(ms: number, fn: () => void): () => void {
	let left = ms;
	let timer: NodeJS.Timeout;
	const arm = (): void => {
		const part = Math.min(left, LONGEST);
		left -= part;
		timer = setTimeout(() => (left > 0 ? arm() : fn()), part);
	};
	arm();
	return () => clearTimeout(timer);
}
