// Fuzzes one target for a while: a part of the time with coverage, to learn which texts lead further, the rest at full speed with what was learned; and large
// shapes one after the other. What happens follows from the seed and from how often it was called.
import { type Chance, chance, seedOf } from "./chance.ts";
import { corpusOf } from "./corpus.ts";
import type { Coverage } from "./coverage.ts";
import { LIMIT_BYTES, limitOf, measure, needsMore } from "./measure.ts";
import { minimised } from "./minimise.ts";
import { mutate } from "./mutate.ts";
import { type Shape, scaled, shapesOf, textOf } from "./shapes.ts";
import type { Target, Violation } from "./target.ts";

const BATCH = 40;
const MOST_KNOWN = 400;
const BUSY = 4;
/** Four times the text, and some room; what is quadratic takes sixteen times as long. */
const LINEAR = 8;
/** Violations of one target that are told; one fault shows itself in many texts. */
const MOST_TOLD = 5;

/** Told what is about to run, so that somebody can say it if it never ends. */
export type Watch = (target: string, input: string) => void;

export class FuzzTarget {
	executions = 0;
	readonly violations: Violation[] = [];
	readonly target: Target;
	private readonly seed: number;
	private readonly luck: Chance;
	private readonly known: string[];
	private readonly shapes: Shape[];
	private readonly watch: Watch;

	constructor(target: Target, seed: number, watch: Watch = () => {}) {
		this.target = target;
		this.seed = seed;
		this.watch = watch;
		this.luck = chance(seedOf(seed, target.name));
		const { texts, shapes } = corpusOf(target.corpus ?? target.name);
		this.known = texts.length === 0 ? [""] : [...texts];
		this.shapes = [...shapes, ...shuffled(shapesOf(target, texts), this.luck)];
	}

	get told(): boolean {
		return this.violations.length >= MOST_TOLD;
	}

	/** Texts at full speed, until this many milliseconds are over. */
	async mutations(ms: number, most = Number.POSITIVE_INFINITY): Promise<void> {
		const until = performance.now() + ms;
		for (let left = most; left > 0 && !this.told && performance.now() < until; left -= BATCH)
			for (let n = 0; n < Math.min(BATCH, left); n++) await this.one(this.next());
	}

	/** Batches with coverage: a text that reaches something new joins those that are changed. */
	async guided(ms: number, coverage: Coverage): Promise<void> {
		const until = performance.now() + ms;
		while (!this.told && performance.now() < until) {
			const batch = Array.from({ length: BATCH }, () => this.next());
			for (const text of batch) await this.one(text);
			const fresh = coverage.fresh();
			if (fresh.length === 0) continue;
			for (const text of batch) {
				await this.one(text);
				const reached = coverage.fresh();
				if (reached.length > 0 && this.known.length < MOST_KNOWN) this.known.push(text);
				coverage.learn(reached);
			}
			coverage.learn(fresh);
		}
	}

	/** The next large shapes, each within the limits of time and memory. */
	async large(ms: number): Promise<void> {
		const until = performance.now() + ms;
		for (let shape = this.shapes.shift(); shape !== undefined && !this.told; shape = this.shapes.shift()) {
			const wrong = await this.tryShape(shape);
			if (wrong !== null) this.violations.push({ target: this.target.name, seed: this.seed, message: wrong, input: JSON.stringify(shape) });
			if (performance.now() >= until) break;
		}
	}

	/** What is wrong with how the target takes this shape, or null. */
	async tryShape(shape: Shape, limitMs = limitOf(this.target), checksMemory = true): Promise<string | null> {
		const text = textOf(shape);
		// Each try counts for itself: six of them on a busy machine look like a hang.
		const onTry = () => this.watch(this.target.name, JSON.stringify(shape));
		this.executions++;
		try {
			const { ms, bytes } = await measure(this.target, text, limitMs, onTry);
			if (ms > limitMs && !(await this.isLinear(shape, ms, limitMs)))
				return `${shape.name}: ${ms.toFixed(0)} ms for ${text.length} characters; ${limitMs} are allowed`;
			const isTooMuch = checksMemory && bytes > LIMIT_BYTES && (await needsMore(this.target.name, shape));
			return isTooMuch ? `${shape.name}: more than ${LIMIT_BYTES} bytes of memory for ${text.length} characters` : null;
		} catch (error) {
			return `${shape.name}: ${messageOf(error)}`;
		}
	}

	/** A machine that is slow or busy takes a few times as long; a quarter of the text takes a quarter of that. */
	private async isLinear(shape: Shape, ms: number, limitMs: number): Promise<boolean> {
		if (ms > BUSY * limitMs) return false;
		const onTry = () => this.watch(this.target.name, JSON.stringify(scaled(shape, 0.25)));
		const quarter = await measure(this.target, textOf(scaled(shape, 0.25)), 0, onTry);
		return ms < LINEAR * quarter.ms;
	}

	/** What is wrong with how the target takes this text, or null. */
	async tryText(text: string): Promise<string | null> {
		this.watch(this.target.name, text);
		this.executions++;
		try {
			const done = this.target.run(text);
			if (done !== undefined) await done;
			return null;
		} catch (error) {
			return messageOf(error);
		}
	}

	private next(): string {
		return mutate(this.luck, this.luck.pick(this.known), this.known, this.target.words);
	}

	private async one(text: string): Promise<void> {
		const wrong = await this.tryText(text);
		if (wrong === null) return;
		const kind = kindOf(wrong);
		if (this.violations.some((other) => kindOf(other.message) === kind)) return;
		const input = await minimised(text, async (smaller) => kindOf((await this.tryText(smaller)) ?? "") === kind);
		this.violations.push({ target: this.target.name, seed: this.seed, message: wrong, input });
	}
}

function messageOf(error: unknown): string {
	if (!(error instanceof Error)) return `threw ${String(error)}`;
	const place = error.stack?.split("\n").find((line) => line.includes("/src/")) ?? "";
	return `${error.name}: ${error.message.slice(0, 500)}${place === "" ? "" : ` (${place.trim().replace(/\(?file:.*\/src\//, "src/")})`}`;
}

/** The same fault has the same kind in every text. */
const kindOf = (message: string): string => (message.split("\n")[0] ?? "").replaceAll(/\d+/g, "").slice(0, 80);

function shuffled<T>(list: readonly T[], luck: Chance): T[] {
	const all = [...list];
	for (let at = all.length - 1; at > 0; at--) {
		const other = luck.below(at + 1);
		[all[at], all[other]] = [all[other] as T, all[at] as T];
	}
	return all;
}
