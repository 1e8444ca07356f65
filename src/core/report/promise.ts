// `<promise>TEXT</promise>` counts if it stands alone: on one or several lines, in bold, or in its own fence. Inside a
// sentence, behind `>` or among other lines of a fence it is only mentioned.
import { isFence, type Lines, readLines } from "./lines.ts";

const TAG = /^<promise>(.*)<\/promise>$/s;
const LONGEST = 20;

export type Promised = { readonly kept: true } | { readonly kept: false; readonly problem: string | null };

/** `prompt`: a tag that follows the same line as in the prompt is an echo. */
export function readPromise(lines: Lines, text: string, prompt: string): Promised {
	if (text === "") return { kept: false, problem: null };
	const echoes = leadsTo(readLines(prompt), text);
	const tags = tagsOf(lines);
	if (tags.some((tag) => tag.text === text && !echoes.has(tag.before))) return { kept: true };
	const other = tags.find((tag) => !echoes.has(tag.before));
	if (other) return { kept: false, problem: `its promise \`${short(other.text)}\` is not the one that was asked for, \`${short(text)}\`` };
	const mentioned = lines.texts.some((line) => line.includes(`<promise>${text}</promise>`)) && tags.length === 0;
	return { kept: false, problem: mentioned ? "its promise does not count, because it does not stand on a line of its own" : null };
}

interface Tag {
	readonly text: string;
	/** The nearest line before it that is not empty. */
	readonly before: string;
}

function tagsOf({ texts, depths, fences }: Lines): readonly Tag[] {
	const tags: Tag[] = [];
	const alone = new Set(fences.filter((fence) => isAlone(texts, fence.from, fence.to)).flatMap(({ from, to }) => range(from, to)));
	let before = "";
	for (let at = 0; at < texts.length; at++) {
		const line = texts[at] ?? "";
		if (depths[at] === 0 || alone.has(at)) {
			const end = isFence(line) ? at : endOf(texts, at);
			const tag = TAG.exec(bare(texts.slice(at, end + 1).join("\n")));
			if (tag) {
				tags.push({ text: (tag[1] ?? "").replace(/\s*\n\s*/g, " ").trim(), before });
				at = end;
			}
		}
		if (line.trim() !== "" && !isFence(line)) before = line.trim();
	}
	return tags;
}

/** The line on which a tag that begins here ends. */
function endOf(texts: readonly string[], from: number): number {
	const first = texts[from] ?? "";
	if (!first.includes("<promise>") || first.includes("</promise>")) return from;
	for (let at = from + 1; at < Math.min(texts.length, from + LONGEST); at++) if (texts[at]?.includes("</promise>")) return at;
	return from;
}

function isAlone(texts: readonly string[], from: number, to: number): boolean {
	const inside = texts.slice(from + 1, to);
	return inside.length <= LONGEST && TAG.test(bare(inside.join("\n")));
}

/** Without bold and backticks around it. */
const bare = (text: string): string =>
	text.length > 5000 ? "" : text.trim().replace(/^[*_`]{1,4}(<promise>.*<\/promise>)[*_`]{1,4}$/s, "$1");

/** The lines of the prompt that precede the tag. */
const leadsTo = (lines: Lines, text: string): ReadonlySet<string> =>
	new Set(tagsOf(lines).flatMap((tag) => (tag.text === text && /\p{L}.{8,}/u.test(tag.before) ? [tag.before] : [])));

const range = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, i) => from + i);
const short = (text: string): string => (text.length > 60 ? `${text.slice(0, 60)}…` : text);
