// Starts, watches and ends processes. One call owns one process and everything that it starts: when the call returns,
// none of that is alive. The parts are in process/; the rest of pawl uses them through this file.
// biome-ignore-all lint/style/noRestrictedImports: the parts of this very module are in process/
// biome-ignore-all lint/performance/noBarrelFile: importers may name process.ts only, its parts stay private
import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, statSync } from "node:fs";
import { constants } from "node:os";
import type { Readable, Writable } from "node:stream";
import type { Sandbox, SandboxSettings } from "./core/sandbox/sandbox.ts";
import { inputFile, type Outputs, outputs } from "./process/channels.ts";
import { findExecutable } from "./process/command-line.ts";
import { behindGate, isolated, isolation, openGate } from "./process/isolation.ts";
import { MARK_VARIABLE } from "./process/process-table.ts";
import { type Consumer, type Pump, pump } from "./process/pump.ts";
import { membersOf, type ProcessId, signalProcess, sweep } from "./process/sweep.ts";
import { has } from "./process/system.ts";
import { after } from "./process/timer.ts";

export { findExecutable, type SplitResult, splitCommand } from "./process/command-line.ts";
export { pickEnv, secretsOf } from "./process/environment.ts";
export { type Isolation, isolation } from "./process/isolation.ts";
export { marksAbove, UNKNOWN_MARK } from "./process/lineage.ts";
export { MARK_VARIABLE } from "./process/process-table.ts";
export { type Redactor, redactor } from "./process/redactor.ts";
export { markedProcesses, type ProcessId, startTimeOf, sweep, sweepNow } from "./process/sweep.ts";
export { shortcomings, systemName } from "./process/system.ts";

export interface ProcessRequest {
	readonly command: string;
	readonly args: readonly string[];
	readonly cwd: string;
	/** The whole environment. */
	readonly env: Readonly<Record<string, string>>;
	/** Written to stdin, followed by end of file. Without it stdin is empty. */
	readonly stdin?: string | Uint8Array;
	/** Instead of `stdin`, for a conversation: called once with the writable end when the process runs. Must not throw. */
	readonly talk?: (stdin: Writable) => void;
	readonly timeoutMs?: number;
	/** Ends the process after so long without output. */
	readonly stallMs?: number;
	/** Between TERM and KILL. */
	readonly graceMs?: number;
	/** Put into the environment; afterwards every process that carries it is killed. Without it only the process group is. */
	readonly mark?: string;
	/** Run it in a pid namespace, if the system has one. */
	readonly isolate?: boolean;
	/** Run it in this sandbox, or not at all. */
	readonly sandbox?: Sandbox;
	readonly signal?: AbortSignal;
	/** A returned promise pauses the stream until it settles, so memory stays flat. */
	readonly onStdout?: Consumer;
	readonly onStderr?: Consumer;
}

export interface ProcessEnd {
	readonly reason: "exit" | "timeout" | "stalled" | "aborted" | "failed_to_start";
	/** As in a shell: 128 + n if signal n ended it. Null if it never ran or could not be ended. */
	readonly code: number | null;
	/** Behind a shell of ours (in a namespace, and where there is no /proc) it is derived from the code, so a process that exits with 143 by itself looks like one that TERM ended. */
	readonly signal: NodeJS.Signals | null;
	/** Why it did not start, or what went wrong on our side. */
	readonly error: string | null;
}

const GRACE_MS = 3000;
/** After a KILL the kernel may need a moment; a process stuck in the kernel never ends. */
const KILL_WAIT_MS = 5000;
const DRAIN_SILENCE_MS = 250;

