// Amounts of money as people read them.

const BEYOND = 1e12;

/** Small amounts keep the digits that say something: $0.0976, $0.05; a tail that nobody paid is left out. */
export function money(usd: number): string {
	// Somebody reported nonsense; a number of 300 digits would not say it better.
	if (!(Math.abs(usd) < BEYOND)) return "more than $1,000,000,000,000";
	return `$${usd.toFixed(usd !== 0 && Math.abs(usd) < 0.1 ? 4 : 2).replace(/(\.\d\d)0+$/, "$1")}`;
}
