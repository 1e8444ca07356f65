// Whether a process hangs, told by what it did, not by the clock on the wall: on a busy machine a healthy one may get no time for seconds.
import type { ChildProcess } from "node:child_process";
import { readFileSync } from "node:fs";

const TICK_MS = 10;
const LOOK_MS = 500;
// How long a process may wait for nothing. Nothing that it runs waits for long.
const IDLE_LOOKS = 60;

interface Used {
	readonly ms: number;
	readonly sleeps: boolean;
}

/** Null where the system does not say. */
function used(pid: number): Used | null {
	try {
		const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ") ?? [];
		return { ms: (Number(fields[11]) + Number(fields[12])) * TICK_MS, sleeps: fields[0] === "S" };
	} catch {
		return null;
	}
}

/** Kills a process that uses more time of the processor than this, or none for long; call what it returns when the answer has come. */
export function killIfItHangs(child: ChildProcess, ms: number): () => void {
	const start = used(child.pid ?? 0)?.ms ?? 0;
	const begun = Date.now();
	let [idle, last] = [0, start];
	const timer = setInterval(() => {
		const now = used(child.pid ?? 0);
		const spent = now === null ? (Date.now() - begun) / 4 : now.ms - start;
		idle = now?.sleeps && now.ms === last ? idle + 1 : 0;
		last = now?.ms ?? last;
		if (spent > ms || idle > IDLE_LOOKS) child.kill("SIGKILL");
	}, LOOK_MS);
	return () => clearInterval(timer);
}
