// A pid namespace around a command: when its first process ends, the kernel ends all others, whatever they did to hide.
// That first process is a small shell, because a program in its place would not get default signals, nor reap orphans.
// Measured: 2.7 ms more than a bare spawn.
import { type ChildProcess, spawn } from "node:child_process";
import { Writable } from "node:stream";
import { findExecutable } from "./command-line.ts";
import { has } from "./system.ts";

export type Isolation = "bwrap" | "unshare" | "none";

export interface CommandLine {
	readonly command: string;
	readonly args: readonly string[];
}

// The command waits at a gate (descriptor 3) until we know that it runs and say so. If pawl is killed between the fork and
// that moment, the gate closes and nothing starts: a process that is not yet a program of its own carries no mark, so no
// sweep could find it, and it would run beside its replacement.
const GATE = "read -r _ <&3 || exit 125; exec 3<&-";

// The shell's own messages ("Killed") stay out of the command's stderr; the parentheses make the redirections the child's
// alone, at no cost. `exit` keeps the shell from replacing itself by the command.
export const INIT = `${GATE}; exec 4>&2 2>/dev/null; ("$@" 2>&4 4>&-); exit $?`;

let detected: Promise<Isolation> | null = null;

/** What this system supports, found out once by trying. PAWL_ISOLATION sets it without a trial. */
export function isolation(): Promise<Isolation> {
	const told = process.env["PAWL_ISOLATION"];
	if (told === "none" || told === "unshare" || told === "bwrap") return Promise.resolve(told);
	if (!has("namespaces")) return Promise.resolve("none");
	detected ??= detect();
	return detected;
}

// unshare first: it is as cheap, and unlike bwrap it leaves privileges alone (bwrap always sets no_new_privs: no sudo).
async function detect(): Promise<Isolation> {
	for (const kind of ["unshare", "bwrap"] as const) {
		const shell = tool("sh");
		const trial = shell === null ? null : isolated(kind, { command: shell, args: ["-c", "exit 7"] }, {});
		if (trial !== null && (await exitCode(trial)) === 7) return kind;
	}
	return "none";
}

/** The command line that runs `inner` (an absolute path) in a namespace of its own, or null if a tool is missing. */
export function isolated(kind: "bwrap" | "unshare", inner: CommandLine, env: Readonly<Record<string, string>>): CommandLine | null {
	const shell = shellFor(env);
	if (shell === null) return null;
	const init = ["--", shell, "-c", INIT, "sh", inner.command, ...inner.args];
	const root = process.getuid?.() === 0;
	if (kind === "bwrap") {
		const bwrap = tool("bwrap");
		if (bwrap === null) return null;
		const own = ["--die-with-parent", "--unshare-pid", "--as-pid-1", ...(root ? ["--cap-add", "ALL"] : [])];
		return { command: bwrap, args: [...own, "--dev-bind", "/", "/", "--proc", "/proc", ...init] };
	}
	const setpriv = tool("setpriv");
	const unshare = tool("unshare");
	if (setpriv === null || unshare === null) return null;
	const own = [...(root ? [] : ["--user", "--map-current-user"]), "--pid", "--fork", "--kill-child=KILL", "--mount-proc"];
	// setpriv: when pawl itself is killed, the kernel kills unshare, and --kill-child the rest.
	return { command: setpriv, args: ["--pdeathsig", "KILL", "--", unshare, ...own, ...init] };
}

/** The same gate without a namespace; null if there is no shell. With a `word` the shell stays in front of the command and has that word among its
 * arguments, which everybody can read. */
export function behindGate(inner: CommandLine, env: Readonly<Record<string, string>>, word?: string): CommandLine | null {
	const shell = shellFor(env);
	const script = word === undefined ? `${GATE}; exec "$@"` : INIT;
	return shell === null ? null : { command: shell, args: ["-c", script, word ?? "sh", inner.command, ...inner.args] };
}

/** dash drops variables whose names are not identifiers; bash passes them on. */
export function shellFor(env: Readonly<Record<string, string>>): string | null {
	const plain = Object.keys(env).every((name) => /^\w+$/.test(name));
	return (plain ? null : tool("bash")) ?? tool("sh");
}

const tools = new Map<string, string | null>();

/** Looked up with our own PATH: the agent's cannot be trusted. */
export function tool(name: string): string | null {
	const own = process.env["PATH"] ?? "";
	const key = `${name}\n${own}`;
	let path = tools.get(key);
	if (path === undefined) {
		path = findExecutable(name, "/", `${own}:/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin`);
		tools.set(key, path);
	}
	return path;
}

function exitCode(line: CommandLine): Promise<number | null> {
	return new Promise((done) => {
		const child = spawn(line.command, [...line.args], {
			env: {},
			stdio: ["ignore", "ignore", "ignore", "pipe"],
			timeout: 10_000,
			killSignal: "SIGKILL",
		});
		child.once("error", () => done(null));
		child.once("exit", (code) => done(code));
		openGate(child);
	});
}

/** Lets the command run that waits at the gate of `child`. */
export function openGate(child: ChildProcess): void {
	const gate = child.stdio[3];
	if (!(gate instanceof Writable)) return;
	gate.on("error", () => {});
	gate.end("\n");
}
