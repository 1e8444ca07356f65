// Amounts of money as people read them.

const BEYOND = 1e12;

/** Small amounts keep their significant digits: $0.0976, $0.05; a floating-point tail is dropped. */
export function money(usd: number): string {
	// The agent reported nonsense; 300 digits would not help.
	if (!(Math.abs(usd) < BEYOND)) return "more than $1,000,000,000,000";
	return `$${usd.toFixed(Math.abs(usd) < 0.1 ? 4 : 2).replace(/(\.\d\d)0+$/, "$1")}`;
}
