// A file that several machines append to at the same time: each sends what is new in its own copy, the store puts it at the end, and each appends to its copy
// what the others have sent. So the order may differ from machine to machine, and nothing is lost. Texts hold one byte per character.

/** What was added to a text. If it was rewritten: the lines that were not there. What was taken away stays elsewhere. */
export function added(before: string, now: string): string {
	if (now.startsWith(before)) return now.slice(before.length);
	const there = new Map<string, number>();
	for (const line of before.split("\n")) there.set(line, (there.get(line) ?? 0) + 1);
	const fresh = now.split("\n").filter((line) => {
		const left = there.get(line) ?? 0;
		there.set(line, left - 1);
		return left <= 0;
	});
	return fresh.length === 0 ? "" : `${fresh.join("\n")}\n`;
}

/** What others have added: the text without the parts that are ours. */
export function without(text: string, ours: readonly string[]): string {
	let rest = text;
	for (const part of ours) {
		const at = rest.indexOf(part);
		if (at >= 0) rest = rest.slice(0, at) + rest.slice(at + part.length);
	}
	return rest;
}

/** What comes after it begins on a line of its own. */
export const wholeLines = (text: string): string => (text === "" || text.endsWith("\n") ? text : `${text}\n`);
