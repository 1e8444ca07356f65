// A process that runs tests for mutants: `node mutants.child.ts OVERLAY.json [MUTANT]`. With a mutant it is active from the start, as code that runs while
// modules load needs it. It answers each order with one message.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Collected } from "./collected.ts";
import { lay } from "./overlay.ts";

export type Order =
	/** Loads files of tests. */
	| { readonly do: "open"; readonly files: readonly string[] }
	/** Loads files of tests, runs each test and says what it reached. */
	| { readonly do: "load"; readonly files: readonly string[] }
	/** Runs these tests with a mutant until one fails. */
	| { readonly do: "try"; readonly mutant: string; readonly tests: readonly number[]; readonly most: number }
	/** Loads files of tests one after the other and runs some of their tests, by number, until one fails. */
	| { readonly do: "each"; readonly files: readonly { readonly file: string; readonly tests: readonly number[] }[] }
	| { readonly do: "end" };

export interface Loaded {
	readonly tests: readonly {
		readonly file: string;
		readonly name: string;
		readonly ms: number;
		readonly failure: string | null;
		/** Mutant → how often it was reached. */
		readonly reached: Readonly<Record<string, number>>;
	}[];
	/** Mutants that were reached while modules loaded. */
	readonly atLoad: readonly string[];
}

/** Before each test of a mutant: its number. */
export interface Begins {
	readonly begins: number;
}

/** `by` is the test that failed, or the file that could not be loaded. */
export interface Tried {
	readonly by: string | null;
}

interface Switch {
	activeMutant?: string | undefined;
	currentTestId?: string | undefined;
	hitCount?: number | undefined;
	hitLimit?: number | undefined;
	mutantCoverage?: { readonly static: Record<string, number>; readonly perTest: Record<string, Record<string, number>> };
}

const root = join(import.meta.dirname, "..", "..");
const [overlay = "", mutant] = process.argv.slice(2);
const state: Switch = {};
(globalThis as unknown as { __stryker__: Switch }).__stryker__ = state;
if (mutant !== undefined) state.activeMutant = mutant;
const here = (name: string): string => join(import.meta.dirname, name);
lay({
	texts: JSON.parse(readFileSync(overlay, "utf8")) as Record<string, string>,
	instead: { "node:test": here("collected.ts"), "node:assert/strict": here("quick-assert.ts") },
});
const { collect, cleanUp } = await import("./collected.ts");
// The first counter-example is enough. A process for one mutant may never need the library.
if (mutant === undefined) (await import("fast-check")).default.configureGlobal({ endOnFailure: true });

const tests: Collected[] = [];
const told = (e: unknown): string => (e instanceof Error ? `${e.message}\n${e.stack ?? ""}` : String(e));
const loadFile = (file: string): Promise<readonly Collected[]> => collect(file, () => import(pathToFileURL(join(root, file)).href));
const nameOf = ({ file, name }: Collected): string => `${file}: ${name}`;
// A mutant may leave a promise that nobody awaits; the test that should notice is still to come.
let stray = 0;
process.on("unhandledRejection", () => void stray++);
process.on("uncaughtException", () => void stray++);

async function fails(one: Collected): Promise<string | null> {
	const before = stray;
	try {
		await one.run();
		return stray > before ? "something failed outside of the test" : null;
	} catch (e) {
		return told(e);
	}
}

async function open(files: readonly string[]): Promise<Tried> {
	for (const file of files) tests.push(...(await loadFile(file)));
	return { by: null };
}

async function load(files: readonly string[]): Promise<Loaded> {
	await open(files);
	const atLoad = Object.keys(state.mutantCoverage?.static ?? {});
	const ran = [];
	for (const [i, one] of tests.entries()) {
		state.currentTestId = String(i + 1);
		const before = process.cpuUsage();
		const failure = await fails(one);
		state.currentTestId = undefined;
		const used = process.cpuUsage(before);
		const reached = state.mutantCoverage?.perTest[String(i + 1)] ?? {};
		ran.push({ file: one.file, name: one.name, ms: (used.user + used.system) / 1000, failure, reached });
	}
	return { tests: ran, atLoad };
}

async function attempt(order: Extract<Order, { do: "try" }>): Promise<Tried> {
	Object.assign(state, { activeMutant: order.mutant, hitCount: 0, hitLimit: order.most });
	try {
		for (const i of order.tests) {
			const one = tests[i];
			process.send?.({ begins: i } satisfies Begins);
			if (one !== undefined && (await fails(one)) !== null) return { by: nameOf(one) };
		}
		return { by: null };
	} finally {
		Object.assign(state, { activeMutant: undefined, hitCount: undefined, hitLimit: undefined });
	}
}

async function each(files: Extract<Order, { do: "each" }>["files"]): Promise<Tried> {
	for (const { file, tests: wanted } of files) {
		let loaded: readonly Collected[];
		try {
			loaded = await loadFile(file);
		} catch {
			return { by: file };
		}
		for (const [i, one] of loaded.entries()) if (wanted.includes(i) && (await fails(one)) !== null) return { by: nameOf(one) };
	}
	return { by: null };
}

async function answer(order: Order): Promise<Loaded | Tried> {
	if (order.do === "open") return await open(order.files);
	if (order.do === "load") return await load(order.files);
	if (order.do === "try") return await attempt(order);
	if (order.do === "each") return await each(order.files);
	await cleanUp().catch(() => {});
	process.exit(0);
}

process.on("disconnect", () => process.exit(1));
process.on("message", (order: Order) => void answer(order).then((made) => process.send?.(made)));
process.send?.("ready");
