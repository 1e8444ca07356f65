// Runs a command under tracer.c: every call of it and of what it starts that changes or syncs a file in a folder is seen before it is made,
// and can be let through, made to fail, cut short, or be the moment at which everything is killed.
import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Duplex } from "node:stream";

/** Long enough for the event loop to read what a process that has ended had printed. */
export const DRAIN_MS = 50;

export interface Call {
	/** How many such calls came before it. */
	readonly at: number;
	/** `pawl`, `git commit`, or the name of another program. */
	readonly program: string;
	/** write, pwrite, fsync, rename, … */
	readonly name: string;
	readonly path: string;
	/** Where a rename or a link leads; the text of a symlink. */
	readonly to: string;
	readonly offset: number;
	readonly flags: number;
	readonly mode: number;
	readonly data: Buffer;
}

/** What becomes of a call. `rest`: it goes on, and no later call is asked about. `cut` writes only so many bytes; `torn` does so and kills the process group after it. */
export type Answer = "go" | "rest" | "kill" | { readonly fails: number } | { readonly cut: number } | { readonly torn: number };

export interface TracedOptions {
	/** Only calls on files in here are seen. */
	readonly folder: string;
	/** Only calls of these names; all of them if absent. Every call that is asked about costs a turn of three processes. */
	readonly calls?: readonly string[];
	readonly command: readonly string[];
	readonly cwd: string;
	readonly env: Readonly<Record<string, string>>;
	answer(call: Call): Answer;
	/** What it returned; less than 0 is an error. */
	returned?(call: Call, result: number): void;
	/** It is killed after this time. */
	readonly ms: number;
}

export interface TracedEnd {
	readonly code: number | null;
	readonly killed: boolean;
	readonly out: string;
	readonly err: string;
	/** It took longer than allowed. */
	readonly late: boolean;
}

export interface Tracer {
	run(options: TracedOptions): Promise<TracedEnd>;
	remove(): void;
}

/** Says why there is none: it needs Linux on x86-64, a C compiler, and the right to trace. */
export function makeTracer(): Tracer | { readonly problem: string } {
	if (process.platform !== "linux" || process.arch !== "x64")
		return { problem: `it traces on Linux x86-64 only, not ${process.platform} ${process.arch}` };
	const folder = mkdtempSync(join(tmpdir(), "pawl-tracer-"));
	const remove = () => rmSync(folder, { recursive: true, force: true });
	const program = join(folder, "tracer");
	try {
		execFileSync("cc", ["-O2", "-o", program, join(import.meta.dirname, "tracer.c")], { stdio: "pipe" });
		execFileSync(program, [folder, "*", "true"], { stdio: ["ignore", "pipe", "pipe", "pipe"], timeout: 10_000 });
	} catch (error) {
		remove();
		return {
			problem: `${error instanceof Error ? error.message : error} (it needs a C compiler, such as Debian's gcc and libc6-dev, and the right to trace)`,
		};
	}
	return { run: (options) => run(program, options), remove };
}

function run(tracer: string, { folder, calls, command, cwd, env, answer, returned, ms }: TracedOptions): Promise<TracedEnd> {
	const child = spawn(tracer, [folder, calls === undefined ? "*" : `,${calls.join(",")},`, ...command], {
		cwd,
		env,
		detached: true,
		stdio: ["ignore", "pipe", "pipe", "pipe"],
	});
	const text = { out: "", err: "" };
	child.stdout?.on("data", (chunk: Buffer) => {
		text.out += chunk.toString("utf8");
	});
	child.stderr?.on("data", (chunk: Buffer) => {
		text.err += chunk.toString("utf8");
	});
	const control = child.stdio[3] as Duplex;
	control.on("error", () => {});
	const programs = new Map<number, string>();
	const open = new Map<number, Call>();
	let count = 0;
	let end: { readonly code: number | null; readonly killed: boolean } = { code: null, killed: true };
	let late = false;
	// Ending the tracer ends all that it traces.
	const timer = setTimeout(() => {
		late = true;
		child.kill("SIGKILL");
	}, ms);

	const take = (line: string, data: Buffer): void => {
		const [kind = "", ...words] = line.split(" ");
		const [first = 0, second = 0] = words.map(Number);
		if (kind === "E") programs.set(first, programOf(line.split(" ").slice(2).join(" ").split("\x1f")));
		else if (kind === "F") programs.set(second, programs.get(first) ?? "?");
		else if (kind === "X") {
			end = { code: first < 0 ? null : first, killed: second > 0 };
			// What outlives the command is not waited for; whoever looks for it finds it. What the command itself said is still in the pipes.
			setTimeout(() => {
				child.stdout?.destroy();
				child.stderr?.destroy();
			}, DRAIN_MS);
		} else if (kind === "R") {
			const call = open.get(first);
			open.delete(first);
			if (call) returned?.(call, second);
		} else if (kind === "C") {
			const flags = Number(words[5]);
			const [path = "", to = ""] = words.slice(6).join(" ").split("\x1f");
			const call: Call = {
				at: count++,
				program: programs.get(second) ?? "?",
				name: words[2] ?? "",
				path: plain(path),
				to: words[2] === "symlink" ? to : plain(to),
				offset: Number(words[3]),
				flags: flags % 2 ** 32,
				mode: Math.floor(flags / 2 ** 32),
				data,
			};
			open.set(first, call);
			control.write(wordOf(answer(call)));
		}
	};
	const pending: Buffer[] = [];
	control.on("data", (chunk: Buffer) => {
		pending.push(chunk);
		let buffer = pending.length === 1 ? chunk : Buffer.concat(pending);
		for (;;) {
			const newline = buffer.indexOf(10);
			if (newline < 0) break;
			const line = buffer.toString("utf8", 0, newline);
			const length = line.startsWith("C ") ? Number(line.split(" ")[5]) : 0;
			if (buffer.length < newline + 1 + length) break;
			take(line, Buffer.from(buffer.subarray(newline + 1, newline + 1 + length)));
			buffer = buffer.subarray(newline + 1 + length);
		}
		pending.length = 0;
		if (buffer.length > 0) pending.push(buffer);
	});
	return new Promise((resolve, reject) => {
		child.once("error", reject);
		child.once("close", () => {
			clearTimeout(timer);
			resolve({ ...end, ...text, late });
		});
	});
}

/** A deleted file has no name any more; a path may go through `.` and `..`. */
const plain = (path: string): string => (path === "" ? "" : join(path));

const wordOf = (answer: Answer): string => {
	if (answer === "go") return "g\n";
	if (answer === "rest") return "a\n";
	if (answer === "kill") return "k\n";
	if ("fails" in answer) return `e${answer.fails}\n`;
	return "cut" in answer ? `s${answer.cut}\n` : `w${answer.torn}\n`;
};

function programOf(args: readonly string[]): string {
	const name = args[0]?.split("/").at(-1) ?? "";
	if (args.some((arg) => arg.endsWith("/bin/start.cjs"))) return "pawl";
	if (name !== "git") return name;
	for (let i = 1; i < args.length; i++) {
		if (args[i] === "-c" || args[i] === "-C") i++;
		else if (!args[i]?.startsWith("-")) return `git ${args[i]}`;
	}
	return "git";
}
