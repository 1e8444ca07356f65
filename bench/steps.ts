// What a step costs besides its agent: a workflow of N steps that do nothing, against bare spawns of the same command.
import { spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { builtPawl, type Figure, mean, median, must, repeated, repository, run, scratch, spreadText } from "./support.ts";

const COMMAND = "/bin/true";

const AIM_MS = 8;
/** The same aim for a machine of any speed: it was set where `git rev-parse` takes 2 ms. */
const AIM_GIT = 4;
const FLAT = 1.2;

export async function stepFigures(): Promise<Figure[]> {
	const bare: number[] = [];
	const over = async (steps: number): Promise<{ readonly ms: number; readonly git: number }[]> =>
		repeated(async () => {
			const git = await spawns(100, "git", ["rev-parse", "--git-dir"]);
			const spawned = await spawns(100, COMMAND);
			bare.push(spawned);
			const ms = median(await stepTimes(steps)) - spawned;
			return { ms, git: ms / git };
		});
	const figures: Figure[] = [];
	for (const steps of [10, 100]) {
		const all = await over(steps);
		const [times, ratios] = [all.map(({ ms }) => ms), all.map(({ git }) => git)];
		const name = `a step over the bare spawn, run of ${steps}`;
		figures.push({ name, value: `${spreadText(times, 1)} ms`, aim: `≤ ${AIM_MS} ms`, met: median(times) <= AIM_MS });
		figures.push({ name: `${name} / git rev-parse`, value: spreadText(ratios, 1), aim: `≤ ${AIM_GIT}`, met: median(ratios) <= AIM_GIT });
	}
	figures.push({ name: "bare spawn of the same command", value: `${spreadText(bare, 1)} ms`, aim: "", met: true });
	return [...figures, growth("a thousand", await repeated(() => stepTimes(1000)))];
}

/** One story of ten thousand steps, once: it takes minutes. */
export async function longFigures(): Promise<Figure[]> {
	// A hundred of them end between two writes of a state file that has megabytes.
	return [growth("ten thousand", [await stepTimes(10_000)], ["thousand", 1000])];
}

function growth(many: string, runs: readonly (readonly number[])[], [few, n]: readonly [string, number] = ["hundred", 100]): Figure {
	const ratios = runs.map((times) => mean(times.slice(-n)) / mean(times.slice(0, n)));
	const a = mean(runs.map((times) => median(times)));
	const value = `${spreadText(ratios)}, ${a.toFixed(1)} ms a step`;
	return { name: `last ${few} of ${many} steps / first ${few}`, value, aim: `≤ ${FLAT}`, met: median(ratios) <= FLAT };
}

async function spawns(n: number, command: string, args: readonly string[] = []): Promise<number> {
	const times: number[] = [];
	for (let i = 0; i < n; i++) {
		const start = performance.now();
		await new Promise((resolve, reject) =>
			spawn(command, args, { stdio: ["pipe", "pipe", "pipe"] })
				.on("close", resolve)
				.on("error", reject),
		);
		times.push(performance.now() - start);
	}
	return median(times);
}

/** Milliseconds from each step's start to the next one's, from the journal. `beside` is open while they run. */
export function stepTimes(n: number, beside: Beside = async () => async () => {}): Promise<number[]> {
	return withSteps(n, beside, async (path, args) => {
		const ended = must(await run(await builtPawl(), args, path), `a run of ${n} steps`);
		const starts = ended.stdout
			.split("\n")
			.filter((line) => line.includes('"step_started"'))
			.map((line) => JSON.parse(line) as { at: number; event: string; scope: string })
			.filter((event) => event.event === "step_started" && event.scope !== "@run")
			.map((event) => event.at);
		return starts.slice(1).map((at, i) => at - (starts[i] ?? at));
	});
}

/** What is open while a run goes on; the result closes it. */
export type Beside = (cwd: string) => Promise<() => Promise<void>>;

/** A repository and the arguments of a run of so many steps in it. */
export async function withSteps<T>(n: number, beside: Beside, work: (cwd: string, args: readonly string[]) => Promise<T>): Promise<T> {
	const { path, remove } = scratch();
	const other = scratch();
	try {
		repository(path);
		const workflow = join(other.path, "bench");
		mkdirSync(join(workflow, "prompts"), { recursive: true });
		writeFileSync(join(workflow, "prompts", "noop.md"), "{{step_description}}\n");
		writeFileSync(join(workflow, "workflow.yml"), definition(n));
		const close = await beside(path);
		return await work(path, ["run", workflow, "nothing", "--agent-command", COMMAND, "--json"]).finally(close);
	} finally {
		remove();
		other.remove();
	}
}

/** A workflow of so many steps. */
export function definition(n: number): string {
	return `name: bench
title: Bench
description: Steps that do nothing
inputs: {request: {reader: request, workspace: tree}}
limits: {steps: ${n + 10}, restarts: 3}
roles: {agent: {description: Nothing, report: {notes: summary}}}
steps: [stories]
types:
  stories: {description: All, each: {concurrency: 1, order: list, on_failure: fail_run, expects_change: false, steps: [${Array.from({ length: n }, () => "noop").join(", ")}]}}
  noop: {description: Do nothing, role: agent, timeout: 1m, writes: any}
on:
  done: next
  unreadable|agent_error|timeout|stalled|permission|context_too_long|boundary_violation|workspace_error|lost|rate_limited|overloaded|auth: fail run
projections: [workflow_state]
`;
}
