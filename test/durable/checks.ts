// What must hold of a run's folder: at any moment, however pawl or the machine died, and at the end, when it was resumed. What is right at the
// end is what the same run came to when nobody disturbed it.
import { execFileSync } from "node:child_process";
import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { leftProcesses } from "../../scripts/leaks.ts";
import { apply } from "../../src/core/fold/apply.ts";
import type { RunState } from "../../src/core/model.ts";
import { applyToView, emptyView, renderView } from "../../src/format/workflow-state/view.ts";
import { type Journal, journal } from "../support/crash-checks.ts";
import type { Site } from "./site.ts";

export const projectOf = (site: Site): string => join(site.root, "project");
/** Of the newest run; null if none was recorded. */
export const journalOf = (site: Site, timeout?: number): Journal | null => journal({ root: projectOf(site) }, undefined, timeout);

/** What an undisturbed run came to. */
export interface Outcome {
	readonly status: string;
	readonly stories: readonly string[];
	/** Branch and the subjects of its commits, without their order: stories beside each other may be merged in any. */
	readonly branches: Readonly<Record<string, readonly string[]>>;
	/** Branch and the names of its files, without the records of a ralph loop. */
	readonly files: Readonly<Record<string, string>>;
	/** What git says of the checkout. */
	readonly checkout: string;
	readonly worktrees: number;
}

export function outcomeOf(site: Site): Outcome {
	const state = journalOf(site)?.state;
	const names = git(site, "for-each-ref", "--format=%(refname)", "refs/heads").split("\n");
	return {
		status: state?.status ?? "no run",
		stories: (state?.stories ?? []).map((story) => `${story.id} ${story.status}`).sort(),
		branches: Object.fromEntries(names.map((name) => [name, subjectsOf(site, name)])),
		files: Object.fromEntries(names.map((name) => [name, filesOf(site, name)])),
		checkout: execFileSync("git", ["status", "--porcelain"], { cwd: site.cwd, encoding: "utf8", env: { ...site.env } })
			.split("\n")
			.filter((line) => !isRecord(line))
			.join("\n"),
		worktrees: git(site, "worktree", "list").split("\n").length,
	};
}

/** What an agent could not commit because the disk was full, pawl commits for it. */
const plainSubject = (subject: string): string => subject.replace(/ \(left by \w+\)$/, "");

/** The files of a ralph loop count its sessions, and an interrupted one is not put back: its work goes on, whoever commits it. */
const isRecord = (line: string): boolean => /^...ralph\//.test(line);
const subjectsOf = (site: Site, branch: string): string[] => {
	if (site.workflow !== "ralph") return once(site, git(site, "log", "--format=%s", branch, "--").split("\n").map(plainSubject).sort());
	return git(site, "ls-tree", "--name-only", branch)
		.split("\n")
		.filter((name) => /^s\d\.txt$/.test(name));
};

const filesOf = (site: Site, branch: string): string => {
	const names = git(site, "ls-tree", "-r", "--name-only", branch).split("\n");
	const own = names.filter((name) => !name.startsWith("ralph/"));
	// Numbers of runs and attempts.
	const plain = own.map((name) => name.replaceAll(/\d{8}-\d{6}-[a-z0-9]{4}/g, "RUN").replaceAll(/-\d+(?=\.)/g, "-N"));
	return once(site, plain).join(" ");
};

/** The verifier of the recorded pipeline sends work back at its first attempt; if that one is lost, nothing is sent back. */
const once = (site: Site, names: readonly string[]): string[] => (site.workflow === "feature-dev" ? [...new Set(names)] : [...names]);

/** An agent whose commit failed may go on without it: then pawl commits that work with the rest of the step, or as what was left uncommitted. */
const isShorter = (found: Outcome["branches"], expected: Outcome["branches"]): boolean =>
	Object.keys(found).join() === Object.keys(expected).join() &&
	Object.entries(found).every(([name, subjects]) => subjects.every((subject) => expected[name]?.includes(subject) || isLeft(subject)));

const isLeft = (subject: string): boolean => /^chore: .*, left uncommitted$/.test(subject);

const git = (site: Site, ...args: string[]): string =>
	execFileSync("git", args, { cwd: projectOf(site), encoding: "utf8", stdio: ["ignore", "pipe", "pipe"], env: { ...site.env } }).trimEnd();

/** I4, I5: the journal is whole, and what is derived from it is whole and not ahead of it. */
export function midway(site: Site): string[] {
	try {
		const found = journalOf(site);
		if (found === null) return [];
		const { events, state, dense } = found;
		return [
			...(dense ? [] : ["I4: the versions of the journal have a gap"]),
			...(state.version === events.length ? [] : [`I4: version ${state.version} after ${events.length} events`]),
			...ofStateFile(site, found),
			...ofJsonFiles(site, found),
			...ofDocuments(site, state),
		];
	} catch (error) {
		return [`I1: the journal cannot be read: ${error instanceof Error ? error.message : error}`];
	}
}

