// YAML text as data, with the place of everything in it: for pawl.yml, workflows and scripts. Nothing here knows what the keys mean.
import { type Document, isAlias, isMap, isScalar, isSeq, LineCounter, type Node, parseDocument, visit } from "yaml";

/** Bytes of any file of a workflow. */
export const MAX_TEXT = 1024 * 1024;
/** Characters of YAML, which takes a hundred times as long to read as other text. The largest built-in workflow has a fifth of it. */
const MAX_YAML = 128 * 1024;

export interface Problem {
	readonly file: string;
	readonly line: number;
	readonly column: number;
	readonly message: string;
}

/** A place in the value: keys and indexes from the top. */
export type Path = readonly PropertyKey[];

export interface YamlText {
	/** null for an empty text; undefined where it could not be read at all. */
	readonly value: unknown;
	readonly problems: readonly Problem[];
	/** At the key itself, or at what stands behind it; where neither is there, at what is around it. */
	at(path: Path, where: "key" | "value"): { line: number; column: number };
}

export function readYaml(text: string, file: string): YamlText {
	const lines = new LineCounter();
	const positionOf = (offset: number): { line: number; column: number } => {
		const { line, col } = lines.linePos(offset);
		return { line: Math.max(1, line), column: Math.max(1, col) };
	};
	const refuse = (message: string, offset = 0): YamlText => ({
		value: undefined,
		problems: [{ file, ...positionOf(offset), message }],
		at: () => ({ line: 1, column: 1 }),
	});
	if (text.length > MAX_YAML) return refuse("the file is larger than 128 KiB, which is too much for YAML");
	const doc = parseDocument(text, { lineCounter: lines, version: "1.2", prettyErrors: false });
	const deep = doc.errors.find((e) => e.code === "RESOURCE_EXHAUSTION");
	if (deep) return refuse("the YAML is nested too deeply", deep.pos[0]);
	// A key that is there twice leaves a value that the other checks can still look at; nothing else does.
	const fatal = doc.errors.some((e) => e.code !== "DUPLICATE_KEY");
	// After one token that does not fit, all that follow do not either.
	const lost = doc.errors.findIndex((e) => e.code === "UNEXPECTED_TOKEN");
	const problems = [...(lost < 0 ? doc.errors : doc.errors.slice(0, lost + 1)), ...doc.warnings].map(
		(e): Problem => ({ file, ...positionOf(e.pos[0]), message: explain(e.code, e.message) }),
	);
	if (!fatal) problems.push(...structure(doc, file, positionOf));
	const version = doc.directives?.yaml;
	if (version?.explicit && version.version !== "1.2")
		problems.push({ file, line: 1, column: 1, message: "the file must be YAML 1.2: remove the %YAML directive" });
	let value: unknown;
	if (!fatal && problems.every((p) => p.message.startsWith(TWICE))) {
		try {
			value = doc.toJS({ maxAliasCount: 100 });
		} catch {
			return refuse("too many aliases: the text would grow out of all proportion; write it out");
		}
	}
	return { value, problems, at: (path, where) => positionOf(offsetOf(doc, path, where)) };
}

const TWICE = "this key appears twice";

function explain(code: string, message: string): string {
	if (code === "DUPLICATE_KEY") return `${TWICE}: keep one of the two`;
	if (code === "MULTIPLE_DOCS") return "the file must be one YAML document: remove what follows `---`";
	return `not readable as YAML: ${message}`;
}

/** What the parser lets through and nobody can mean: keys that are not words, aliases that point nowhere or at themselves. */
function structure(doc: Document.Parsed, file: string, positionOf: (offset: number) => { line: number; column: number }): Problem[] {
	const problems: Problem[] = [];
	const add = (node: Node, message: string) => problems.push({ file, ...positionOf(node.range?.[0] ?? 0), message });
	// Noted on the way, because `alias.resolve` goes through the whole text for every alias.
	const anchors = new Map<string, Node>();
	visit(doc, {
		Pair(_, pair) {
			if (!isScalar(pair.key) && pair.key !== null) add(pair.key as Node, "a key is a word, not a list or a map");
		},
		Value(_, node) {
			if (node.anchor !== undefined) anchors.set(node.anchor, node);
		},
		Alias(_, alias, ancestors) {
			const target = anchors.get(alias.source);
			if (!target) add(alias, `there is no anchor &${alias.source} before this alias`);
			else if (ancestors.includes(target)) add(alias, `*${alias.source} refers to itself: write it out`);
		},
	});
	return problems;
}

/** Where a path leads; as far as it goes where the last parts are missing. */
function offsetOf(doc: Document.Parsed, path: Path, where: "key" | "value"): number {
	let node: unknown = doc.contents;
	let key: unknown = node;
	for (const part of path) {
		if (isAlias(node)) node = node.resolve(doc);
		if (isMap(node)) {
			const pair = node.items.find((p) => isScalar(p.key) && String(p.key.value) === String(part));
			if (!pair) break;
			key = pair.key;
			node = pair.value;
		} else if (isSeq(node) && node.items[Number(part)] !== undefined) {
			node = node.items[Number(part)];
			key = node;
		} else break;
	}
	const start = (x: unknown): number | undefined => (x as Node | null)?.range?.[0];
	return (where === "value" ? start(node) : undefined) ?? start(key) ?? 0;
}
