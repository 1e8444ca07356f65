// Puts every mutant of some files into their text at once, each behind a switch (`globalThis.__stryker__.activeMutant`), with StrykerJS's
// instrumenter. It is no dependency of the package: `tools/mutants` has it, and installs it when it is first needed.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const root = join(import.meta.dirname, "..", "..");
const tools = join(root, "tools", "mutants");

export interface Mutant {
	readonly id: string;
	/** From the root. */
	readonly file: string;
	/** From 1. */
	readonly line: number;
	readonly column: number;
	readonly kind: string;
	readonly original: string;
	readonly replacement: string;
}

export interface Instrumented {
	/** By path from the root. */
	readonly texts: Readonly<Record<string, string>>;
	readonly mutants: readonly Mutant[];
}

interface Position {
	readonly line: number;
	readonly column: number;
}

/** As much of the instrumenter as is used here. */
interface Library {
	readonly Instrumenter: new (
		logger: Record<string, () => unknown>,
	) => {
		instrument(
			files: readonly { readonly name: string; readonly mutate: true; readonly content: string }[],
			options: object,
		): Promise<{
			readonly files: readonly { readonly name: string; readonly content: string }[];
			readonly mutants: readonly {
				readonly id: string;
				readonly fileName: string;
				readonly mutatorName: string;
				readonly replacement: string;
				readonly location: { readonly start: Position; readonly end: Position };
			}[];
		}>;
	};
}

const ENTRY = join(tools, "node_modules", "@stryker-mutator", "instrumenter", "dist", "src", "index.js");

/** Installs the packages where they are missing; why that cannot be done, or null. */
export function whyNoTools(): string | null {
	if (existsSync(ENTRY)) return null;
	try {
		execFileSync("npm", ["ci", "--no-audit", "--no-fund"], { cwd: tools, stdio: ["ignore", "ignore", "pipe"], timeout: 300_000 });
		return null;
	} catch (error) {
		return `the packages of tools/mutants cannot be installed: ${error instanceof Error ? error.message.split("\n").slice(0, 3).join(" ") : error}`;
	}
}

export async function instrument(files: readonly string[]): Promise<Instrumented> {
	const { Instrumenter } = (await import(pathToFileURL(ENTRY).href)) as Library;
	const silent = { debug: () => {}, info: () => {}, warn: () => {}, trace: () => {}, error: () => {}, isDebugEnabled: () => false };
	const original = new Map(files.map((file) => [file, readFileSync(join(root, file), "utf8")]));
	const { files: made, mutants } = await new Instrumenter(silent).instrument(
		[...original].map(([name, content]) => ({ name, content, mutate: true })),
		{ plugins: null, excludedMutations: [], ignorers: [] },
	);
	return {
		texts: Object.fromEntries(made.map(({ name, content }) => [name, content])),
		mutants: mutants.map(({ id, fileName, mutatorName, replacement, location: { start, end } }) => ({
			id,
			file: fileName,
			line: start.line + 1,
			column: start.column + 1,
			kind: mutatorName,
			original: between(original.get(fileName) ?? "", start, end),
			replacement,
		})),
	};
}

/** Lines and columns count from 0. */
function between(text: string, start: Position, end: Position): string {
	const lines = text.split("\n").slice(start.line, end.line + 1);
	const last = lines.length - 1;
	return lines.map((line, i) => line.slice(i === 0 ? start.column : 0, i === last ? end.column : undefined)).join("\n");
}
