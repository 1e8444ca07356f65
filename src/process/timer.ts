// A timer that may be longer than the 24.8 days of setTimeout, which fires immediately beyond them.
const LONGEST = 2 ** 31 - 1;

/** Calls `fn` once after `ms`; returns a function that cancels the call. */
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
