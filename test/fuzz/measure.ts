// How long one text takes, by the CPU time of this thread: other work on the machine does not count, except that it makes the CPU slower. So a text that
// takes too long is tried again, and its quickest time counts.
import { spawn } from "node:child_process";
import { join } from "node:path";
import type { Shape } from "./shapes.ts";
import type { Target } from "./target.ts";

/** For a megabyte and one reader. */
const LIMIT_MS = 50;
export const LIMIT_BYTES = 64 * 1024 * 1024;

export const limitOf = ({ readers = 1, limitMs = LIMIT_MS }: Pick<Target, "readers" | "limitMs">): number => readers * limitMs;

const TRIES = 6;

const cpuMs = (): number => {
	const { user, system } = process.threadCpuUsage();
	return (user + system) / 1000;
};

export interface Measured {
	readonly ms: number;
	/** At most: what was allocated and not collected meanwhile. */
	readonly bytes: number;
}

/** Stops as soon as a try is within the limit, or hopelessly above it. */
export async function measure(target: Target, text: string, limitMs: number, onTry: () => void = () => {}): Promise<Measured> {
	let best: Measured = { ms: Number.POSITIVE_INFINITY, bytes: Number.POSITIVE_INFINITY };
	for (let n = 0; n < TRIES && best.ms > limitMs; n++) {
		onTry();
		const heap = process.memoryUsage().heapUsed;
		const from = cpuMs();
		await target.run(text);
		const ms = cpuMs() - from;
		best = { ms: Math.min(best.ms, ms), bytes: Math.min(best.bytes, Math.max(0, process.memoryUsage().heapUsed - heap)) };
		if (ms > 20 * limitMs) break;
	}
	return best;
}

/** What the readers themselves take, loaded and compiled, with room for the text. */
const LOADED_MB = 96;

/** What was allocated is only an upper bound of what was needed: this runs it once more, in a heap that has no room for more than is allowed. */
export function needsMore(target: string, shape: Shape): Promise<boolean> {
	const limit = `--max-old-space-size=${LOADED_MB + LIMIT_BYTES / 1024 / 1024}`;
	const child = spawn(process.execPath, [limit, join(import.meta.dirname, "memory.child.ts")], { stdio: ["pipe", "ignore", "ignore"] });
	child.stdin.on("error", () => {});
	child.stdin.end(JSON.stringify({ target, shape }));
	// V8 aborts where there is no more room; what the target throws has been told already.
	return new Promise((resolve) => child.once("close", (code, signal) => resolve(signal === "SIGABRT" || code === 134)));
}
