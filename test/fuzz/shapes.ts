// Large texts that make a parser slow: one long line, many lines, deep nesting, many keys, each word of the format again and again, each line and each
// value of a known text again and again. A shape is small data; the text is made when it is needed.
import type { Target } from "./target.ts";

/** Repeated `times`; with `numbered`, every `%n` in it is the number of the repetition. */
interface Part {
	readonly text: string;
	readonly times?: number;
	readonly numbered?: true;
}

export interface Shape {
	readonly name: string;
	readonly parts: readonly Part[];
}

export const MEGABYTE = 1024 * 1024;

export function textOf({ parts }: Shape): string {
	return parts
		.map(({ text, times = 1, numbered }) =>
			numbered ? Array.from({ length: times }, (_, n) => text.replaceAll("%n", String(n))).join("") : text.repeat(times),
		)
		.join("");
}

/** The same shape, smaller. */
export const scaled = ({ name, parts }: Shape, by: number): Shape => ({
	name,
	parts: parts.map((part) => (part.times === undefined ? part : { ...part, times: Math.max(1, Math.floor(part.times * by)) })),
});

const CHARACTERS = [
	..." \t\n\r\0a0-_*`#>[{(<\"'\\/:.|,~=é漢✅",
	"\uD800",
	"\u001b[",
	"\r\n",
	"- ",
	"> ",
	"a ",
	"a\n",
	" \n",
	"a,",
	"[]",
	"{}",
	'""',
	"\\\\",
	"\u001b]",
	"](",
	"**",
	"&a ",
	"*a ",
];
const AFTER = [" ", "a", "\n", "a ", "-", "\t"];

const filled = (size: number, text: string, before = "", after = "", more: Pick<Part, "numbered"> = {}): readonly Part[] => [
	{ text: before },
	{
		text,
		times: Math.max(1, Math.floor((size - before.length - after.length) / Math.max(1, text.length + (more.numbered ? 4 : 0)))),
		...more,
	},
	{ text: after },
];

/** Every shape of about this size for a target and its corpus, in an order that does not change. */
export function shapesOf({ words }: Pick<Target, "words">, texts: readonly string[], size = MEGABYTE): Shape[] {
	const shapes: Shape[] = [];
	const add = (name: string, parts: readonly Part[]): void => void shapes.push({ name, parts });
	for (const one of CHARACTERS) {
		add(`only ${JSON.stringify(one)}`, filled(size, one));
		add(`only ${JSON.stringify(one)}, then x`, filled(size, one, "", "\nx"));
	}
	for (const [open, close] of ["[]", "()", ...(["{}"] as const)].map((pair) => [pair.charAt(0), pair.charAt(1)] as const)) {
		const depth = Math.floor(size / 2);
		add(`nested ${open}${close}`, [
			{ text: open, times: depth },
			{ text: close, times: depth },
		]);
	}
	const depth = Math.floor(size / 8);
	add("nested objects", [{ text: '{"a":', times: depth }, { text: "1" }, { text: "}", times: depth }]);
	add("nested by indent", [
		{ text: "a:\n", times: 1 },
		...Array.from({ length: Math.floor(Math.sqrt(size)) }, (_, n) => ({ text: `${" ".repeat(n + 1)}a:\n` })),
	]);
	add("many keys", filled(size, "k%n: v\n", "", "", { numbered: true }));
	add("many keys of JSON", filled(size, '"k%n":1,', "{", '"x":1}', { numbered: true }));
	add("many texts of JSON", filled(size, '"t%n",', "[", '"x"]', { numbered: true }));
	for (const word of words) {
		for (const between of ["", " ", "\n"]) add(`${JSON.stringify(word + between)} again and again`, filled(size, word + between));
		add(`${JSON.stringify(word)} with numbers`, filled(size, `${word}%n\n`, "", "", { numbered: true }));
		for (const after of AFTER) add(`${JSON.stringify(word)} and then only ${JSON.stringify(after)}`, filled(size, after, word, "\nx"));
	}
	for (const [n, text] of texts.entries()) add(`text ${n} again and again`, filled(size, `${text}\n`));
	for (const [n, text] of texts.entries()) for (const shape of linesOf(text, size)) add(`text ${n}, ${shape.name}`, shape.parts);
	for (const [n, text] of texts.entries()) for (const shape of valuesOf(text, size)) add(`text ${n}, ${shape.name}`, shape.parts);
	return shapes;
}

