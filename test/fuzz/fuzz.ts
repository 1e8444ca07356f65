// Fuzzes every reader of foreign text for as long as it is given: `npm run fuzz`, and a part of `npm run prove`.
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { keep } from "./corpus.ts";
import type { Violation } from "./target.ts";
import { TARGETS } from "./targets.ts";

export interface FuzzOptions {
	readonly seed: number;
	readonly minutes: number;
	/** All of them, unless some are named. */
	readonly targets?: readonly string[];
	readonly onProgress?: (line: string) => void;
	/** Keep findings in the corpus, where the tests replay them. */
	readonly save?: boolean;
}

export interface Fuzzed {
	readonly what: string;
	readonly executions: number;
	readonly violations: readonly Violation[];
	readonly seconds: number;
	readonly byTarget: Readonly<Record<string, number>>;
}

/** What the thread is given, and what it says after each slice. */
export interface FuzzWork {
	readonly seed: number;
	readonly minutes: number;
	readonly names: readonly string[];
	readonly shared: SharedArrayBuffer;
}
export interface FuzzMessage {
	readonly target: string;
	readonly executions: number;
	readonly violations: readonly Violation[];
}

/** Of the processor, not of the clock on the wall: a busy machine may give a healthy thread nothing for minutes. No text of ours takes a fraction of this. */
const HANGS_MS = 60_000;
/** What waits for ever takes no time of the processor. */
const WAITS_MS = 20 * HANGS_MS;
const LOOK_MS = 500;
const SHARED_BYTES = 64 * 1024;

export async function fuzz({ seed, minutes, targets, onProgress = () => {}, save = false }: FuzzOptions): Promise<Fuzzed> {
	const began = performance.now();
	const until = began + minutes * 60_000;
	const all = TARGETS.map(({ name }) => name);
	let names = targets === undefined ? all : all.filter((name) => targets.includes(name));
	if (names.length === 0) throw new Error(`no such target; there are ${all.join(", ")}`);
	const count = names.length;
	const violations: Violation[] = [];
	const byTarget: Record<string, number> = {};
	const take = ({ target, executions, violations: found }: FuzzMessage): void => {
		byTarget[target] = (byTarget[target] ?? 0) + executions;
		for (const one of found) {
			violations.push(one);
			const kept = save ? ` (kept as ${keep(target, one.input, one.input.startsWith('{"name":'))})` : "";
			onProgress(`VIOLATION ${one.target} seed ${one.seed}: ${one.message}${kept}`);
		}
		onProgress(lineOf(byTarget, violations, performance.now() - began));
	};
	// A thread that hangs is ended, and the others targets go on in a new one.
	while (names.length > 0 && performance.now() < until) {
		const hung = await watched({ seed, names, minutes: (until - performance.now()) / 60_000 }, take);
		if (hung === null) break;
		take({ target: hung.target, executions: 1, violations: [{ ...hung, seed }] });
		names = names.filter((name) => name !== hung.target);
	}
	const executions = Object.values(byTarget).reduce((sum, one) => sum + one, 0);
	return { what: `readers fuzzed: ${count}`, executions, violations, seconds: (performance.now() - began) / 1000, byTarget };
}

const lineOf = (byTarget: Readonly<Record<string, number>>, violations: readonly Violation[], ms: number): string => {
	const executions = Object.values(byTarget).reduce((sum, one) => sum + one, 0);
	return `fuzz: ${executions} executions, ${Math.round((executions / Math.max(1, ms)) * 1000)} a second, ${violations.length} violations`;
};

/** null: it came to its end. */
function watched(work: Omit<FuzzWork, "shared">, take: (message: FuzzMessage) => void): Promise<Omit<Violation, "seed"> | null> {
	const shared = new SharedArrayBuffer(SHARED_BYTES);
	const place = Buffer.from(shared);
	const worker = new Worker(join(import.meta.dirname, "fuzz.child.ts"), { workerData: { ...work, shared } satisfies FuzzWork });
	const now = (): Omit<Violation, "message" | "seed"> => ({
		target: place.toString("utf8", 4, 44).replaceAll("\0", ""),
		input: place.toString("utf8", 52, 52 + place.readInt32LE(44)),
	});
	return new Promise((resolve) => {
		let count = -1;
		let since = { at: performance.now(), used: process.cpuUsage() };
		const timer = setInterval(() => {
			const seen = place.readInt32LE(0);
			if (seen !== count) [count, since] = [seen, { at: performance.now(), used: process.cpuUsage() }];
			const { user, system } = process.cpuUsage(since.used);
			const isHung = (user + system) / 1000 > HANGS_MS || performance.now() - since.at > WAITS_MS;
			// Before the first text it loads the program.
			if (count > 0 && isHung) end({ ...now(), message: `it did not end in ${HANGS_MS / 1000} s` });
		}, LOOK_MS);
		const end = (violation: Omit<Violation, "seed"> | null): void => {
			clearInterval(timer);
			worker.removeAllListeners();
			worker.terminate().then(
				() => resolve(violation),
				() => resolve(violation),
			);
		};
		worker.on("message", take);
		worker.on("error", (error) => end({ ...now(), message: `the thread ended: ${error.message}` }));
		worker.on("exit", () => end(null));
	});
}
