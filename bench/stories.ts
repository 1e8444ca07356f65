// Stories side by side: how near the schedule comes to the ideal, and what merging costs against the plain git commands.
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Figure, mean, must, PAWL, repository, run, scratch } from "./support.ts";

const AGENTS = 4;
const STORIES = 20;

const prd = (ids: readonly string[]) =>
	JSON.stringify({
		project: "bench",
		userStories: ids.map((id) => ({ id, title: `Story ${id}`, description: id, acceptanceCriteria: [], passes: false })),
	});
const names = (n: number) => Array.from({ length: n }, (_, i) => `S-${String(i + 1).padStart(4, "0")}`);

/** Twenty stories of ten steps, agents of one second a step, four at a time; ideal: the agents' own time / 4. */
export async function scheduleFigures(): Promise<Figure[]> {
	const { path, remove } = scratch();
	const other = scratch();
	try {
		repository(path);
		writeFileSync(join(path, "prd.json"), prd(names(STORIES)));
		const agent = join(other.path, "agent.sh");
		writeFileSync(
			agent,
			`#!/bin/sh\nsleep 1\n[ "$PAWL_STEP_TYPE" = coding ] && echo x > "$PAWL_STORY_ID.txt"\nprintf '## SUMMARY\\n- done\\n'\n`,
			{ mode: 0o755 },
		);
		const ended = must(
			await run(PAWL, ["run", "dynamic", "--prd", "prd.json", "--agents", String(AGENTS), "--agent-command", agent], path),
			"the stories",
		);
		const ideal = (STORIES * 10 * 1000) / AGENTS;
		return [
			{
				name: `${STORIES} stories × 10 steps of 1 s, ${AGENTS} agents / ideal`,
				value: `${(ended.ms / ideal).toFixed(2)} (${(ended.ms / 1000).toFixed(0)} s)`,
				aim: "≤ 1.10",
				met: ended.ms / ideal <= 1.1,
			},
		];
	} finally {
		remove();
		other.remove();
	}
}

/** Twenty independent stories of three steps of one second and a check of five seconds at the merge, four agents; ideal: five rounds of eight seconds. */
export async function queueFigures(): Promise<Figure[]> {
	const figures: Figure[] = [];
	const ideal = (STORIES / AGENTS) * 8_000;
	for (const merge of ["queue", "serial"]) {
		const { path, remove } = scratch();
		const other = scratch();
		try {
			repository(path, { "README.md": "# bench\n", "pawl.yml": `checks: {slow: sleep 5}\nbaseline: off\nmerge: ${merge}\n` });
			writeFileSync(join(path, "prd.json"), prd(names(STORIES)));
			const workflow = workflowIn(other.path, "worktree", "[write, write, write, merge]", true);
			const agent = `sh -c 'sleep 1; echo x >> "$PAWL_STORY_ID.txt"'`;
			const args = ["run", workflow, "--prd", "prd.json", "--agents", String(AGENTS), "--json", "--agent-command", agent];
			const ended = must(await run(PAWL, args, path), "the queue");
			const checks = ended.stdout.split("\n").filter((line) => line.includes('"checks_recorded"')).length;
			const ratio = ended.ms / ideal;
			const isAim = merge === "queue";
			figures.push({
				name: `${STORIES} stories × (3 s + a check of 5 s), ${merge} / ideal`,
				value: `${ratio.toFixed(2)} (${(ended.ms / 1000).toFixed(1)} s, ${checks} checks)`,
				aim: isAim ? "≤ 1.15" : "",
				met: !isAim || ratio <= 1.15,
			});
		} finally {
			remove();
			other.remove();
		}
	}
	return figures;
}

/** Stories of one step that write one file, one agent: time per story that is merging, against rebase, merge --squash and commit by hand. */
export async function mergeFigures(): Promise<Figure[]> {
	const n = 40;
	const { path, remove } = scratch();
	const other = scratch();
	try {
		repository(path);
		writeFileSync(join(path, "prd.json"), prd(names(n)));
		const workflow = workflowIn(other.path, "worktree", "[write, merge]", true);
		const ended = must(
			await run(PAWL, ["run", workflow, "--prd", "prd.json", "--json", "--agent-command", `sh -c 'echo x > "$PAWL_STORY_ID.txt"'`], path),
			"the merges",
		);
		const events = ended.stdout
			.split("\n")
			.filter((line) => line.includes('"merge-1"'))
			.map((line) => JSON.parse(line) as { at: number; event: string; scope: string; step?: string });
		const times = events
			.filter((e) => e.event === "step_started")
			.map((start) => (events.find((e) => e.event === "step_completed" && e.scope === start.scope)?.at ?? Number.NaN) - start.at);
		const plain = plainMerges(other.path, n);
		return [
			{
				name: "a merge by pawl (rebase, check, squash, swap)",
				value: `${mean(times).toFixed(0)} ms, ${(1000 / mean(times)).toFixed(1)} a second`,
				aim: "",
				met: true,
			},
			{
				name: "the plain git commands in sequence",
				value: `${plain.toFixed(0)} ms, ${(1000 / plain).toFixed(1)} a second (${(mean(times) / plain).toFixed(1)} ×)`,
				aim: "",
				met: true,
			},
		];
	} finally {
		remove();
		other.remove();
	}
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
	const n = 1000;
	const { path, remove } = scratch();
	const other = scratch();
	try {
		repository(path);
		writeFileSync(join(other.path, "prd.json"), prd(names(n)));
		const workflow = workflowIn(other.path, "tree", "[write, write, write]", false);
		const ended = must(
			await run(PAWL, ["run", workflow, "--prd", join(other.path, "prd.json"), "--json", "--agent-command", "/bin/true"], path, true),
			"the thousand stories",
		);
		const starts = ended.stdout
			.split("\n")
			.filter((line) => line.includes('"step_started"'))
			.map((line) => (JSON.parse(line) as { at: number }).at);
		const steps = starts.slice(1).map((at, i) => at - (starts[i] ?? at));
		const ratio = mean(steps.slice(-300)) / mean(steps.slice(0, 300));
		return [
			{
				name: "1,000 stories × 3 steps: last 300 steps / first 300",
				value: `${ratio.toFixed(2)} (${mean(steps).toFixed(1)} ms a step)`,
				aim: "≤ 1.2",
				met: ratio <= 1.2,
			},
			{ name: "1,000 stories × 3 steps: peak memory", value: `${ended.peakMb.toFixed(0)} MB`, aim: "≤ 150 MB", met: ended.peakMb <= 150 },
		];
	} finally {
		remove();
		other.remove();
	}
}

function workflowIn(folder: string, workspace: "tree" | "worktree", steps: string, expectsChange: boolean): string {
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
