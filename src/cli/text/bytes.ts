// Sizes, for people.
export const bytesText = (bytes: number): string =>
	bytes < 1024
		? `${bytes} B`
		: bytes < 1024 ** 2
			? `${Math.round(bytes / 1024)} KiB`
			: bytes < 1024 ** 3
				? `${(bytes / 1024 ** 2).toFixed(1)} MiB`
				: `${(bytes / 1024 ** 3).toFixed(1)} GiB`;

const FACTORS: Readonly<Record<string, number>> = { "": 1, k: 1024, m: 1024 ** 2, g: 1024 ** 3, t: 1024 ** 4 };

/** `500MB`, `2 GiB`, `1.5g`; null if it is no size. */
export function parseBytes(text: string): number | null {
	const [, amount, unit] = /^(\d+(?:\.\d+)?) ?([kmgt]?)(?:i?b)?$/i.exec(text.trim()) ?? [];
	return amount === undefined ? null : Math.round(Number(amount) * (FACTORS[unit?.toLowerCase() ?? ""] ?? 1));
}
