// What each test reaches and how long it takes, of a set of files of tests. Counting is slow, so what was counted is kept until the code or the file of tests changes.
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Loaded } from "./mutants.child.ts";
import { type Answer, Worker } from "./worker.ts";

const root = join(import.meta.dirname, "..", "..");
const KEPT = join(root, "tools", "mutants", "node_modules", ".counts");

export interface Counts {
	/** In the order of the files. */
	readonly tests: Loaded["tests"];
	/** Mutants that are reached while modules load. */
	readonly atLoad: ReadonlySet<string>;
}

interface Where {
	/** The mutants with and without counters. */
	readonly counting: string;
	readonly overlay: string;
	readonly temporary: string;
	readonly say: (text: string) => void;
}

export async function countsOf(files: readonly string[], where: Where): Promise<Counts> {
	const code = hash(readFileSync(where.counting, "utf8"));
	const place = (file: string): string => join(KEPT, `${hash(`${code} ${file} ${readFileSync(join(root, file), "utf8")}`)}.json`);
	const missing = files.filter((file) => !existsSync(place(file)));
	mkdirSync(KEPT, { recursive: true });
	// A few files a process: what one of them leaves in memory slows the others down.
	for (let i = 0; i < missing.length; i += 20) {
		const some = missing.slice(i, i + 20);
		where.say(`counting what tests reach: ${missing.length - i} files to go`);
		const reached = await runAll(some, where.counting, where.temporary);
		const timed = await runAll(some, where.overlay, where.temporary);
		for (const file of some) {
			const tests = reached.tests
				.map((test, n) => ({ ...test, ms: timed.tests[n]?.ms ?? test.ms, reached: test.reached }))
				.filter((test) => test.file === file);
			writeFileSync(place(file), JSON.stringify({ tests, atLoad: reached.atLoad } satisfies Loaded));
		}
	}
	const all = files.map((file) => JSON.parse(readFileSync(place(file), "utf8")) as Loaded);
	return { tests: all.flatMap(({ tests }) => tests), atLoad: new Set(all.flatMap(({ atLoad }) => atLoad)) };
}

async function runAll(files: readonly string[], overlay: string, temporary: string): Promise<Loaded> {
	const worker = new Worker({ overlay, temporary });
	const loaded = green(await worker.load(files), files);
	await worker.end();
	return loaded;
}

function green(loaded: Answer<Loaded>, files: readonly string[]): Loaded {
	if (loaded === "gone") throw new Error(`the tests could not be loaded: ${files.join(" ")}`);
	// A test that runs nothing of the code here starts a pawl, for which more would have to be set up.
	const red = loaded.tests.filter(({ failure, reached }) => failure !== null && Object.keys(reached).length > 0);
	if (red.length > 0) throw new Error(red.map(({ file, name, failure }) => `${file}: ${name}: without a mutant: ${failure}`).join("\n"));
	return loaded;
}

const hash = (text: string): string => createHash("sha256").update(text).digest("hex").slice(0, 16);
