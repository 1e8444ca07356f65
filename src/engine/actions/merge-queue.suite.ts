// A run for tests of the merge queue: small stories that are checked at their merge only, each of which writes a file with the number of its session.
import type { Check } from "../testing/engine-parts.suite.ts";
import { Harness, type HarnessOptions } from "../testing/harness.suite.ts";

export const SECOND = 1_000;
const WORKFLOW = `name: queue
title: Queue
description: Small stories that are checked at the merge only
inputs: {prd: {reader: prd, workspace: worktree}}
limits: {steps: 30, restarts: 3}
roles: {agent: {description: Writes, report: {notes: summary}}}
steps: [stories]
types:
  stories: {description: All, each: {concurrency: $agents, order: list, on_failure: block, expects_change: true, steps: [write, merge]}}
  write: {description: Write, role: agent, timeout: 1m, writes: any}
  merge:
    description: Merge
    action: merge
    internal: true
    by: engine
    timeout: 1h
    signals: [merged, empty, conflict, checks_failed, dirty]
    on: {merged: next, empty: fail story, conflict|checks_failed: {goto: write, max: 3/story, exhausted: fail story}, dirty: wait time}
on:
  done: next
  unreadable|agent_error|timeout|stalled|permission|context_too_long|boundary_violation|workspace_error|rate_limited|overloaded|auth: fail story
  lost: {insert: [same], max: 3/step, exhausted: fail story}
`;

export interface Queue {
	readonly h: Harness;
	/** The stories in each tree that was checked, and when. */
	readonly checked: { readonly tree: string; readonly from: number; readonly ended: boolean }[];
}

type Files = Parameters<Check>[0];
const storiesIn = (files: Files): string =>
	["A", "B", "C", "D"].flatMap((id) => (files.read(`${id}.txt`) === null ? [] : [`${id}${files.read(`${id}.txt`)?.trim()}`])).join(" ");

export interface QueueOptions extends Partial<HarnessOptions> {
	readonly passes: (tree: string, files: Files) => boolean;
	/** How long the check of a tree takes: five seconds by default. */
	readonly takes?: (tree: string) => number;
}

/** Stories A to D, unless the options say which. Nothing has begun: `create`, and `remove` in the end. */
export function queueOf({ passes, takes = () => 5 * SECOND, ...more }: QueueOptions): Queue {
	const checked: Queue["checked"][number][] = [];
	const h: Harness = new Harness({
		workflow: { yaml: WORKFLOW, prompts: { "prompts/write.md": "{{step_description}}\n" } },
		reader: "none",
		stories: ["A", "B", "C", "D"],
		options: { agents: 4, slots: [1, 2, 3, 4] },
		cast: {
			write: async ({ files, story, nth, takes }) => {
				await takes(SECOND + "ABCD".indexOf(story) * 10);
				files.write(`${story}.txt`, `${nth}\n`);
			},
		},
		checks: {
			test: async (files, _, signal) => {
				const tree = storiesIn(files);
				const from = h.clock.now();
				await new Promise<void>((done) => {
					h.clock.after(takes(tree), done);
					signal.addEventListener("abort", () => done());
				});
				checked.push({ tree, from, ended: !signal.aborted });
				return signal.aborted ? { exitCode: null } : passes(tree, files) ? 0 : 1;
			},
		},
		...more,
	});
	return { h, checked };
}

/** What is on base, without the first commit: the stories by their ids. */
export const landed = (h: Harness): string[] =>
	h.site
		.subjects("main")
		.slice(1)
		.map((subject) => subject.replace(/.* - Story /, ""));
