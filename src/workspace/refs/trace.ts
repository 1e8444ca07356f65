// What git did in a session. The environment of a session that pawl runs makes every git command record in a file what it was
// called with, where, and from when to when (git's own trace2 events). This is how pawl tells a ref that a session moved from one that a
// person moved meanwhile. It does not affect what git does. It does not see commands that somebody hides (another environment, a program that
// writes refs without git).
import { closeSync, constants, fstatSync, mkdirSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

export interface TracedCommand {
	/** Without git's own options: the command first. */
	readonly args: readonly string[];
	/** The checkout that it ran in; null if it ran in none. */
	readonly worktree: string | null;
	/** Milliseconds. */
	readonly from: number;
	readonly to: number;
}

export interface Trace {
	readonly commands: readonly TracedCommand[];
	/** False if somebody changed the file, or it is too long to read: then a missing command proves nothing. */
	readonly whole: boolean;
}

const HEAD = '{"event":"pawl"}\n';
const LONGEST = 64 * 1024 * 1024;
/** For a command that was killed before it could record its end. */
const KILLED_MS = 5000;

export function beginTrace(file: string): void {
	mkdirSync(dirname(file), { recursive: true });
	writeFileSync(file, HEAD);
}

/** What a session needs in its environment. */
export const traceEnv = (file: string): Record<string, string> => ({ GIT_TRACE2_EVENT: file });

export function readTrace(file: string): Trace {
	const text = readWhole(file);
	return text === null ? { commands: [], whole: false } : traceOf(text);
}

export function traceOf(text: string): Trace {
	const found = new Map<string, Run>();
	for (const line of text.slice(HEAD.length).split("\n")) {
		const event = eventIn(line);
		if (event === null) continue;
		const known = found.get(event.sid) ?? {};
		found.set(event.sid, known);
		if (event.time !== undefined) known.last = event.time;
		if (event.event === "start") {
			known.argv = event.argv;
			known.from = event.time;
		} else if (event.event === "def_repo" && event.worktree !== undefined) known.worktree = event.worktree;
		else if (event.event === "exit" || event.event === "atexit" || event.event === "signal") known.to = event.time;
	}
	const commands = [...found.values()].flatMap(({ argv, worktree, from, to, last }): TracedCommand[] => {
		if (argv === undefined || from === undefined) return [];
		return [{ args: withoutOptions(argv), worktree: worktree ?? null, from, to: to ?? (last ?? from) + KILLED_MS }];
	});
	return { commands: commands.sort((a, b) => a.from - b.from), whole: text.startsWith(HEAD) };
}

/** null if it is no longer our file. */
function readWhole(file: string): string | null {
	try {
		const handle = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
		try {
			const info = fstatSync(handle);
			return info.isFile() && info.size <= LONGEST ? readFileSync(handle, "utf8") : null;
		} finally {
			closeSync(handle);
		}
	} catch {
		return null;
	}
}

interface Run {
	argv?: readonly string[];
	worktree?: string;
	from?: number | undefined;
	to?: number | undefined;
	last?: number;
}

interface TraceEvent {
	readonly event: string;
	readonly sid: string;
	readonly time: number | undefined;
	readonly argv: readonly string[];
	readonly worktree: string | undefined;
}

function eventIn(line: string): TraceEvent | null {
	// Most lines are about regions of the program, which do not matter here.
	if (!/^\{"event":"(?:start|def_repo|exit|atexit|signal)"/.test(line)) return null;
	try {
		const { event, sid, time, argv, worktree } = JSON.parse(line) as Record<string, unknown>;
		if (typeof event !== "string" || typeof sid !== "string") return null;
		const at = typeof time === "string" ? Date.parse(time) : Number.NaN;
		return {
			event,
			sid,
			time: Number.isNaN(at) ? undefined : at,
			argv: Array.isArray(argv) ? argv.map(String) : [],
			worktree: typeof worktree === "string" ? worktree : undefined,
		};
	} catch {
		return null;
	}
}

const WITH_VALUE = /^(?:-C|-c|--git-dir|--work-tree|--namespace|--super-prefix|--config-env|--exec-path|--attr-source)$/;

/** `git -C x -c a=b commit -m y` and `git-commit -m y` → `commit -m y`. */
function withoutOptions(argv: readonly string[]): string[] {
	const name = /(?:^|\/)git-([\w-]+)$/.exec(argv[0] ?? "")?.[1];
	if (name !== undefined) return [name, ...argv.slice(1)];
	let at = 1;
	while (argv[at]?.startsWith("-")) at += WITH_VALUE.test(argv[at] ?? "") ? 2 : 1;
	return argv.slice(at);
}