/** Never rejects. */
export async function runProcess(request: ProcessRequest): Promise<ProcessEnd> {
	if (request.signal?.aborted) return { reason: "aborted", code: null, signal: null, error: null };
	let pipes: Outputs | null = null;
	let stdin: number | null = null;
	let after: (() => Promise<void>) | undefined;
	try {
		const env = request.mark === undefined ? request.env : { ...request.env, [MARK_VARIABLE]: request.mark };
		const line = await commandLine(request, env);
		if (typeof line === "string") return notStarted(line);
		after = line.after;
		pipes = await outputs();
		stdin = request.stdin === undefined ? null : inputFile(request.stdin);
		const input = stdin ?? (request.talk === undefined ? "ignore" : "pipe");
		const child = spawn(line.command, line.args, {
			cwd: request.cwd,
			env: line.env ?? env,
			detached: true,
			stdio: [input, ...pipes.stdio, ...(line.gate ? (["pipe"] as const) : [])],
		});
		// The reader is gone because the process ended, which is reported elsewhere.
		child.stdin?.on("error", () => {});
		const failed = await new Promise<Error | null>((done) => {
			child.once("spawn", () => done(null));
			child.once("error", done);
		});
		if (failed !== null) return notStarted(failed.message);
		if (line.gate) openGate(child);
		const [out, err] = pipes.attach() ?? [child.stdout, child.stderr];
		pipes = null;
		if (out === null || err === null) return notStarted("no output streams");
		const ended = watch(request, child, line, out, err);
		if (child.stdin !== null) request.talk?.(child.stdin);
		await ended;
		child.stdin?.destroy();
		return await ended;
	} catch (error) {
		return notStarted(error instanceof Error ? error.message : String(error));
	} finally {
		pipes?.discard();
		if (stdin !== null) closeSync(stdin);
		await after?.();
	}
}

/** `sandbox`: null if the run has none, or if the user's own settings name the command. */
export type ShellRequest = Omit<ProcessRequest, "command" | "args" | "sandbox"> & { readonly sandbox: Sandbox | null };

/** Runs a shell command that a pawl.yml or a workflow names, unchanged, with nothing inserted into it. All of them start here, so that none forgets its sandbox. Never rejects. */
export function runShell(command: string, { sandbox, ...request }: ShellRequest): Promise<ProcessEnd> {
	return runProcess({ ...request, command: "/bin/sh", args: ["-c", command], ...(sandbox === null ? {} : { sandbox }) });
}

function notStarted(error: string): ProcessEnd {
	return { reason: "failed_to_start", code: null, signal: null, error };
}

interface Line {
	readonly command: string;
	readonly args: readonly string[];
	readonly isolated: boolean;
	/** A shell of ours waits for the command and reports its end. */
	readonly shell: boolean;
	/** It waits until it is told to begin. */
	readonly gate: boolean;
	/** Of the process, if not that of the command. */
	readonly env?: Readonly<Record<string, string>>;
	/** Called when it has ended. */
	readonly after?: () => Promise<void>;
}

async function commandLine(request: ProcessRequest, env: Readonly<Record<string, string>>): Promise<Line | string> {
	// spawn reports a missing folder as a missing command.
	if (!statSync(request.cwd, { throwIfNoEntry: false })?.isDirectory()) return `no such folder: ${request.cwd}`;
	const command = findExecutable(request.command, request.cwd, env["PATH"] ?? "/usr/local/bin:/usr/bin:/bin");
	const { sandbox } = request;
	if (sandbox !== undefined) {
		// Loaded here: most runs have none, and every command of pawl loads this file.
		const { sandboxed } = await import("./process/sandbox.ts");
		const line = sandboxed({
			sandbox,
			command: request.command,
			found: command,
			args: request.args,
			cwd: request.cwd,
			env,
			mark: request.mark,
		});
		return typeof line === "string" ? line : { ...line, shell: line.isolated, gate: true };
	}
	if (command === null) return `command not found or not executable: ${request.command}`;
	const plain = { command, args: request.args };
	const kind = request.isolate === true ? await isolation() : "none";
	const wrapped = kind === "none" ? null : isolated(kind, plain, env);
	if (wrapped !== null) return { ...wrapped, isolated: true, shell: true, gate: true };
	// Without a mark no sweep would look for it after a crash, so it needs no gate; that saves a shell.
	const shell = request.mark !== undefined && !has("proc");
	const word = shell ? `${MARK_VARIABLE}=${request.mark}` : undefined;
	const waiting = request.mark === undefined ? null : behindGate(plain, env, word);
	return { ...(waiting ?? plain), isolated: false, shell: shell && waiting !== null, gate: waiting !== null };
}

/** Why such a sandbox does not work on this machine, found out by trying; null if it works. */
export async function sandboxProblem(settings: SandboxSettings): Promise<string | null> {
	return (await import("./process/sandbox.ts")).sandboxProblem(settings);
}

