// What must hold of a repository when a run has come to its end, however often pawl was killed on the way. Answers with the
// list of what does not hold, so that the soak can count and the tests can show all of it at once.
import { existsSync, globSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Event } from "../../src/core/event.ts";
import { apply, fold } from "../../src/core/fold/apply.ts";
import type { RunState, Story } from "../../src/core/model.ts";
import { parseWorkflowState } from "../../src/format/workflow-state/document.ts";
import { applyToView, emptyView, renderView } from "../../src/format/workflow-state/view.ts";
import type { World } from "./crash-world.ts";

export interface Journal {
	readonly run: string;
	readonly events: readonly Event[];
	readonly state: RunState;
	readonly sharedDir: string;
	/** Effects that were committed and not noted as done, inputs that nobody took. */
	readonly open: number;
	readonly dense: boolean;
}

/** How long somebody else may have the file. */
const PATIENCE_MS = 20_000;

/** Of the newest run, or of the one named. */
export function journal(world: Pick<World, "root">, wanted?: string, timeout = PATIENCE_MS): Journal | null {
	const look = (db: DatabaseSync): Journal | null => {
		const run = wanted ?? runIds(db)[0];
		if (run === undefined) return null;
		const rows = db.prepare("SELECT version, data FROM events WHERE run_id = ? ORDER BY version").all(run);
		const events = rows.map((row) => JSON.parse(String(row["data"])) as Event);
		const state = fold(events);
		if (state === null) return null;
		const { sharedDir } = state.options.shell as { sharedDir: string };
		const count = (sql: string): number => Number(db.prepare(sql).get(run)?.["n"]);
		const open =
			count("SELECT count(*) AS n FROM effects WHERE run_id = ? AND done = 0") + count("SELECT count(*) AS n FROM inbox WHERE run_id = ?");
		return { run, events, state, sharedDir, open, dense: rows.every((row, i) => Number(row["version"]) === i + 1) };
	};
	return looking(world, look, timeout);
}

/** The newest first. */
export const runsOf = (world: Pick<World, "root">): string[] => looking(world, runIds) ?? [];

const runIds = (db: DatabaseSync): string[] =>
	db
		.prepare("SELECT id FROM runs ORDER BY created_at DESC, rowid DESC")
		.all()
		.map((row) => String(row["id"]));

/** Straight into the file, so that a test can ask at any moment. */
function looking<T>(world: Pick<World, "root">, look: (db: DatabaseSync) => T, timeout = PATIENCE_MS): T | null {
	const file = join(world.root, ".pawl", "pawl.db");
	if (!existsSync(file)) return null;
	// It is there and its tables may not be yet.
	const orNone = (readOnly: boolean): T | null => {
		try {
			return looked(file, look, readOnly, timeout);
		} catch (error) {
			const text = error instanceof Error ? error.message : "";
			if (text.includes("no such table")) return null;
			// Only a connection that may write can bring the log of a killed process to its end.
			if (readOnly && text.includes("readonly database")) return orNone(false);
			throw error;
		}
	};
	return orNone(true);
}

function looked<T>(file: string, look: (db: DatabaseSync) => T, readOnly: boolean, timeout: number): T {
	const db = new DatabaseSync(file, { readOnly, timeout });
	try {
		return look(db);
	} finally {
		db.close();
	}
}

export interface Expected {
	readonly run?: string;
	/** Commits on base that somebody else made. */
	readonly foreign?: readonly string[];
	/** Where a story is not meant to complete. */
	readonly failed?: readonly string[];
	readonly blocked?: readonly string[];
	/** The snapshot of the user's checkout before. */
	readonly before?: Readonly<Record<string, string>>;
	readonly after?: Readonly<Record<string, string>>;
	/** Other runs of the same repository may still be at work. */
	readonly shared?: boolean;
}

export function violations(world: World, expected: Expected = {}): string[] {
	const found = journal(world, expected.run);
	if (found === null) return ["there is no run"];
	return [
		...ofJournal(found),
		...ofStories(found.state, expected),
		...ofHistory(world, found.state, expected),
		...ofFiles(world, found),
		...found.state.stories.flatMap((story) => ofLost(world, found, story)),
		...ofLeftovers(world, found, expected),
		...ofUser(expected),
		...world.noted("overlaps").map((line) => `two agents of one story at once: ${line}`),
	];
}

function ofJournal({ events, state, open, dense }: Journal): string[] {
	const wrong: string[] = [];
	if (!dense) wrong.push("the versions of the journal have a gap");
	if (state.version !== events.length) wrong.push(`version ${state.version} after ${events.length} events`);
	if (open > 0) wrong.push(`${open} effects or inputs were never settled`);
	const ignored = events.filter((e) => e.event === "attempt_ignored");
	if (ignored.length > 0) wrong.push(`results were ignored: ${JSON.stringify(ignored)}`);
	return wrong;
}

