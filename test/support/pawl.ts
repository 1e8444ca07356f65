// Starting pawl as a user does, and reading what it left.
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { readlinkSync } from "node:fs";
import { join } from "node:path";
import { after } from "node:test";
import type { StepRecord, StoryRecord, WorkflowState } from "../../src/format/workflow-state/document.ts";
import { PAWL, PROJECT } from "./bin.ts";
import type { FakeAgent } from "./fake-agent.ts";
import { hosted } from "./host.ts";
import { read, scratchFolder } from "./scratch.ts";

export { PROJECT };

/** Far longer than any run here takes: it only keeps a hanging pawl from holding up the rest. */
const LONGEST_MS = 150_000;

export interface Ended {
	readonly code: number | null;
	readonly signal: NodeJS.Signals | null;
	readonly stdout: string;
	readonly stderr: string;
	/** Both, for what may be said on either. */
	readonly all: string;
}

export interface Started {
	readonly child: ChildProcess;
	readonly done: Promise<Ended>;
	/** What it said so far. */
	said(): string;
}

export interface Where {
	readonly cwd: string;
	readonly env?: Readonly<Record<string, string>>;
	/** Another pawl than the one that is tested. */
	readonly program?: string;
}

const environment = ({ cwd, env = {} }: Where): NodeJS.ProcessEnv => ({
	...process.env,
	// The virtual clock of tests in this process sets it, and pawl must not run with it.
	UV_THREADPOOL_SIZE: undefined,
	NO_COLOR: "1",
	XDG_CONFIG_HOME: join(cwd, "no-config"),
	...env,
});

const running = new Set<ChildProcess>();
after(() => {
	for (const child of running) endGroup(child);
});

/** A process of its own. */
export function startPawl(args: readonly string[], where: Where, input = ""): Started {
	const child = spawn(where.program ?? PAWL, args, {
		cwd: where.cwd,
		env: environment(where),
		stdio: ["pipe", "pipe", "pipe"],
		detached: true,
	});
	// It may have ended without reading.
	child.stdin.on("error", () => {}).end(input);
	running.add(child);
	const parts: { readonly stdout: Buffer[]; readonly stderr: Buffer[] } = { stdout: [], stderr: [] };
	child.stdout.on("data", (chunk: Buffer) => parts.stdout.push(chunk));
	child.stderr.on("data", (chunk: Buffer) => parts.stderr.push(chunk));
	const text = (name: "stdout" | "stderr") => Buffer.concat(parts[name]).toString("utf8");
	const timer = setTimeout(() => endGroup(child), LONGEST_MS);
	const done = new Promise<Ended>((resolve, reject) => {
		child.once("error", reject);
		child.once("close", (code, signal) => {
			clearTimeout(timer);
			running.delete(child);
			const [stdout, stderr] = [text("stdout"), text("stderr")];
			resolve({ code, signal, stdout, stderr, all: stdout + stderr });
		});
	});
	return { child, done, said: () => text("stdout") + text("stderr") };
}

/** Commands that stay until they are told to end, and settings that only a start of Node or of pawl reads. */
const needsStart = ([name = ""]: readonly string[], { env = {} }: Where): boolean =>
	["mcp", "ui", "watch"].includes(name) || Object.keys(env).some((variable) => /^(NODE_|PAWL_CRASH)/.test(variable));

/** Folder → who carries out commands there instead of a process: quick-pawl.ts. */
export const inProcess = new Map<string, (args: readonly string[], where: Where, input: string) => Promise<Ended>>();

/** Until it has ended; in a process that is there already, where that makes no difference. */
export async function pawl(args: readonly string[], where: Where, input = ""): Promise<Ended> {
	const quick = inProcess.get(where.cwd);
	if (quick !== undefined) return quick(args, where, input);
	if (needsStart(args, where)) return startPawl(args, where, input).done;
	const env = Object.fromEntries(
		Object.entries(environment(where)).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
	);
	const ended = await hosted({ args, cwd: where.cwd, env, input }, LONGEST_MS);
	return { ...ended, all: ended.stdout + ended.stderr };
}

/** Runs pawl and expects this exit code. */
export async function pawlExits(code: number, args: readonly string[], where: Where): Promise<Ended> {
	return exited(await pawl(args, where), code);
}

export function exited(ended: Ended, code: number): Ended {
	assert.equal(
		ended.code,
		code,
		`exit ${ended.code ?? ended.signal}, not ${code}\n${ended.stdout.slice(-2000)}\n${ended.stderr.slice(-3000)}`,
	);
	return ended;
}

/** `pawl run dynamic`, whose files stay for looking. */
export const runDynamic = (
	repo: string,
	agent: FakeAgent,
	more: readonly string[] = [],
	code = 0,
	env: Where["env"] = {},
): Promise<Ended> => pawlExits(code, ["run", "dynamic", "Add a file", "--agent-command", agent.command, ...more], { cwd: repo, env });

/** `pawl "REQUEST"`, whose state lies in a temporary folder; that folder is the second thing that comes back. */
export async function oneShot(
	repo: string,
	agent: FakeAgent,
	more: readonly string[] = [],
	code = 0,
): Promise<{ ended: Ended; temporary: string }> {
	const temporary = scratchFolder("tmp");
	const ended = await pawlExits(code, ["Add a file", "--agent-command", agent.command, ...more], { cwd: repo, env: { TMPDIR: temporary } });
	return { ended, temporary };
}

function endGroup(child: ChildProcess): void {
	try {
		if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
	} catch {
		// It has ended.
	}
}

/** kill -9 of pawl and of nothing else. */
export async function kill9(started: Started): Promise<void> {
	started.child.kill("SIGKILL");
	await started.done;
}

export const runFolder = (repo: string): string => join(repo, ".pawl", readlinkSync(join(repo, ".pawl", "latest")));
export const stateFile = (repo: string): WorkflowState => JSON.parse(read(runFolder(repo), "workflow_state.json")) as WorkflowState;

/** The only story of a one-shot. */
export function storyOf(state: WorkflowState): StoryRecord {
	const [story] = Object.values<StoryRecord>(state.stories);
	assert.ok(story, "the state file has no story");
	return story;
}

export const story = (repo: string): StoryRecord => storyOf(stateFile(repo));

/** The step of an id, or the last of a type. */
export function step(of: StoryRecord, which: string): StepRecord {
	const found = of.steps.findLast((s) => s.id === which || s.type === which);
	assert.ok(found, `there is no step ${which}`);
	return found;
}

export interface JournalEvent {
	readonly event: string;
	readonly [key: string]: unknown;
}

/** What --json printed. */
export const eventsOf = (ended: Ended): JournalEvent[] =>
	ended.stdout
		.split("\n")
		.filter((line) => line !== "")
		.map((line) => JSON.parse(line) as JournalEvent);

export const STEP_TYPES: readonly string[] = [
	"context_gathering",
	"planning",
	"architecture",
	"test_architecture",
	"coding",
	"linting",
	"initial_testing",
	"review",
	"prune_tests",
	"final_review",
];
