// Which tests may notice a change of something that is made while a module loads (a table, a regular expression): no count tells, because the code runs once, whoever
// uses it. So those count that run code of the same file, or of a file that imports it, and those whose own file imports it: what they run may have no other mutant.
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Counts } from "./counts.ts";
import type { Mutant } from "./instrument.ts";
import type { Order } from "./mutants.child.ts";

const root = join(import.meta.dirname, "..", "..");

export type Fresh = Extract<Order, { do: "each" }>["files"];

/** Tests that together take longer are left out: they would be asked for each of hundreds of mutants. */
const MOST_MS = 4_000;

/** A file, and the files that import it. */
export function users(file: string, texts: Readonly<Record<string, string>>): ReadonlySet<string> {
	return new Set([
		file,
		...Object.entries(texts)
			.filter(([other, text]) => imports(other, text, file))
			.map(([other]) => other),
	]);
}

const imports = (from: string, text: string, file: string): boolean =>
	[...text.matchAll(/from "(\.[^"]*)"/g)].some(([, specifier = ""]) => join(dirname(from), specifier) === file);

/** Those of the nearest files first, and the quick ones of each. */
export function testsNear(mutant: Mutant, { tests }: Counts, files: ReadonlySet<string>, byId: ReadonlyMap<string, Mutant>): Fresh {
	const first = new Map<string, number>();
	for (const [i, { file }] of tests.entries()) if (!first.has(file)) first.set(file, i);
	const own = new Set([...first.keys()].filter((test) => imports(test, readFileSync(join(root, test), "utf8"), mutant.file)));
	const some = tests
		.map((test, i) => ({ ...test, i }))
		.filter(({ file, reached }) => own.has(file) || Object.keys(reached).some((id) => files.has(byId.get(id)?.file ?? "")))
		.sort((a, b) => shared(b.file, mutant.file) - shared(a.file, mutant.file) || a.ms - b.ms);
	const chosen = new Map<string, number[]>();
	let total = 0;
	for (const one of some) {
		total += one.ms;
		if (total > MOST_MS && chosen.size > 0) break;
		chosen.set(one.file, [...(chosen.get(one.file) ?? []), one.i - (first.get(one.file) ?? 0)]);
	}
	return [...chosen].map(([file, numbers]) => ({ file, tests: numbers }));
}

/** How many parts of their paths are the same. */
function shared(test: string, file: string): number {
	const theirs = test.replace(/\.test\.ts$/, "").split("/");
	const parts = file.replace(/\.ts$/, "").split("/");
	const differs = parts.findIndex((part, i) => part !== theirs[i]);
	return differs === -1 ? parts.length : differs;
}
