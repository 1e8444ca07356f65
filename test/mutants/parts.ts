// Which code is mutated, and which tests have to notice. They run inside one process: what they start has no mutant in it, so they count as far as they run code themselves.
import { globSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "..", "..");

export interface MutantPart {
	readonly code: readonly string[];
	/** Those beside the code, and those of what stands on it, which are asked when the first let a mutant live. */
	readonly tests: readonly (readonly string[])[];
	/** The share of a sample that they have to notice: the aim in core. Elsewhere what they notice today, because there the tests that count most start real processes. */
	readonly least: number;
}

const IN_CORE = ["src/core/**/*.test.ts"];
const ON_CORE = ["src/prompt/**/*.test.ts", "src/definition/**/*.test.ts", "src/runs/look/*.test.ts", "src/text/*.test.ts"];

const PARTS: Readonly<Record<string, MutantPart>> = {
	core: { code: ["src/core/**/*.ts"], tests: [IN_CORE, ON_CORE], least: 0.9 },
	attempt: { code: ["src/engine/attempt/**/*.ts"], tests: [["src/engine/**/*.test.ts"]], least: 0.4 },
	merge: { code: ["src/workspace/merge/**/*.ts"], tests: [["src/workspace/merge/*.test.ts"], ["src/workspace/*.test.ts"]], least: 0.6 },
	// The tests of the store in PostgreSQL need a server, which takes too long for each mutant.
	store: { code: ["src/store/*.ts"], tests: [["src/store/*.test.ts"]], least: 0.7 },
};

export const PART_NAMES: readonly string[] = Object.keys(PARTS);

/** Paths from the root. */
export function filesOf(name: string): MutantPart {
	const part = PARTS[name];
	if (part === undefined) throw new Error(`there is no part ${name}; there are ${PART_NAMES.join(", ")}`);
	const found = (patterns: readonly string[]): string[] => globSync([...patterns], { cwd: root }).sort();
	return {
		code: found(part.code).filter((file) => !/\.(test|suite|child)\.ts$|\/testing\//.test(file)),
		tests: part.tests.map(found),
		least: part.least,
	};
}
