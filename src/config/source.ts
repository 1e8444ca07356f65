// The YAML text of pawl.yml as data, with the place of everything in it. Nothing here knows what the keys mean.
import { type Document, isAlias, isMap, isScalar, isSeq, LineCounter, type Node, parseDocument } from "yaml";

export interface Problem {
	readonly file: string;
	readonly line: number;
	readonly column: number;
	readonly message: string;
}

export type Path = readonly PropertyKey[];

export interface Source {
	/** null for an empty file; undefined where the text could not be read. */
	readonly value: unknown;
	readonly problems: readonly Problem[];
	/** A problem at a path: at the key itself, or at what stands behind it; where neither is there, at what is around it. */
	problem(path: Path, where: "key" | "value", message: string): Problem;
}

const LARGEST = 1024 * 1024;

export function readSource(text: string, file: string): Source {
	const lines = new LineCounter();
	const at = (offset: number, message: string): Problem => {
		const { line, col } = lines.linePos(offset);
		// The counter says 0:0 before the first line.
		return { file, line: Math.max(1, line), column: Math.max(1, col), message };
	};
	const unread = (...problems: Problem[]): Source => ({ value: undefined, problems, problem: (_path, _where, message) => at(0, message) });

	if (text.length > LARGEST) return unread(at(0, "the file is larger than 1 MiB"));
	const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, version: "1.2" });
	// A key that stands there twice leaves a value that can be checked all the same.
	const problems = [...document.errors, ...document.warnings].map((error) => at(error.pos[0], explain(error.code, error.message)));
	if (document.errors.some((error) => error.code !== "DUPLICATE_KEY") || document.warnings.length > 0) return unread(...problems);
	let value: unknown;
	try {
		value = document.toJS({ maxAliasCount: 100 });
	} catch (error) {
		return unread(...problems, at(0, `not readable as YAML: ${error instanceof Error ? error.message : String(error)}`));
	}
	return { value, problems, problem: (path, where, message) => at(offsetOf(document, path, where), message) };
}

function explain(code: string, message: string): string {
	if (code === "DUPLICATE_KEY") return "this key is there twice; keep one of the two";
	if (code === "MULTIPLE_DOCS") return "the file must be one YAML document; remove what follows `---`";
	return `not readable as YAML: ${message}`;
}

function offsetOf(document: Document.Parsed, path: Path, where: "key" | "value"): number {
	let node: unknown = document.contents;
	let key: unknown = node;
	for (const part of path) {
		if (isAlias(node)) node = node.resolve(document);
		const index = Number(part);
		if (isMap(node)) {
			const pair = node.items.find((item) => isScalar(item.key) && String(item.key.value) === String(part));
			if (pair === undefined) break;
			key = pair.key;
			node = pair.value;
		} else if (isSeq(node) && node.items[index] !== undefined) {
			node = node.items[index];
			key = node;
		} else break;
	}
	const start = (found: unknown): number | undefined => (found as Node | null)?.range?.[0];
	return (where === "value" ? start(node) : undefined) ?? start(key) ?? 0;
}