const MOST_LINES = 12;

/** Each line repeated in its place, numbered, and made long. */
function linesOf(text: string, size: number): Shape[] {
	const lines = text.split("\n");
	const step = Math.max(1, Math.ceil(lines.length / MOST_LINES));
	return lines.flatMap((line, at) => {
		if (at % step !== 0 || line.trim() === "") return [];
		const before = lines
			.slice(0, at)
			.map((one) => `${one}\n`)
			.join("");
		const after = lines
			.slice(at + 1)
			.map((one) => `\n${one}`)
			.join("");
		return [
			{ name: `line ${at + 1} again and again`, parts: filled(size, `${line}\n`, before, after) },
			{
				name: `line ${at + 1} with numbers`,
				parts: filled(size, `${line.replace(/\d+|$/, "%n")}\n`, before, after, { numbered: true as const }),
			},
			{
				name: `line ${at + 1} indented deeper and deeper`,
				parts: [
					{ text: before },
					...Array.from({ length: Math.floor(Math.sqrt(size)) }, (_, n) => ({ text: `${" ".repeat(n)}${line}\n` })),
					{ text: after },
				],
			},
			...[" ", "a", "a "].map((one) => ({
				name: `line ${at + 1} and then only ${JSON.stringify(one)}`,
				parts: filled(size, one, before + line, `x${after}`),
			})),
		];
	});
}

const MARK = "\u0001mark\u0001";
const MOST_VALUES = 30;

/** For each value of a JSON text: many of its elements, many more keys, a long text, deep nesting. */
function valuesOf(text: string, size: number): Shape[] {
	let value: unknown;
	try {
		value = JSON.parse(text);
	} catch {
		return [];
	}
	const shapes: Shape[] = [];
	const visit = (here: unknown, path: string, around: (held: unknown) => unknown): void => {
		if (shapes.length >= 4 * MOST_VALUES) return;
		const [before = "", after = ""] = JSON.stringify(around(MARK)).split(JSON.stringify(MARK));
		const add = (name: string, parts: readonly Part[]): void => void shapes.push({ name: `${path || "all"}: ${name}`, parts });
		const depth = Math.floor((size - before.length - after.length) / 2);
		add("nested", [{ text: before }, { text: "[", times: depth }, { text: "]", times: depth }, { text: after }]);
		if (Array.isArray(here)) {
			const one = JSON.stringify(here[0] ?? "x");
			add("many elements", filled(size, `${one},`, `${before}[`, `${one}]${after}`));
			add(
				"many elements with numbers",
				filled(size, `${one.replace(/(?<=[\w-])"/, '%n"')},`, `${before}[`, `${one}]${after}`, { numbered: true }),
			);
			here.forEach((held, i) => {
				if (i < 2) visit(held, `${path}[${i}]`, (inner) => around(here.with(i, inner)));
			});
		} else if (typeof here === "object" && here !== null) {
			const [first] = Object.entries(here);
			add(
				"many keys",
				filled(size, `"k%n":${JSON.stringify(first?.[1] ?? 1)},`, `${before}{`, `${JSON.stringify(here).slice(1)}${after}`, {
					numbered: true,
				}),
			);
			if (first !== undefined)
				add(
					"a key many times",
					filled(
						size,
						`${JSON.stringify(first[0])}:${JSON.stringify(first[1])},`,
						`${before}{`,
						`${JSON.stringify(here).slice(1)}${after}`,
					),
				);
			for (const [key, held] of Object.entries(here)) visit(held, `${path}.${key}`, (inner) => around({ ...here, [key]: inner }));
		} else if (typeof here === "string") {
			add("long text", filled(size, "a", `${before}"`, `"${after}`));
			add("many lines", filled(size, `${JSON.stringify(here).slice(1, -1)}\\n`, `${before}"`, `"${after}`));
			add("long white space", filled(size, " ", `${before}"${JSON.stringify(here).slice(1, -1)}`, `x"${after}`));
		}
	};
	visit(value, "", (held) => held);
	return shapes;
}
