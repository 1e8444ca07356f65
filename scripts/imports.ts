// Who imports whom in src/, folder by folder: read from the sources, drawn as Mermaid, searched for cycles. Tests are left out:
// they may import anything.
import { globSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";

/** Two files of the product, by their paths below src/. */
export interface Import {
	readonly from: string;
	readonly to: string;
}

type Graph = ReadonlyMap<string, ReadonlySet<string>>;

export function importsOf(src: string): readonly Import[] {
	return specifiersIn(src, /\b(?:from|import)\s*\(?\s*"(\.{1,2}\/[^"]+)"/g).map(({ from, name }) => ({
		from,
		to: normalize(join(dirname(from), name)),
	}));
}

/** The packages that files of the product import, Node's own not counted. */
export function packagesOf(src: string): readonly { readonly from: string; readonly name: string }[] {
	return specifiersIn(src, /\b(?:from|import)\s*\(?\s*"((?:@[\w-]+\/)?\w[\w.-]*)(?:\/[^"]*)?"/g);
}

function specifiersIn(src: string, pattern: RegExp): { readonly from: string; readonly name: string }[] {
	return globSync("**/*.{ts,tsx}", { cwd: src })
		.filter((file) => !/\.(test|suite|child)\.ts$|(^|\/)(testing|fixtures)\//.test(file))
		.sort()
		.flatMap((from) => [...readFileSync(join(src, from), "utf8").matchAll(pattern)].map(([, name = ""]) => ({ from, name })));
}

/**
 * The rings between the folders and files at the top of src/, and between the folders that lie side by side in any other folder. A folder's
 * own files and its subfolders may import each other: they are one unit, and the linter refuses cycles of files.
 */
export function ringsOf(imports: readonly Import[]): readonly string[] {
	const parents = new Set(imports.flatMap(({ from, to }) => [...foldersAbove(from), ...foldersAbove(to)]));
	return [...parents].sort().flatMap((parent) => {
		const child = (file: string): string | null => {
			if (!file.startsWith(parent)) return null;
			const [first = "", ...rest] = file.slice(parent.length).split("/");
			return rest.length > 0 || parent === "" ? `${parent}${first}` : null;
		};
		return rings(graphOf(imports, child));
	});
}

/** `""`, `engine/`, `engine/attempt/` for a file in the last of them. */
function foldersAbove(file: string): string[] {
	const parts = file.split("/").slice(0, -1);
	return ["", ...parts.map((_, i) => `${parts.slice(0, i + 1).join("/")}/`)];
}

function graphOf(imports: readonly Import[], nodeOf: (file: string) => string | null): Graph {
	const graph = new Map<string, Set<string>>();
	for (const { from, to } of imports) {
		const [a, b] = [nodeOf(from), nodeOf(to)];
		if (a === null || b === null) continue;
		for (const node of [a, b]) if (!graph.has(node)) graph.set(node, new Set());
		if (a !== b) graph.get(a)?.add(b);
	}
	return graph;
}

function rings(graph: Graph): string[] {
	const found = new Set<string>();
	for (const start of graph.keys()) {
		const way = wayBack(graph, start);
		// The same ring, whichever of its folders is looked at first.
		const least = way.indexOf(way.toSorted()[0] ?? "");
		if (way.length > 0) found.add([...way.slice(least), ...way.slice(0, least), way[least]].join(" → "));
	}
	return [...found];
}

/** The shortest cycle through a node, without the return to it; empty if there is none. */
function wayBack(graph: Graph, start: string): string[] {
	const ways = [[start]];
	const seen = new Set<string>();
	for (const way of ways)
		for (const next of graph.get(way.at(-1) ?? "") ?? []) {
			if (next === start) return way;
			if (!seen.has(next)) ways.push([...way, next]);
			seen.add(next);
		}
	return [];
}

/**
 * The top of src/ as Mermaid, from the top down. Contracts stand together in one box; a file that opens a folder of its name (process.ts)
 * stands for both. An arrow that follows from others is left out: it would only hide them.
 */
export function pictureOf(imports: readonly Import[]): string {
	const files = new Set(imports.flatMap(({ from, to }) => [from, to]));
	const folders = new Set([...files].flatMap((file) => (file.includes("/") ? [file.split("/", 1)[0] ?? ""] : [])));
	const opens = new Set(imports.filter(({ from, to }) => !from.includes("/") && to.startsWith(`${from.slice(0, -3)}/`)).map((i) => i.from));
	const isContract = (file: string): boolean => !file.includes("/") && folders.has(file.slice(0, -3)) && !opens.has(file);
	const nodeOf = (file: string): string => {
		if (isContract(file)) return "contracts";
		return file.includes("/") || opens.has(file) ? file.replace(/(\/.*|\.ts)$/, "/") : file;
	};
	const graph = graphOf(imports, nodeOf);
	const contracts = [...files].filter(isContract).sort();
	const id = (node: string): string => node.replace(/\W/g, "_");
	const label = (node: string): string => (node === "contracts" ? `contracts: ${contracts.join(" ")}` : node);
	const nodes = [...graph.keys()].sort();
	return [
		"flowchart TD",
		...nodes.map((node) => `  ${id(node)}["${label(node)}"]`),
		...nodes.flatMap((node) =>
			[...(graph.get(node) ?? [])]
				.filter((to) => !goesRound(graph, node, to))
				.sort()
				.map((to) => `  ${id(node)} --> ${id(to)}`),
		),
	].join("\n");
}

/** Whether there is a longer path from one to the other. */
function goesRound(graph: Graph, from: string, to: string): boolean {
	const todo = [...(graph.get(from) ?? [])].filter((node) => node !== to);
	const seen = new Set(todo);
	for (const node of todo)
		for (const next of graph.get(node) ?? []) {
			if (next === to) return true;
			if (!seen.has(next)) todo.push(next);
			seen.add(next);
		}
	return false;
}