function ofStories(state: RunState, { failed = [], blocked = [] }: Expected): string[] {
	const wrong: string[] = [];
	const status = failed.length + blocked.length > 0 ? "failed" : "completed";
	if (state.status !== status) wrong.push(`the run is ${state.status} (${state.reason}), not ${status}`);
	for (const story of state.stories) {
		const wanted = failed.includes(story.id) ? "failed" : blocked.includes(story.id) ? "blocked" : "completed";
		if (story.status !== wanted) wrong.push(`${story.id} is ${story.status} (${story.error}), not ${wanted}`);
		if (story.scope.steps.some((s) => s.running.length > 0)) wrong.push(`${story.id} has attempts under way`);
		if (story.status === "completed" && story.scope.steps.some((s) => s.status === "pending" || s.status === "in_progress"))
			wrong.push(`${story.id} is completed with steps left`);
	}
	return wrong;
}

/** One commit a story, in the order of the dependencies, and nothing else on base. */
function ofHistory(world: World, state: RunState, { foreign = [], shared = false }: Expected): string[] {
	const wrong: string[] = [];
	const format =
		"--format=%H%x1f%P%x1f%s%x1f%(trailers:key=Pawl-Run,valueonly,separator=)%x1f%(trailers:key=Pawl-Story,valueonly,separator=)";
	const log = world.git(["log", "--reverse", format, `${world.first}..refs/heads/${state.options.base ?? "main"}`]);
	const landed: string[] = [];
	for (const line of log === "" ? [] : log.split("\n")) {
		const [commit = "", parents = "", subject = "", run = "", story = ""] = line.split("\x1f");
		if (parents.includes(" ")) wrong.push(`${commit} is a merge commit`);
		if (foreign.includes(commit)) continue;
		if (run !== state.id) {
			if (!shared) wrong.push(`${commit} on base is nobody's: ${subject}`);
			continue;
		}
		if (!subject.startsWith(`feat(ralph): ${story} - `)) wrong.push(`${commit} has the subject ${subject}`);
		landed.push(story);
	}
	for (const commit of foreign)
		if (!world.git(["log", "--format=%H"]).includes(commit)) wrong.push(`${commit} of somebody else is gone from base`);
	for (const story of state.stories) {
		const times = landed.filter((id) => id === story.id).length;
		const merged = story.scope.steps.some((s) => s.type === "merge" && s.status === "completed");
		if (times !== (merged ? 1 : 0)) wrong.push(`${story.id} (${story.status}) landed ${times} times`);
		for (const needed of story.dependsOn)
			if (times > 0 && landed.includes(needed) && landed.indexOf(needed) > landed.indexOf(story.id))
				wrong.push(`${story.id} landed before ${needed}`);
		if (merged && story.scope.steps.some((s) => s.type === "coding" && s.status === "completed")) wrong.push(...ofContent(world, story.id));
	}
	return wrong;
}

function ofContent(world: World, id: string): string[] {
	return [`${id}.txt`, `more/${id}.txt`].flatMap((path) => {
		try {
			const text = world.git(["show", `refs/heads/main:${path}`]);
			return text === id ? [] : [`${path} on base holds ${JSON.stringify(text)}`];
		} catch {
			return [`${path} is not on base`];
		}
	});
}

/** The files that are derived from the journal say what it says. */
function ofFiles(world: World, { events, state, sharedDir }: Journal): string[] {
	const wrong: string[] = [];
	const file = join(sharedDir, "workflow_state.json");
	const text = existsSync(file) ? readFileSync(file, "utf8") : "";
	const parsed = parseWorkflowState(text);
	if (!parsed.ok) wrong.push(`workflow_state.json is not valid: ${JSON.stringify(parsed)}`);
	if (text !== viewOf(world, events, state)) wrong.push("workflow_state.json is not what the journal says");
	const prd = JSON.parse(readFileSync(world.prd, "utf8")) as { userStories: { id: string; passes: boolean }[] };
	for (const { id, passes } of prd.userStories) {
		const done = state.stories.find((s) => s.id === id)?.status === "completed";
		if (passes !== done) wrong.push(`passes of ${id} is ${passes}`);
	}
	for (const name of readdirSync(sharedDir)) if (/\.(tmp|new)$/.test(name)) wrong.push(`${name} was left in the run's folder`);
	return wrong;
}

export function viewOf(world: Pick<World, "root">, events: readonly Event[], last: RunState): string {
	const prd = last.input["prd"] ?? null;
	const view = emptyView({ createdAt: last.createdAt, prdFile: prd === null ? null : prd.replace(`${world.root}/`, "") });
	let state: RunState | null = null;
	for (const event of events) {
		state = apply(state, event);
		// As a resume does it: every event with the state that they all lead to must give the same text.
		applyToView(view, event, last);
	}
	return renderView(view);
}

