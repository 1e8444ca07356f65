// Whether a plan or a spec can be handed on to an agent that knows nothing else: no traces of thinking aloud, no open questions, no
// repetitions, no references that only the writer could resolve. A lint by wording, not a judgement of the content.
import { headingOf, type Line, linesOf } from "../../../text/markdown.ts";
import type { SpecProblem } from "./task.ts";

interface Rule {
	readonly why: string;
	readonly pattern: RegExp;
}

/** At the beginning of a sentence, or of an aside. */
const START = String.raw`(?:^[\s>*+_-]*(?:\d+[.)]\s*)?|[.!?:;…]["')\]]*\s+|[—–(]\s*)`;

const RULES: readonly Rule[] = [
	{
		why: "thinking aloud",
		pattern: /\blet (?:me|us) (?:re-?consider|re-?think|re-?check|re-?visit|re-?do|think|see|start over|try again)\b/i,
	},
	{ why: "thinking aloud", pattern: /\b(?:on second thoughts?|scratch that|strike that|never ?mind|my mistake|i was wrong|i misread)\b/i },
	{
		why: "thinking aloud",
		pattern: new RegExp(String.raw`${START}(?:actually|wait|hm+|oops|hold on|no, wait|okay|ok so)(?:,|!|\.{2,}|…|\s*[—–-])`, "i"),
	},
	{ why: "left open", pattern: /\b(?:TBD|TBC|FIXME|XXX)\b|\?\?\?/ },
	{ why: "left open", pattern: /\bTODO\s*(?::|\(|-\s)/ },
	{ why: "left open", pattern: /\bto be (?:decided|determined|defined|confirmed|clarified)\b/i },
	{ why: "left open", pattern: /\b(?:we|i)(?:'ll| will| should| need to)? (?:decide|figure (?:it|this|that) out) later\b/i },
	{ why: "left open", pattern: /<(?:fill in|insert|your)\b[^<>]*>|\[(?:fill in|insert)\b[^[\]]*\]/i },
	{
		why: "only the writer knows it",
		pattern: /\bas (?:we )?(?:discussed|agreed|mentioned) (?:above|before|earlier|previously)\b|\bas discussed\b/i,
	},
	{ why: "only the writer knows it", pattern: /\b(?:in|see|from) (?:the|our|this) (?:chat|conversation|thread|previous message)\b/i },
	{ why: "only the writer knows it", pattern: /\b(?:same|like) as (?:in )?(?:the )?(?:previous|other|last) (?:task|spec|plan)\b/i },
];

/** Names of the run's own files, which a spec must give as full paths. */
const ARTIFACT = /(?<![\w./~-])(?:\.{1,2}\/)*(?:run-[\w.-]+\/)?(?:plan|summary|task-\d+|task-fix-\d+)\.md\b/g;
const FOLDER = /(?<![\w/.~-])(?:\.\/)?\.workflow\/[\w./-]*/g;

/** What is wrong with a text, line by line. */
export function hygieneProblems(text: string): SpecProblem[] {
	const lines = linesOf(text.replace(/^\uFEFF/, ""));
	const found = lines.flatMap((line, index) => (line.fenced ? [] : wordsIn(line.text).map((why) => ({ line: index + 1, text: why }))));
	return [...found, ...headingProblems(lines)].sort((a, b) => a.line - b.line);
}

function wordsIn(line: string): string[] {
	// Code spans are names or literals, not the writer's own words.
	const prose = line.replace(/`[^`]*`/g, "``");
	const said = RULES.flatMap(({ why, pattern }) => {
		const words = pattern.exec(prose)?.[0].trim();
		return words === undefined ? [] : [`${why}: ${JSON.stringify(words)}`];
	});
	const relative = [...line.matchAll(ARTIFACT), ...line.matchAll(FOLDER)].map(([path]) => path).filter((path) => !path.startsWith("/"));
	return [...new Set([...said, ...relative.slice(0, 1).map((path) => `a relative path of the run's own file: ${JSON.stringify(path)}`)])];
}

interface Heading {
	readonly level: number;
	readonly title: string;
	readonly line: number;
	readonly body: string;
	readonly nested: boolean;
	readonly within: string;
}

function headingProblems(lines: readonly Line[]): SpecProblem[] {
	const problems: SpecProblem[] = [];
	const seen = new Map<string, Heading>();
	for (const heading of headingsOf(lines)) {
		if (heading.level > 1 && heading.body === "" && !heading.nested)
			problems.push({ line: heading.line, text: `an empty section: ${JSON.stringify(heading.title)}` });
		const key = `${heading.within}\n${heading.level} ${heading.title.toLowerCase()}`;
		const first = seen.get(key);
		if (first === undefined) seen.set(key, heading);
		else {
			const how = first.body === heading.body ? "the same section twice" : "two sections with one title and different text";
			problems.push({ line: heading.line, text: `${how}: ${JSON.stringify(heading.title)} (also in line ${first.line})` });
		}
	}
	return problems;
}

function headingsOf(lines: readonly Line[]): Heading[] {
	const marks = lines.flatMap((line, index) => {
		const found = headingOf(line);
		return found === null ? [] : [{ index, level: found.level, title: found.title.replace(/:$/, "") }];
	});
	/** The headings that the current one is below, from the top. */
	const open: { readonly level: number; readonly title: string }[] = [];
	return marks.map(({ index, level, title }, i) => {
		const next = marks[i + 1];
		while ((open.at(-1)?.level ?? 0) >= level) open.pop();
		const around = open.map((above) => above.title).reverse();
		open.push({ level, title });
		const body = lines
			.slice(index + 1, next?.index ?? lines.length)
			.map(({ text }) => text)
			.join("\n")
			.trim();
		return { level, title, line: index + 1, body, nested: (next?.level ?? 0) > level, within: around.join("\n") };
	});
}
