// One pass over mutants: which of them does some test notice? A mutant is one small change of the code (`<` to `<=`, a condition to `true`, a text to an empty one).
// A mutant that no test notices is a missing test or code that nobody needs.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Counts, countsOf } from "./counts.ts";
import { instrument, type Mutant } from "./instrument.ts";
import { type Fresh, testsNear, users } from "./near.ts";
import { Worker } from "./worker.ts";

export interface Verdict {
	readonly mutant: Mutant;
	/** The test that failed; `gone` if the process died or hung; null if nothing noticed. */
	readonly by: string | null;
	/** Some test runs the code. */
	readonly reached: boolean;
}

export interface Pass {
	readonly code: readonly string[];
	/** Asked one after the other, each for the mutants that the ones before let live. */
	readonly tests: readonly (readonly string[])[];
	readonly chosen: (mutants: readonly Mutant[]) => readonly Mutant[];
	readonly onVerdict: (verdict: Verdict, toGo: number) => void;
	readonly until?: number;
	readonly say: (text: string) => void;
}

// How much time of the processor a test may take with a mutant: a hang is noticed too.
const SLACK_MS = 4_000;
const FACTOR = 5;
// Of the tests that run a mutant some are asked, as far as they take no longer together than this.
const MOST_MS = 4_000;
/** Lines before and after a mutant. */
const AROUND = 12;
/** Takes most of the time of such code, and is needed once. */
const COUNTING = /\bstryCov_9fa48\([^()]*\)(?! *\{)/g;

interface Tier {
	readonly files: readonly string[];
	/** With their mutants, without counters. */
	readonly texts: Readonly<Record<string, string>>;
	readonly all: readonly Mutant[];
	readonly counting: string;
	readonly overlay: string;
	readonly temporary: string;
	readonly until: number;
	readonly last: boolean;
	readonly say: Pass["say"];
	readonly onVerdict: Pass["onVerdict"];
}

export async function mutate({ code, tests, chosen, onVerdict, say, until = Number.POSITIVE_INFINITY }: Pass): Promise<void> {
	const { texts: counted, mutants } = await instrument(code);
	const texts = Object.fromEntries(Object.entries(counted).map(([file, text]) => [file, text.replaceAll(COUNTING, "0")]));
	const temporary = mkdtempSync(join(tmpdir(), "pawl-mutants-"));
	const [overlay, counting] = [join(temporary, "overlay.json"), join(temporary, "counting.json")];
	try {
		writeFileSync(overlay, JSON.stringify(texts));
		writeFileSync(counting, JSON.stringify(counted));
		let open = chosen(mutants);
		for (const [i, files] of tests.entries()) {
			const last = i === tests.length - 1;
			if (open.length > 0 && Date.now() < until)
				open = await judge(open, { files, texts, all: mutants, counting, overlay, temporary, until, last, say, onVerdict });
		}
	} finally {
		rmSync(temporary, { recursive: true, force: true, maxRetries: 3 });
	}
}

/** The mutants that these tests let live. */
async function judge(open: readonly Mutant[], tier: Tier): Promise<readonly Mutant[]> {
	const counts = await countsOf(tier.files, tier);
	tier.say(`${open.length} mutants, ${counts.tests.length} tests`);
	const byId = new Map(tier.all.map((mutant) => [mutant.id, mutant]));
	const warm = new Warm(tier);
	const live: Mutant[] = [];
	const withTests = open.map((mutant) => ({ mutant, covering: coveringTests(counts, mutant, tier.all) }));
	// Those that need a process of their own come last.
	withTests.sort((a, b) => Number(a.covering.tests.length === 0) - Number(b.covering.tests.length === 0));
	for (const [i, { mutant, covering }] of withTests.entries()) {
		if (Date.now() > tier.until) break;
		const reached = covering.tests.length > 0 || counts.atLoad.has(mutant.id);
		let by: string | null = null;
		if (covering.tests.length > 0) by = await warm.attempt(mutant, covering, counts);
		else if (reached) by = await inFreshProcess(mutant, testsNear(mutant, counts, users(mutant.file, tier.texts), byId), tier);
		if (by === null) live.push(mutant);
		if (by !== null || tier.last) tier.onVerdict({ mutant, by, reached }, open.length - i - 1);
	}
	await warm.end();
	return live;
}

interface Covering {
	readonly tests: readonly number[];
	readonly hits: number;
}

/** First those that together run the most of the code around the mutant: they go both ways at a condition. Then the quick ones. */
function coveringTests({ tests }: Counts, { id, file, line }: Mutant, all: readonly Mutant[]): Covering {
	const covering = tests.map((test, i) => ({ ...test, i })).filter(({ reached }) => (reached[id] ?? 0) > 0);
	covering.sort((a, b) => a.ms - b.ms);
	const around = new Set(all.filter((other) => other.file === file && Math.abs(other.line - line) <= AROUND).map((other) => other.id));
	const wide = covering.filter(({ reached }) => {
		const more = [...around].filter((other) => other in reached);
		for (const other of more) around.delete(other);
		return more.length > 0;
	});
	let total = 0;
	const some = [...new Set([...wide.reverse(), ...covering])].filter(({ ms }, i) => {
		total += ms;
		return i === 0 || total < MOST_MS;
	});
	return { tests: some.map(({ i }) => i), hits: some.reduce((sum, { reached }) => sum + (reached[id] ?? 0), 0) };
}

/** The process that has all tests loaded. It is replaced when a mutant ended it. */
class Warm {
	readonly #tier: Tier;
	#worker: Worker | null = null;

	constructor(tier: Tier) {
		this.#tier = tier;
	}

	async attempt({ id }: Mutant, { tests, hits }: Covering, counts: Counts): Promise<string | null> {
		if (this.#worker === null) {
			this.#worker = new Worker(this.#tier);
			if ((await this.#worker.open(this.#tier.files)) === "gone") throw new Error("the tests could not be loaded");
		}
		const within = (test: number): number => (counts.tests[test]?.ms ?? 0) * FACTOR + SLACK_MS;
		const answer = await this.#worker.attempt({ mutant: id, tests, most: hits * 100 + 1000 }, within);
		if (answer !== "gone") return answer.by;
		this.#worker = null;
		return "gone";
	}

	async end(): Promise<void> {
		await this.#worker?.end();
	}
}

async function inFreshProcess(mutant: Mutant, tests: Fresh, { temporary, texts }: Tier): Promise<string | null> {
	if (tests.length === 0) return null;
	// The other files as they are: they load in less time.
	const overlay = join(temporary, "fresh.json");
	writeFileSync(overlay, JSON.stringify({ [mutant.file]: texts[mutant.file] }));
	const worker = new Worker({ overlay, temporary, mutant: mutant.id });
	const answer = await worker.each(tests, MOST_MS * FACTOR + SLACK_MS);
	await worker.end();
	return answer === "gone" ? "gone" : answer.by;
}