/** What a reader of the violation needs, because the machine's timing cannot be repeated. */
function whatIsThere({ events, sharedDir }: Pick<Journal, "events" | "sharedDir">, story: string, step: string): string {
	const folder = join(sharedDir, "failures");
	const diffs = existsSync(folder) ? readdirSync(folder).join(" ") : "none";
	const told = events.filter((event) => "step" in event && event.step === step && "scope" in event && event.scope === story);
	return `; diffs: ${diffs}; events: ${told.map((event) => `${event.event}${"attempt" in event ? ` ${event.attempt}` : ""}`).join(", ")}`;
}

/** A lost step keeps its failed record, its work is saved, and a copy of it runs next. */
function ofLost(world: World, { events, sharedDir }: Journal, story: Story): string[] {
	const wrong: string[] = [];
	const { steps, counters } = story.scope;
	for (const event of events) {
		if (event.event !== "step_failed" || event.scope !== story.id || event.signal !== "lost") continue;
		const at = steps.findIndex((s) => s.id === event.step);
		const step = steps[at];
		if (!step) wrong.push(`${story.id} ${event.step} is gone`);
		// One that failed its story for good and was retried by a person has no record of its own any more.
		if (step?.status !== "failed" || story.status === "failed") continue;
		if (step.error !== "orchestrator restart — agent not found") wrong.push(`${story.id} ${step.id} has the error ${step.error}`);
		const copy = steps.slice(at + 1).find((s) => s.origin === step.origin);
		if (copy?.type !== step.type || (copy.description !== step.description && copy.restarts === 0))
			wrong.push(`${story.id} ${step.id} (${step.type}) was lost and has no copy behind it`);
		const wrote = world.noted("wrote").includes(`${story.id} ${step.id} ${step.type} ${event.attempt}`);
		if (wrote && !existsSync(join(sharedDir, "failures", `${story.id}-${step.id}.diff`)))
			wrong.push(
				`${story.id} ${step.id} was lost with work in its tree and has no diff${whatIsThere({ events, sharedDir }, story.id, step.id)}`,
			);
	}
	for (const [name, times] of Object.entries(counters))
		if (name.endsWith(":lost") && times > 3) wrong.push(`${story.id} ${name}: ${times} recoveries`);
	return wrong;
}

function ofLeftovers(world: World, { run, sharedDir }: Journal, { shared = false }: Expected): string[] {
	const wrong: string[] = [];
	if (!shared) {
		const trees = world
			.git(["worktree", "list", "--porcelain"])
			.split("\n")
			.filter((line) => line.startsWith("worktree ") && line.includes("/.pawl/"));
		wrong.push(...trees.map((line) => `left behind: ${line}`));
		if (existsSync(join(world.root, ".pawl", "worktrees"))) wrong.push("left behind: .pawl/worktrees");
		const branches = world.git(["for-each-ref", "--format=%(refname)", "refs/heads/ralph/"]);
		if (branches !== "") wrong.push(`left behind: ${branches}`);
	}
	const patterns = [
		"index.lock",
		"HEAD.lock",
		"**/*.lock",
		"pawl-merge-index*",
		"pawl-lock*",
		"pawl/move-*.json",
		"pawl/index.*",
		"worktrees/*",
	];
	const left = globSync(patterns, { cwd: join(world.root, ".git") }).filter((name) => !/^pawl\/[\w-]+\.lock$/.test(name));
	if (!shared) wrong.push(...left.map((name) => `left behind: .git/${name}`));
	const edits = join(sharedDir, "workflow_edits");
	for (const name of existsSync(edits) ? readdirSync(edits) : [])
		if (name.endsWith(".json")) wrong.push(`left behind: workflow_edits/${name}`);
	wrong.push(...marked(run).map((line) => `still alive: ${line}`));
	return wrong;
}

/** Processes that an attempt of this run started. */
export function marked(run: string): string[] {
	if (!existsSync("/proc/self/environ")) return [];
	return readdirSync("/proc").flatMap((pid) => {
		if (!/^\d+$/.test(pid)) return [];
		try {
			if (!readFileSync(`/proc/${pid}/environ`, "utf8").includes(`PAWL_MARK=${run}:`)) return [];
			return [`${pid} ${readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ")}`];
		} catch {
			return [];
		}
	});
}

function ofUser({ before, after }: Expected): string[] {
	if (!before || !after) return [];
	return [...new Set([...Object.keys(before), ...Object.keys(after)])].flatMap((key) =>
		before[key] === after[key] ? [] : [`the user's ${key} was ${JSON.stringify(before[key])} and is ${JSON.stringify(after[key])}`],
	);
}
