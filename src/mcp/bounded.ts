// What an agent is told has a size: it pays for every word. Nothing that must not leave pawl gets out either.

/** Characters of one text inside of an answer, and of an answer as a whole. */
const TEXT = 4_000;
const ANSWER = 60_000;
/** Elements of one list. */
const LIST = 1_000;

export type Scrub = (text: string) => string;

/** The value as JSON, with long texts and lists cut; it says so where it cuts. */
export function answerText(value: unknown, scrub: Scrub): string {
	const text = JSON.stringify(bounded(value, scrub, TEXT));
	return text.length <= ANSWER ? text : `${text.slice(0, ANSWER)}… (cut: ${text.length - ANSWER} characters more; ask for less at once)`;
}

export function bounded(value: unknown, scrub: Scrub, longest: number): unknown {
	if (typeof value === "string") return cut(scrub(value), longest);
	if (Array.isArray(value)) {
		const some = value.slice(0, LIST).map((one) => bounded(one, scrub, longest));
		return value.length <= LIST ? some : [...some, `… (${value.length - LIST} more)`];
	}
	if (typeof value !== "object" || value === null) return value;
	return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, bounded(one, scrub, longest)]));
}

const cut = (text: string, longest: number): string =>
	text.length <= longest ? text : `${text.slice(0, longest)}… (${text.length - longest} characters more)`;

/** As many from the beginning as fit into an answer, and at least one. */
export function fitting<T>(values: readonly T[], scrub: Scrub, longest: number): T[] {
	const taken: T[] = [];
	let room = ANSWER / 2;
	for (const value of values) {
		const small = bounded(value, scrub, longest) as T;
		room -= JSON.stringify(small).length;
		if (room < 0 && taken.length > 0) break;
		taken.push(small);
	}
	return taken;
}
