// Stories side by side: how near the schedule comes to the ideal, and what merging costs against the plain git commands.
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { countRun } from "./count.ts";
import { builtPawl, type Ended, type Figure, mean, median, must, repeated, repository, run, scratch, spreadText } from "./support.ts";

const AGENTS = 4;
const STORIES = 20;

export const prd = (ids: readonly string[]) =>
	JSON.stringify({
		project: "bench",
		userStories: ids.map((id) => ({ id, title: `Story ${id}`, description: id, acceptanceCriteria: [], passes: false })),
	});
export const names = (n: number) => Array.from({ length: n }, (_, i) => `S-${String(i + 1).padStart(4, "0")}`);

/** Twenty stories of ten steps, agents of one second a step, four at a time; ideal: the agents' own time / 4. */
export async function scheduleFigures(): Promise<Figure[]> {
	const ideal = (STORIES * 10 * 1000) / AGENTS;
	const ratios = await repeated(async () => (await schedule()).ms / ideal);
	const name = `${STORIES} stories × 10 steps of 1 s, ${AGENTS} agents / ideal`;
	return [{ name, value: spreadText(ratios), aim: "≤ 1.10", met: median(ratios) <= 1.1 }];
}

function schedule(): Promise<Ended> {
	return inSites(async (path, other) => {
		repository(path);
		writeFileSync(join(path, "prd.json"), prd(names(STORIES)));
		const agent = join(other, "agent.sh");
		writeFileSync(
			agent,
			`#!/bin/sh\nsleep 1\n[ "$PAWL_STEP_TYPE" = coding ] && echo x > "$PAWL_STORY_ID.txt"\nprintf '## SUMMARY\\n- done\\n'\n`,
			{ mode: 0o755 },
		);
		const args = ["run", "dynamic", "--prd", "prd.json", "--agents", String(AGENTS), "--agent-command", agent];
		return must(await run(await builtPawl(), args, path), "the stories");
	});
}

/** Twenty independent stories of three steps of one second and a check of five seconds at the merge, four agents; ideal: five rounds of eight seconds. */
export async function queueFigures(): Promise<Figure[]> {
	const ideal = (STORIES / AGENTS) * 8_000;
	const ahead = await repeated(() => queue("queue"));
	// For comparison only, and it takes two minutes.
	const serial = await queue("serial");
	const ratios = ahead.map(({ ms }) => ms / ideal);
	const name = `${STORIES} stories × (3 s + a check of 5 s)`;
	const checks = `${median(ahead.map((one) => one.checks))} checks`;
	return [
		{ name: `${name}, queue / ideal`, value: `${spreadText(ratios)}, ${checks}`, aim: "≤ 1.15", met: median(ratios) <= 1.15 },
		{ name: `${name}, serial / ideal, once`, value: `${(serial.ms / ideal).toFixed(2)}, ${serial.checks} checks`, aim: "", met: true },
	];
}

function queue(merge: "queue" | "serial"): Promise<{ readonly ms: number; readonly checks: number }> {
	return inSites(async (path, other) => {
		// Each that starts, also one that turns out to be pointless.
		const started = join(other, "checks");
		const slow = `echo x >> ${started}; sleep 5`;
		repository(path, { "README.md": "# bench\n", "pawl.yml": `checks: {slow: ${JSON.stringify(slow)}}\nbaseline: off\nmerge: ${merge}\n` });
		writeFileSync(join(path, "prd.json"), prd(names(STORIES)));
		const workflow = workflowIn(other, "worktree", "[write, write, write, merge]", true);
		const agent = `sh -c 'sleep 1; echo x >> "$PAWL_STORY_ID.txt"'`;
		const args = ["run", workflow, "--prd", "prd.json", "--agents", String(AGENTS), "--agent-command", agent];
		const ended = must(await run(await builtPawl(), args, path), "the queue");
		return { ms: ended.ms, checks: readFileSync(started, "utf8").length / 2 };
	});
}

/** Stories of one step that write one file, one agent: time per story that is merging, against rebase, merge --squash and commit by hand. */
export async function mergeFigures(): Promise<Figure[]> {
	const n = 40;
	const pairs = await repeated(async () => ({
		ours: mean(await merges(n)),
		plain: await inSites(async (_, other) => plainMerges(other, n)),
	}));
	const ms = (which: "ours" | "plain"): string =>
		`${spreadText(
			pairs.map((pair) => pair[which]),
			0,
		)} ms`;
	const ratios = pairs.map(({ ours, plain }) => ours / plain);
	const [few, many] = [await countMerges(5), await countMerges(15)];
	const each = (a: number | null, b: number | null): string => (a === null || b === null ? "?" : ((b - a) / 10).toFixed(1));
	const costs = {
		"git processes": each(few.git, many.git),
		"commits to the store": each(few.commits, many.commits),
		fsyncs: each(few.fsyncs, many.fsyncs),
		"fsyncs of commits and files": each(few.workFsyncs, many.workFsyncs),
	};
	return [
		{ name: "a merge by pawl (rebase, check, squash, swap)", value: ms("ours"), aim: "", met: true },
		{ name: "the plain git commands in sequence", value: ms("plain"), aim: "", met: true },
		{ name: "a merge by pawl / the plain commands", value: spreadText(ratios, 1), aim: "", met: true },
		...Object.entries(costs).map(([what, value]) => ({ name: `a story of one step and its merge: ${what}`, value, aim: "", met: true })),
	];
}

