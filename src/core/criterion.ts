// A success criterion: its name in files and reports, and the commands that prove it.

export interface Criterion {
	/** For example `tests_pass`; unique within the task. */
	readonly slug: string;
	readonly text: string;
	/** Each must exit 0. */
	readonly commands: readonly string[];
	/** Other spans in backticks: names of things, which nobody runs. */
	readonly mentions: readonly string[];
}

const SPAN = /(?<!`)`[^`]+`(?!`)/g;
/** What may follow the command that ends a criterion. */
const ENDS = /^(?:(?:both |all )?(?:pass(?:es)?|succeeds?|exits? (?:with )?(?:code |status )?0))?$/i;
/** What may stand between two commands that end a criterion together. */
const JOINS = /^(?:and|,|, and|&|\+|;)$/i;
/** With arguments: a name of something in the code has none. */
const LINE = /\S\s+\S/;
const LONGEST = 80;
const NONE: readonly string[] = [];

export function readCriteria(texts: readonly string[]): readonly Criterion[] {
	const taken = new Set<string>();
	/** By name: the number from which to look for a free one, so that many equal criteria are not compared with each other. */
	const next = new Map<string, number>();
	return texts.map((text) => {
		const { commands, mentions, words } = spansOf(text);
		const base = slugOf(words) || "criterion";
		let slug = base;
		let n = next.get(base) ?? 2;
		for (; taken.has(slug); n++) slug = `${base}_${n}`;
		next.set(base, n);
		taken.add(slug);
		return { slug, text, commands, mentions };
	});
}

/** A span is a command if it is the whole criterion or ends it. Words after it make it a mention, unless they say that it passes. */
function spansOf(text: string): Pick<Criterion, "commands" | "mentions"> & { readonly words: string } {
	if (!text.includes("`")) return { commands: NONE, mentions: NONE, words: text };
	const spans = [...text.matchAll(SPAN)].map((match) => ({
		at: match.index,
		end: match.index + match[0].length,
		text: match[0].slice(1, -1).trim(),
	}));
	let first = spans.length;
	if (ENDS.test(bare(text.slice(spans.at(-1)?.end ?? text.length)))) {
		first = Math.max(0, spans.length - 1);
		for (let before = spans[first - 1]; before; before = spans[first - 1]) {
			if (!LINE.test(before.text) || !JOINS.test(text.slice(before.end, spans[first]?.at).trim())) break;
			first--;
		}
	}
	const named = (some: typeof spans): string[] => some.map((span) => span.text).filter((one) => one !== "");
	// A criterion that begins with its command is called by it.
	const from = text.slice(0, spans[first]?.at).trim() === "" ? spans.length : first;
	const left = spans.slice(from);
	const words = [...left.map(({ at }, i) => text.slice(left[i - 1]?.end ?? 0, at)), text.slice(left.at(-1)?.end ?? 0)].join(" ");
	return { commands: named(spans.slice(first)), mentions: named(spans.slice(0, first)), words };
}

/** Without punctuation, quotation marks and emphasis around it. */
const bare = (text: string): string => text.replace(/[\s.,;:!?)\]"'*_…–—-]+/gu, " ").trim();

/** Lower-case letters and digits of any script; everything else becomes `_`. */
export function slugOf(text: string): string {
	return text
		.normalize("NFKC")
		.toLowerCase()
		.replace(/[^\p{L}\p{N}]+/gu, "_")
		.replace(/^_|_$/g, "")
		.slice(0, LONGEST)
		.replace(/_$/, "");
}

const ANSWER = /^[`*_"']{0,3}([^:`*"']{1,200}?)[`*_"']{0,3} ?[:=|] ?[`*_"']{0,3}(true|false|yes|no|met|unmet)\b/iu;

/** Reads `- slug: true` lines of a report; lines with any other value are ignored. */
export function readAnswers(text: string): ReadonlyMap<string, boolean> {
	const answers = new Map<string, boolean>();
	for (const line of text.split("\n", 1000)) {
		// White space is folded first: each part of the pattern may begin or end with it, and would try every way to share a long run of it.
		const match = ANSWER.exec(
			line
				.slice(0, 500)
				.replace(/\s+/g, " ")
				.replace(/^[ \-*+>|]+/, ""),
		);
		if (match) answers.set(slugOf(match[1] ?? ""), /^(true|yes|met)/i.test(match[2] ?? ""));
	}
	return answers;
}
