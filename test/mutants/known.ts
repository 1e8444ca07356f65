// What earlier passes found out, so that a pass tries only what may have changed: a mutant that a test killed counts again while the mutated file and the file of that
// test are the same; one that lived, while the tests are. The record lies beside the tools and is not committed; the figures are.
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Mutant } from "./instrument.ts";
import type { Verdict } from "./mutants.ts";

const root = join(import.meta.dirname, "..", "..");
const RECORD = join(root, "tools", "mutants", "node_modules", ".verdicts.json");

interface Remembered {
	readonly by: string | null;
	readonly reached: boolean;
	/** Of the test's file, or of all tests. */
	readonly tests: string;
}

export class Known {
	readonly #by: Map<string, Remembered>;
	readonly #allTests: string;
	readonly #hashes = new Map<string, string>();

	constructor(tests: readonly (readonly string[])[]) {
		const kept = existsSync(RECORD) ? (JSON.parse(readFileSync(RECORD, "utf8")) as Record<string, Remembered>) : {};
		this.#by = new Map(Object.entries(kept));
		this.#allTests = hash(
			tests
				.flat()
				.map((file) => this.#hashOf(file))
				.join(),
		);
	}

	verdict(mutant: Mutant): Verdict | undefined {
		const kept = this.#by.get(this.#key(mutant));
		if (kept === undefined || kept.tests !== this.#tests(kept.by)) return undefined;
		return { mutant, by: kept.by, reached: kept.reached };
	}

	remember({ mutant, by, reached }: Verdict): void {
		this.#by.set(this.#key(mutant), { by, reached, tests: this.#tests(by) });
	}

	save(): void {
		mkdirSync(dirname(RECORD), { recursive: true });
		writeFileSync(`${RECORD}.new`, JSON.stringify(Object.fromEntries(this.#by)));
		renameSync(`${RECORD}.new`, RECORD);
	}

	/** With the original: `a && b` and its `a` begin at the same place and both become `true`. */
	#key({ file, line, column, original, replacement, kind }: Mutant): string {
		return `${file} ${this.#hashOf(file)} ${line}:${column} ${kind} ${hash(`${original}\n${replacement}`)}`;
	}

	#tests(by: string | null): string {
		const file = by?.split(": ")[0] ?? "";
		return file.endsWith(".test.ts") ? this.#hashOf(file) : this.#allTests;
	}

	#hashOf(file: string): string {
		const made = this.#hashes.get(file) ?? (existsSync(join(root, file)) ? hash(readFileSync(join(root, file), "utf8")) : "");
		this.#hashes.set(file, made);
		return made;
	}
}

const hash = (text: string): string => createHash("sha256").update(text).digest("hex").slice(0, 12);
