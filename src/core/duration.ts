// Durations as people write them (`15m`, `2h`, `90s`, `500ms`, `1h30m`) and as the core counts them: whole milliseconds.

const UNITS = [
	["h", 3_600_000],
	["m", 60_000],
	["s", 1_000],
	["ms", 1],
] as const;

// Units in falling order, each once: `5m2h` is more likely a typo.
const PATTERN = /^(?:(\d+(?:\.\d+)?)h)?(?:(\d+(?:\.\d+)?)m(?!s))?(?:(\d+(?:\.\d+)?)s)?(?:(\d+(?:\.\d+)?)ms)?$/;

/** Milliseconds, or null if the text is not a duration. A number without a unit is not one. */
export function parseDuration(text: string): number | null {
	const match = PATTERN.exec(text.trim());
	if (match === null || match[0] === "") return null;
	let total = 0;
	for (const [index, [, size]] of UNITS.entries()) total += Number(match[index + 1] ?? 0) * size;
	const whole = Math.round(total);
	return Number.isSafeInteger(whole) ? whole : null;
}

/** The shortest exact spelling, which parseDuration reads back. Fractions of a millisecond are rounded; negative values are `0s`. */
export function formatDuration(ms: number): string {
	let rest = Math.max(0, Math.round(ms));
	let text = "";
	for (const [unit, size] of UNITS) {
		const count = Math.floor(rest / size);
		rest -= count * size;
		if (count > 0) text += `${count}${unit}`;
	}
	return text === "" ? "0s" : text;
}