/** Ends what runs in sandboxes with this mark and would not end with the process that started it. */
export async function sweepSandbox(settings: Pick<SandboxSettings, "type" | "runtime">, mark: string): Promise<void> {
	await (await import("./process/sandbox.ts")).sweepSandbox(settings, mark);
}

type Stopped = "timeout" | "stalled" | "aborted";

async function watch(request: ProcessRequest, child: ChildProcess, line: Line, out: Readable, err: Readable): Promise<ProcessEnd> {
	const pid = child.pid ?? 0;
	/** Where a mark cannot be read from everything that carries it: what belonged to the command while it ran. */
	let known: readonly ProcessId[] = [];
	const signalTree = (signal: NodeJS.Signals): void => {
		// Our shell is spared, so that it reports the end of the others.
		const members = line.shell ? membersOf(pid, line.isolated ? undefined : request.mark) : [];
		if (members.length === 0) signalProcess(-pid, signal);
		for (const member of members) signalProcess(member.pid, signal);
		if (!line.isolated) known = [...known, ...members];
	};
	let stopped: Stopped | null = null;
	let lastOutput = performance.now();
	const timers: (() => void)[] = [];
	const later = (ms: number, fn: () => void): void => {
		if (ms !== Number.POSITIVE_INFINITY) timers.push(after(ms, fn));
	};
	const onOutput = (): void => {
		lastOutput = performance.now();
	};
	const pumps: readonly Pump[] = [pump(out, request.onStdout, onOutput), pump(err, request.onStderr, onOutput)];

	const ended = new Promise<{ code: number | null; signal: NodeJS.Signals | null } | null>((done) => {
		child.once("exit", (code, signal) => done({ code, signal }));
		const stop = (reason: Stopped): void => {
			if (stopped !== null) return;
			stopped = reason;
			signalTree("SIGTERM");
			later(request.graceMs ?? GRACE_MS, () => {
				signalTree("SIGKILL");
				later(KILL_WAIT_MS, () => {
					signalProcess(-pid, "SIGKILL");
					later(KILL_WAIT_MS, () => done(null));
				});
			});
		};
		if (request.timeoutMs !== undefined) later(request.timeoutMs, () => stop("timeout"));
		const stall = request.stallMs;
		if (stall !== undefined) {
			const check = (): void => {
				if (pumps.some((each) => each.busy())) onOutput();
				const left = lastOutput + stall - performance.now();
				if (left <= 0) stop("stalled");
				else later(left, check);
			};
			later(stall, check);
		}
		const abort = (): void => stop("aborted");
		request.signal?.addEventListener("abort", abort, { once: true });
		timers.push(() => request.signal?.removeEventListener("abort", abort));
		if (request.signal?.aborted) abort();
	});

	const exit = await ended;
	let unswept: string | null = null;
	for (const cancel of timers) cancel();
	// A namespace whose first process has ended is empty: the kernel reaps that process only after all others.
	if (!line.isolated || exit?.signal != null) {
		signalProcess(-pid, "SIGKILL");
		if (request.mark !== undefined) await sweep(request.mark, known).catch((error: Error) => (unswept = error.message));
	}
	// Never before the sweep: a grandchild may hold the pipes open.
	await Promise.all(pumps.map((each) => each.drain(DRAIN_SILENCE_MS)));
	const failure = pumps.map((each) => each.failure()).find((text) => text !== null) ?? unswept;
	const reason = stopped ?? "exit";
	if (exit === null) return { reason, code: null, signal: null, error: `process ${pid} could not be ended` };
	return { reason, ...status(exit.code, exit.signal, line.shell), error: failure };
}

const DEADLY: readonly NodeJS.Signals[] = [
	"SIGHUP",
	"SIGINT",
	"SIGQUIT",
	"SIGILL",
	"SIGTRAP",
	"SIGABRT",
	"SIGBUS",
	"SIGFPE",
	"SIGKILL",
	"SIGSEGV",
	"SIGPIPE",
	"SIGALRM",
	"SIGTERM",
];

function status(code: number | null, signal: NodeJS.Signals | null, shell: boolean): Pick<ProcessEnd, "code" | "signal"> {
	if (signal !== null) return { code: 128 + constants.signals[signal], signal };
	const guess = shell && code !== null ? DEADLY.find((name) => constants.signals[name] === code - 128) : undefined;
	return { code, signal: guess ?? null };
}
