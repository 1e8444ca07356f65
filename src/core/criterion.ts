// A success criterion: its name in files and reports, and the commands it holds in backticks.

export interface Criterion {
	/** For example `tests_pass`; unique within the task. */
	readonly slug: string;
	readonly text: string;
	/** Each must exit 0. Text in double backticks is not a command. */
	readonly commands: readonly string[];
}

const SPAN = /(?<!`)`([^`]+)`(?!`)/g;
const CODE = /``\s?(.*?)\s?``/g;
const LONGEST = 80;

export function readCriteria(texts: readonly string[]): readonly Criterion[] {
	const taken = new Set<string>();
	return texts.map((text) => {
		const commands = [...text.matchAll(SPAN)].map((match) => (match[1] ?? "").trim()).filter((command) => command !== "");
		const words = text.replace(SPAN, " ").replace(CODE, " $1 ");
		const base = slugOf(words) || slugOf(commands.join(" ")) || "criterion";
		let slug = base;
		for (let n = 2; taken.has(slug); n++) slug = `${base}_${n}`;
		taken.add(slug);
		return { slug, text, commands };
	});
}

/** Lower-case letters and digits of any script; everything else becomes `_`. */
export function slugOf(text: string): string {
	return text
		.normalize("NFKC")
		.toLowerCase()
		.replace(/[^\p{L}\p{N}]+/gu, "_")
		.replace(/^_+|_+$/g, "")
		.slice(0, LONGEST)
		.replace(/_+$/, "");
}

/** Reads `- slug: true` lines of a report; lines with any other value are ignored. */
export function readAnswers(text: string): ReadonlyMap<string, boolean> {
	const answers = new Map<string, boolean>();
	for (const line of text.split("\n", 1000)) {
		const match = /^[\s\-*+>|]*[`*_"']{0,3}([^:`*"']{1,200}?)[`*_"']{0,3}\s*[:=|]\s*[`*_"']{0,3}(true|false|yes|no|met|unmet)\b/iu.exec(
			line.slice(0, 500),
		);
		if (match) answers.set(slugOf(match[1] ?? ""), /^(true|yes|met)$/i.test(match[2] ?? ""));
	}
	return answers;
}