/** Milliseconds of each merge, from the journal. */
function merges(n: number): Promise<number[]> {
	return inSites(async (path, other) => {
		const ended = must(await run(await builtPawl(), mergeArgs(path, other, n), path), "the merges");
		const events = ended.stdout
			.split("\n")
			.filter((line) => line.includes('"merge-1"'))
			.map((line) => JSON.parse(line) as { at: number; event: string; scope: string; step?: string });
		return events
			.filter((e) => e.event === "step_started")
			.map((start) => (events.find((e) => e.event === "step_completed" && e.scope === start.scope)?.at ?? Number.NaN) - start.at);
	});
}

const countMerges = (n: number) => inSites(async (path, other) => countRun(await builtPawl(), mergeArgs(path, other, n), path));

function mergeArgs(path: string, other: string, n: number): string[] {
	repository(path);
	writeFileSync(join(path, "prd.json"), prd(names(n)));
	const workflow = workflowIn(other, "worktree", "[write, merge]", true);
	return ["run", workflow, "--prd", "prd.json", "--json", "--agent-command", `sh -c 'echo x > "$PAWL_STORY_ID.txt"'`];
}

function plainMerges(folder: string, n: number): number {
	const path = join(folder, "plain");
	mkdirSync(path);
	repository(path);
	const git = (cwd: string, ...args: string[]) => execFileSync("git", args, { cwd, stdio: "ignore" });
	const times: number[] = [];
	for (const id of names(n)) {
		const tree = join(folder, `w-${id}`);
		git(path, "worktree", "add", "-q", "--no-track", "-b", `story/${id}`, tree, "main");
		writeFileSync(join(tree, `${id}.txt`), "x\n");
		git(tree, "add", "-A");
		git(tree, "commit", "-qm", id);
		const start = performance.now();
		git(tree, "rebase", "-q", "main");
		git(path, "merge", "-q", "--squash", `story/${id}`);
		git(path, "commit", "-qm", `feat: ${id}`);
		git(path, "worktree", "remove", "--force", tree);
		git(path, "branch", "-q", "-D", `story/${id}`);
		times.push(performance.now() - start);
	}
	return mean(times);
}

/** A thousand stories of three steps: does a step cost the same at the end, and how much memory does it take? */
export async function manyFigures(): Promise<Figure[]> {
	const all = await repeated(thousandStories);
	const [ratios, peaks] = [all.map(({ ratio }) => ratio), all.map(({ peakMb }) => peakMb)];
	const each = median(all.map(({ ms }) => ms)).toFixed(1);
	return [
		{
			name: "1,000 stories × 3 steps: last 300 steps / first 300",
			value: `${spreadText(ratios)}, ${each} ms a step`,
			aim: "≤ 1.2",
			met: median(ratios) <= 1.2,
		},
		{ name: "1,000 stories × 3 steps: peak memory", value: `${spreadText(peaks, 0)} MB`, aim: "≤ 150 MB", met: median(peaks) <= 150 },
	];
}

function thousandStories(): Promise<{ readonly ratio: number; readonly ms: number; readonly peakMb: number }> {
	return inSites(async (path, other) => {
		repository(path);
		writeFileSync(join(other, "prd.json"), prd(names(1000)));
		const workflow = workflowIn(other, "tree", "[write, write, write]", false);
		const args = ["run", workflow, "--prd", join(other, "prd.json"), "--json", "--agent-command", "/bin/true"];
		const ended = must(await run(await builtPawl(), args, path, true), "the thousand stories");
		const starts = ended.stdout
			.split("\n")
			.filter((line) => line.includes('"step_started"'))
			.map((line) => (JSON.parse(line) as { at: number }).at);
		const steps = starts.slice(1).map((at, i) => at - (starts[i] ?? at));
		return { ratio: mean(steps.slice(-300)) / mean(steps.slice(0, 300)), ms: mean(steps), peakMb: ended.peakMb };
	});
}

/** Two folders, removed afterwards: a repository, and what lies outside of it. */
async function inSites<T>(work: (path: string, other: string) => Promise<T>): Promise<T> {
	const [site, other] = [scratch(), scratch()];
	try {
		return await work(site.path, other.path);
	} finally {
		site.remove();
		other.remove();
	}
}

export function workflowIn(folder: string, workspace: "tree" | "worktree", steps: string, expectsChange: boolean): string {
	const workflow = join(folder, "bench");
	mkdirSync(join(workflow, "prompts"), { recursive: true });
	writeFileSync(join(workflow, "prompts", "write.md"), "{{step_description}}\n");
	writeFileSync(
		join(workflow, "workflow.yml"),
		`name: bench
title: Bench
description: Small stories
inputs: {prd: {reader: prd, workspace: ${workspace}}}
limits: {steps: 30, restarts: 3}
roles: {agent: {description: Nothing, report: {notes: summary}}}
steps: [stories]
types:
  stories: {description: All, each: {concurrency: $agents, order: list, on_failure: block, expects_change: ${expectsChange}, steps: ${steps}}}
  write: {description: Write, role: agent, timeout: 1m, writes: any}
${expectsChange ? "  merge: {description: Merge, action: merge, internal: true, by: engine, timeout: 1h, signals: [merged, empty, conflict, checks_failed, dirty], on: {merged: next, empty|conflict|checks_failed|dirty: fail story}}\n" : ""}on:
  done: next
  unreadable|agent_error|timeout|stalled|permission|context_too_long|boundary_violation|workspace_error|lost|rate_limited|overloaded|auth: fail story
projections: [workflow_state]
`,
	);
	return workflow;
}