function ofStateFile(site: Site, { events, state, sharedDir }: Journal): string[] {
	const text = textOf(join(sharedDir, "workflow_state.json"));
	if (text === null) return [];
	const prd = state.input["prd"] ?? null;
	const view = emptyView({ createdAt: state.createdAt, prdFile: prd === null ? null : prd.replace(`${projectOf(site)}/`, "") });
	let at: RunState | null = null;
	for (const event of events) {
		at = apply(at, event);
		if (at === null) continue;
		applyToView(view, event, at);
		if (renderView(view) === text) return [];
	}
	return ["I5: workflow_state.json says nothing that the journal ever said"];
}

/** Whatever format they have, half a file is none. */
function ofJsonFiles(site: Site, { sharedDir }: Journal): string[] {
	const files = [
		// run-folder.json is emptied when its iteration is over.
		...globSync("!(run-folder).json", { cwd: sharedDir }).map((name) => join(sharedDir, name)),
		...globSync(["prd.json", ".claude/*.json", "ralph/runs/demo/*.json"], { cwd: site.cwd }).map((name) => join(site.cwd, name)),
	];
	return files.flatMap((file) => {
		try {
			JSON.parse(readFileSync(file, "utf8"));
			return [];
		} catch (error) {
			return [`I5: ${file.slice(site.root.length)} is torn: ${error}`];
		}
	});
}

/** A story that a file calls done is done in the journal. */
function ofDocuments(site: Site, state: RunState): string[] {
	const done = new Set(state.stories.filter((story) => story.status === "completed").map((story) => story.id));
	const prd = site.workflow === "dynamic" ? parsed(join(site.cwd, "prd.json")) : null;
	const passed = ((prd?.["userStories"] ?? []) as { id: string; passes: boolean }[]).filter((story) => story.passes).map(({ id }) => id);
	const agentState = parsed(join(site.cwd, ".claude", "agent-state.json"));
	const tasks = ((agentState?.["completed_tasks"] ?? []) as { task: string }[]).map(({ task }) => task);
	return [...passed, ...tasks].filter((id) => !done.has(id)).map((id) => `I5: a file calls ${id} done, the journal does not`);
}

/** I1, I7, I8, I11, I17: the end, compared with that of the run that nobody disturbed. */
export function atEnd(site: Site, expected: Outcome, mayLackCommits = false): string[] {
	const found = journalOf(site);
	if (found === null) return ["I17: there is no run"];
	const wrong = midway(site);
	const { state, open, events, sharedDir } = found;
	if (open > 0) wrong.push(`I17: ${open} effects or inputs were never settled`);
	if (events.some((event) => event.event === "attempt_ignored")) wrong.push("I3: results were ignored");
	if ([state.root, ...state.stories.map((story) => story.scope)].some((scope) => scope.steps.some((step) => step.running.length > 0)))
		wrong.push("I17: attempts are under way");
	let outcome: Outcome;
	try {
		outcome = outcomeOf(site);
	} catch (error) {
		return [...wrong, `I8: git cannot read the repository: ${error instanceof Error ? error.message.slice(0, 500) : error}`];
	}
	if (mayLackCommits && isShorter(outcome.branches, expected.branches)) outcome = { ...outcome, branches: expected.branches };
	for (const [name, value] of Object.entries(outcome))
		if (JSON.stringify(value) !== JSON.stringify(expected[name as keyof Outcome]))
			wrong.push(`I7: ${name} is ${JSON.stringify(value)}, undisturbed it is ${JSON.stringify(expected[name as keyof Outcome])}`);
	wrong.push(...reachable(site), ...leftovers(site, sharedDir));
	return wrong;
}

/** Every object that a branch or a worktree needs is there and whole. */
function reachable(site: Site): string[] {
	try {
		git(site, "rev-list", "--objects", "--branches", "HEAD");
		git(site, "archive", "--format=tar", "-o", "/dev/null", "HEAD");
		return [];
	} catch (error) {
		return [`I7: the repository is damaged: ${error instanceof Error ? error.message.slice(0, 500) : error}`];
	}
}

function leftovers(site: Site, sharedDir: string): string[] {
	const inGit = globSync(["**/*.lock", "pawl-merge-index*", "pawl-lock*", "pawl/move-*.json"], {
		cwd: join(projectOf(site), ".git"),
	}).filter((name) => !/^(worktrees\/[^/]+\/)?pawl\/[\w-]+\.lock$/.test(name));
	const inRun = existsSync(sharedDir) ? globSync(["*.tmp", "**/*.part", "workflow_edits/*.json"], { cwd: sharedDir }) : [];
	const inTree = globSync(["**/*.tmp"], { cwd: site.cwd });
	const trees = globSync([".pawl/worktrees/*"], { cwd: projectOf(site) });
	return [
		...[...inGit, ...inRun, ...inTree, ...trees].map((name) => `I8: left behind: ${name}`),
		...alive(site).map(({ command }) => `I11: still alive: ${command}`),
	];
}

/** Only what is certainly of this run: others may work on this machine. */
export const alive = (site: Site) => leftProcesses(site.root, new Set()).filter(({ inside }) => inside);

const textOf = (file: string): string | null => (existsSync(file) ? readFileSync(file, "utf8") : null);

function parsed(file: string): Record<string, unknown> | null {
	try {
		return JSON.parse(textOf(file) ?? "null") as Record<string, unknown> | null;
	} catch {
		// Said elsewhere.
		return null;
	}
}
