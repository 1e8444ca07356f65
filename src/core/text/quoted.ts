// Puts text from outside between tags that do not occur in it, so that the text cannot close them itself.

export function quoted(tag: string, text: string, empty = "(none)"): string {
	if (text.trim() === "") return empty;
	const used = [...text.matchAll(new RegExp(`</${tag.replace(/[^\w]/g, "\\$&")}(?:_(\\d{1,6}))?`, "gi"))].map((match) =>
		Number(match[1] ?? 1),
	);
	const name = used.length === 0 ? tag : `${tag}_${used.reduce((most, n) => Math.max(most, n)) + 1}`;
	return `<${name}>\n${text.trim()}\n</${name}>`;
}
