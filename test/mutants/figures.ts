// How many mutants of each file the tests noticed: printed, and kept in `tools/mutants/figures.json`.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Verdict } from "./mutants.ts";
import { filesOf } from "./parts.ts";

const FILE = join(import.meta.dirname, "..", "..", "tools", "mutants", "figures.json");

interface Count {
	readonly mutants: number;
	readonly killed: number;
	readonly survived: number;
}

export class Figures {
	readonly #byFile = new Map<string, Count>();

	constructor(verdicts: readonly Verdict[]) {
		for (const { mutant, by } of verdicts) {
			const { mutants, killed, survived } = this.#byFile.get(mutant.file) ?? NONE;
			const died = by === null ? 0 : 1;
			this.#byFile.set(mutant.file, { mutants: mutants + 1, killed: killed + died, survived: survived + 1 - died });
		}
	}

	/** Replaces what is known of these parts. */
	save(parts: readonly string[]): void {
		const kept = JSON.parse(readFileSync(FILE, "utf8")) as Record<string, Record<string, Count>>;
		for (const part of parts) {
			const files = new Set(filesOf(part).code);
			const own = [...this.#byFile].filter(([file]) => files.has(file)).sort(([a], [b]) => (a < b ? -1 : 1));
			kept[part] = { all: sum(own.map(([, one]) => one)), ...Object.fromEntries(own) };
		}
		writeFileSync(FILE, `${JSON.stringify(kept, null, "\t")}\n`);
	}

	text(): string {
		const rows = [...this.#byFile, ["all", sum([...this.#byFile.values()])] as const];
		return rows
			.map(([file, { mutants, killed, survived }]) => {
				const share = `${((killed / Math.max(1, mutants)) * 100).toFixed(1)} %`;
				return `${String(mutants).padStart(6)} ${String(survived).padStart(5)} live ${share.padStart(8)}  ${file}`;
			})
			.join("\n");
	}
}

const NONE: Count = { mutants: 0, killed: 0, survived: 0 };
const sum = (counts: readonly Count[]): Count =>
	counts.reduce((a, b) => ({ mutants: a.mutants + b.mutants, killed: a.killed + b.killed, survived: a.survived + b.survived }), NONE);
