// Makes a new text out of known ones: by characters, by lines, by the words of the format, and, where the text is JSON, by its values.
import type { Chance } from "./chance.ts";

const LONGEST = 8192;

/** Characters that parsers trip over. */
const HOSTILE = [
	..."\n\r\t\0 \"'`\\/:;,.|&<>[](){}#*_-+=~^%$@!?0123456789aAeExX",
	"\r\n",
	"\n\n",
	"\uFEFF",
	"\u2028",
	"\u0085",
	"\u00A0",
	"\u200B",
	"\u202E",
	"\uFFFD",
	"\uD800",
	"\uDC00",
	"\u0301",
	"é",
	"ß",
	"İ",
	"漢",
	"👩‍💻",
	"✅",
	"\u001b[31m",
	"\u001b]0;x\u0007",
	"```",
	"~~~",
	"---",
	"...",
	"{{",
	"}}",
	"<!--",
	"]]>",
	"\\u0000",
	"%s",
	"../",
	"__proto__",
	"constructor",
	"toString",
	"hasOwnProperty",
	"null",
	"true",
	"NaN",
	"Infinity",
	"-0",
	"1e309",
	"9007199254740993",
	"-1",
	"0x10",
	"1_000",
	"2026-02-30T25:61:61Z",
];

const VALUES: readonly unknown[] = [
	null,
	true,
	false,
	0,
	-1,
	1.5,
	1e308,
	-1e-7,
	Number.MAX_SAFE_INTEGER,
	"",
	" ",
	"\n",
	"\0",
	"__proto__",
	"constructor",
	"\uD800",
	"../../etc/passwd",
	"a".repeat(300),
	[],
	{},
	[[]],
	[null],
	{ "": "" },
	{ toString: 1 },
	{ length: 3 },
	[{ id: "A" }, { id: "A" }],
];

type Step = (luck: Chance, text: string, known: readonly string[], words: readonly string[]) => string;

const spanOf = (luck: Chance, text: string, longest: number): [number, number] => {
	const from = luck.below(text.length + 1);
	return [from, Math.min(text.length, from + 1 + luck.below(longest))];
};
const at = (text: string, from: number, to: number, by: string): string => text.slice(0, from) + by + text.slice(to);

const byLine =
	(change: (lines: string[], luck: Chance) => void): Step =>
	(luck, text) => {
		const lines = text.split("\n");
		change(lines, luck);
		return lines.join("\n");
	};

const STEPS: readonly Step[] = [
	(luck, text) => at(text, ...spanOf(luck, text, luck.once(4) ? 400 : 12), ""),
	(luck, text) => {
		const place = luck.below(text.length + 1);
		return at(text, place, place, luck.pick(HOSTILE));
	},
	(luck, text) => {
		const place = luck.below(text.length + 1);
		return at(text, place, place + 1, luck.pick(HOSTILE));
	},
	(luck, text, _, words) => {
		const place = luck.below(text.length + 1);
		return at(text, place, place, words.length === 0 ? luck.pick(HOSTILE) : luck.pick(words));
	},
	(luck, text, _, words) => {
		const [from, to] = spanOf(luck, text, 16);
		return at(text, from, to, words.length === 0 ? luck.pick(HOSTILE) : luck.pick(words));
	},
	(luck, text) => {
		const [from, to] = spanOf(luck, text, 40);
		return at(text, to, to, text.slice(from, to).repeat(1 + luck.below(luck.once(8) ? 100 : 3)));
	},
	(luck, text, known) => {
		const other = known.length === 0 ? "" : luck.pick(known);
		return text.slice(0, luck.below(text.length + 1)) + other.slice(luck.below(other.length + 1));
	},
	(luck, text, known) => {
		const other = known.length === 0 ? "" : luck.pick(known);
		const [from, to] = spanOf(luck, other, 200);
		const place = luck.below(text.length + 1);
		return at(text, place, place, other.slice(from, to));
	},
	byLine((lines, luck) => void lines.splice(luck.below(lines.length), 1 + luck.below(3))),
	byLine((lines, luck) => void lines.splice(luck.below(lines.length), 0, lines[luck.below(lines.length)] ?? "")),
	byLine((lines, luck) => {
		const [a, b] = [luck.below(lines.length), luck.below(lines.length)];
		[lines[a], lines[b]] = [lines[b] ?? "", lines[a] ?? ""];
	}),
	byLine((lines, luck) => {
		const place = luck.below(lines.length);
		lines[place] = luck.pick(["  ", "\t", "> ", "- ", "# ", "```\n", "    "]) + (lines[place] ?? "");
	}),
	(luck, text) => {
		const [from, to] = spanOf(luck, text, 12);
		const part = text.slice(from, to);
		return at(text, from, to, luck.once(2) ? part.toUpperCase() : part.toLowerCase());
	},
	(luck, text) => text.replaceAll("\n", luck.pick(["\r\n", "\r", "\n\n", " "])),
	(luck, text) => text.slice(0, luck.below(text.length + 1)),
];

/** One to four changes. */
export function mutate(luck: Chance, text: string, known: readonly string[], words: readonly string[]): string {
	let now = /^\s*[[{]/.test(text) && luck.below(3) > 0 ? (jsonMutated(luck, text) ?? text) : text;
	if (now !== text && luck.once(2)) return now;
	for (let times = 1 + luck.below(4); times > 0; times--) now = luck.pick(STEPS)(luck, now, known, words);
	return now.length > LONGEST ? now.slice(0, LONGEST) : now;
}

/** The same document with one value replaced, removed, doubled or wrapped; each line of JSONL is a document. null: it is not JSON. */
function jsonMutated(luck: Chance, text: string): string | null {
	const lines = text.split("\n");
	const place = lines.length > 1 && lines.every((line) => line === "" || line.startsWith("{")) ? luck.below(lines.length) : -1;
	const source = place < 0 ? text : (lines[place] ?? "");
	let value: unknown;
	try {
		value = JSON.parse(source);
	} catch {
		return null;
	}
	const changed = JSON.stringify(changedValue(luck, value), null, place < 0 && luck.once(3) ? 2 : undefined) ?? "null";
	if (place < 0) return changed;
	lines[place] = changed;
	return lines.join("\n");
}

function changedValue(luck: Chance, value: unknown): unknown {
	if (typeof value !== "object" || value === null || luck.once(8)) return luck.once(6) ? [value] : luck.pick(VALUES);
	if (Array.isArray(value)) {
		const list = [...value];
		const place = luck.below(list.length);
		if (luck.once(5)) list.splice(place, 1);
		else if (luck.once(4)) list.splice(place, 0, list[luck.below(list.length)]);
		else list[place] = changedValue(luck, list[place]);
		return list;
	}
	const entries = Object.entries(value);
	const place = luck.below(entries.length);
	const [key = "key", held] = entries[place] ?? [];
	const what = luck.below(6);
	if (what === 0) entries.splice(place, 1);
	else if (what === 1)
		entries.push([luck.pick(["__proto__", "constructor", "", "length", "id", "0", key.toUpperCase()]), luck.pick(VALUES)]);
	else entries[place] = [key, changedValue(luck, held)];
	return Object.fromEntries(entries);
}
