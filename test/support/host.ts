// Commands of pawl in processes that are there already (host.child.ts). Nothing that a process remembers may help the next command in the
// same folder: unless it only looks, it goes to a process that has not worked there, or not for the last few commands.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { after } from "node:test";
import { builtOr, PACKAGE } from "./bin.ts";
import type { Job, Said } from "./host.child.ts";

interface Host {
	readonly child: ChildProcess;
	/** Folder → the how-many-th of all commands was the last one there. */
	readonly workedIn: Map<string, number>;
	busy: boolean;
}

export interface HostEnded {
	readonly code: number | null;
	readonly signal: NodeJS.Signals | null;
	readonly stdout: string;
	readonly stderr: string;
}

/** They change nothing, so it does not matter who carries them out. */
const LOOKING = new Set(["--help", "--version", "history", "logs", "runs", "status"]);

const ENOUGH = 2;

const hosts = new Set<Host>();
let commands = 0;
after(async () => {
	for (const { child, busy } of [...hosts]) {
		const gone = once(child, "exit");
		child.ref();
		if (busy) end(child);
		else child.disconnect();
		await gone;
	}
});

const program = builtOr("host.cjs", "test/support/host.child.ts");

function startHost(): Host {
	const child = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", program, join(PACKAGE, "bin", "start.cjs")], {
		stdio: ["ignore", "inherit", "inherit", "ipc"],
		detached: true,
	});
	const host = { child, workedIn: new Map<string, number>(), busy: false };
	hosts.add(host);
	child.once("exit", () => hosts.delete(host));
	return host;
}

function end(child: ChildProcess): void {
	try {
		if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
	} catch {
		// It has ended.
	}
}

function hostFor(cwd: string, looks: boolean): Host {
	const idle = [...hosts].filter((host) => !host.busy);
	const fresh = idle.find((host) => looks || !host.workedIn.has(cwd));
	if (fresh !== undefined || hosts.size < ENOUGH) return fresh ?? startHost();
	const last = Math.max(...[...hosts].map((host) => order(host, cwd)));
	const [oldest] = idle.filter((host) => host.workedIn.get(cwd) !== last).sort((a, b) => order(a, cwd) - order(b, cwd));
	return oldest ?? startHost();
}

const order = (host: Host, cwd: string): number => host.workedIn.get(cwd) ?? 0;

/** In a process that may carry it out; ends with that process if it dies of it. */
export function hosted(job: Job, longestMs: number): Promise<HostEnded> {
	const looks = LOOKING.has(job.args[0] ?? "");
	const host = hostFor(job.cwd, looks);
	const { child } = host;
	host.busy = true;
	if (!looks) host.workedIn.set(job.cwd, ++commands);
	child.ref();
	child.channel?.ref();
	const timer = setTimeout(() => end(child), longestMs);
	const parts = { stdout: "", stderr: "" };
	return new Promise((resolve) => {
		const over = (code: number | null, signal: NodeJS.Signals | null): void => {
			clearTimeout(timer);
			child.off("message", heard).off("exit", over);
			child.unref();
			child.channel?.unref();
			host.busy = false;
			resolve({ code, signal, ...parts });
		};
		const heard = (said: Said): void => {
			if ("code" in said) return over(said.code, null);
			parts.stdout += "stdout" in said ? said.stdout : "";
			parts.stderr += "stderr" in said ? said.stderr : "";
		};
		child.on("message", heard).once("exit", over);
		child.send(job);
	});
}
