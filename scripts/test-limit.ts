// Ends files of tests that hang. node's own limit fails the tests of such a file, but only asks its process to end, and then waits for as long as any
// process holds the file's output. Reads /proc; elsewhere it does nothing.
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { basename } from "node:path";

const LOOK_MS = 1_000;

/** Looks at the processes that this one has started until the process ends; each may run for so long. */
export function endLateFiles(limitMs: number, say: (text: string) => void): void {
	const since = new Map<number, number>();
	const look = (): void => {
		const now = performance.now();
		const running = childrenOf(process.pid);
		for (const pid of [...since.keys()]) if (!running.includes(pid)) since.delete(pid);
		for (const pid of running) {
			const began = since.get(pid) ?? now;
			since.set(pid, began);
			if (now - began < limitMs) continue;
			say(`${fileOf(pid)} hangs: killed after ${Math.round((now - began) / 1000)} s`);
			for (const one of sharingOutput(pid)) kill(one);
		}
	};
	setInterval(look, LOOK_MS).unref();
}

function childrenOf(pid: number): number[] {
	try {
		return readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ").filter(Boolean).map(Number);
	} catch {
		return [];
	}
}

const fileOf = (pid: number): string => basename(readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0").filter(Boolean).at(-1) ?? "");

/** The process, and what holds its output open, whoever its parent is by now. */
function sharingOutput(pid: number): number[] {
	const outputs = new Set([1, 2].map((n) => linkOf(`/proc/${pid}/fd/${n}`)).filter((link) => /^(pipe|socket):/.test(link ?? "")));
	const others = readdirSync("/proc")
		.map(Number)
		.filter((other) => other > 0 && other !== process.pid && [1, 2].some((n) => outputs.has(linkOf(`/proc/${other}/fd/${n}`))));
	return [...new Set([pid, ...others])];
}

function linkOf(path: string): string | undefined {
	try {
		return readlinkSync(path);
	} catch {
		return undefined;
	}
}

function kill(pid: number): void {
	try {
		process.kill(pid, "SIGKILL");
	} catch {
		// It has ended by itself.
	}
}
