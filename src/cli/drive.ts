// Driving a run to its halt from a terminal: engine, progress, signals, the summary and the exit code. Used by everything
// that starts or goes on with a run.
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Config } from "../config.ts";
import type { Input } from "../core/input.ts";
import { pullRequestUrl } from "../core/mark.ts";
import type { RunState } from "../core/model.ts";
import { failedStep } from "../core/query.ts";
import { type AgentChoice, type StartedWith, startedWith } from "../core/started-with.ts";
import { adopt } from "../engine/adopt.ts";
import { systemClock } from "../engine/clock.ts";
import { Engine } from "../engine/engine.ts";
import type { EngineParts } from "../engine/parts.ts";
import { type Opened, Run } from "../engine/run.ts";
import { agentHome } from "../runs/agent-home.ts";
import { hold } from "../runs/hold.ts";
import { usd } from "../runs/look/json-values.ts";
import { loopView } from "../runs/look/run-view.ts";
import { notifier } from "../runs/notify.ts";
import { databaseOf } from "../runs/place.ts";
import { holdTree } from "../runs/prepare/tree.ts";
import { recoveryText } from "../runs/recovery.ts";
import { rows } from "../runs/rows.ts";
import type { Lease, Store } from "../store.ts";
import { detectChecks, withoutPlaceholders } from "../toolchain/checks.ts";
import type { Repository } from "../workspace.ts";
import { CliError, type Context, EXIT, exitOfStatus } from "./context.ts";
import { type LiveView, liveView } from "./live.ts";
import { jsonReporter, lineReporter } from "./progress.ts";
import { summaryText } from "./summary.ts";
import { paint, wantsColor } from "./text.ts";

export interface Drive {
	readonly store: Store;
	readonly run: string;
	readonly repository: Repository;
	readonly config: Config;
	readonly json: boolean;
	/** Where the store is, if not in its usual place. */
	readonly database?: string;
	/** What is fed first; an `advance` where nothing is said. */
	readonly first?: readonly Input[];
	/** Called before the summary; says whether the run's folder is still there. */
	readonly finish?: (state: RunState) => boolean;
}

export async function drive(c: Context, d: Drive): Promise<number> {
	const lease = await hold(d.store, d.run);
	if (lease === null) throw new CliError(`run ${d.run} is already being run by another pawl; pawl status ${d.run} shows it`);
	try {
		const opened = await openRun(c, d, lease);
		const { state } = opened.run;
		const screen = screenFor(c, d);
		const engine = new Engine(await partsOf(c, d, state, screen), opened);
		const signals = watchSignals(screen, engine);
		let ended: RunState;
		try {
			ended = await engine.run(d.first);
		} finally {
			signals.stop();
			screen.close();
		}
		return await conclude(c, d, ended, signals.exitCode());
	} finally {
		await lease.release();
	}
}

/** The run with its lease; a file of it that somebody changed counts, where its format allows that. */
async function openRun(c: Context, d: Drive, lease: Lease): Promise<Opened> {
	const place = { store: d.store, rows, ...crashHook(c) };
	const opened = await Run.open(place, d.run, lease);
	if (opened === null) throw new CliError(`there is no run ${d.run}`);
	const { state } = opened.run;
	checkTree(d, state);
	await d.repository.exclude(shellOf(state).exclude);
	const changed = await c.services.changedByHand(shellOf(state).sharedDir, d.repository.root, opened.events);
	if (changed === null) return opened;
	if ("problem" in changed) throw new CliError(changed.problem);
	await adopt(opened.run, c.now(), changed.adopted);
	c.err(`pawl: going on from ${changed.file}, which is not as pawl left it\n`);
	return (await Run.open(place, d.run, lease)) ?? opened;
}

/** A run in the user's tree may put it back: only on the branch that it works on, and alone. */
function checkTree(d: Drive, state: RunState): void {
	if (state.definition.inputs[state.options.mode]?.workspace !== "tree") return;
	const { base } = state.options;
	if (base !== null && d.repository.branch !== base)
		throw new CliError(
			`run ${d.run} works on the branch ${base}, and ${d.repository.branch ?? "no branch"} is checked out: switch to ${base} first, or go to the worktree that has it`,
		);
	holdTree(d.repository);
}

/** A terminal gets the live view, a pipe gets lines, --json the journal. */
function screenFor(c: Context, d: Drive): LiveView {
	if (!d.json && c.errIsTty && c.env["TERM"] !== "dumb" && (c.env["CI"] ?? "") === "")
		return liveView(c, () => ({ columns: process.stderr.columns ?? 80, rows: process.stderr.rows ?? 24 }));
	const warn = (text: string) =>
		c.err(d.json ? `${JSON.stringify({ ts: new Date(c.now()).toISOString(), event: "warning", text })}\n` : `${text}\n`);
	return { report: d.json ? jsonReporter(c) : lineReporter(c), note: warn, close: () => {} };
}

async function partsOf(c: Context, d: Drive, state: RunState, screen: LiveView): Promise<EngineParts> {
	const shell = shellOf(state);
	const { root } = d.repository;
	const make = async (choice: AgentChoice) => {
		const made = await c.services.makeAgent(choice, d.config, root);
		if ("problem" in made) throw new CliError(made.problem);
		return made;
	};
	const usual = await make(shell.agent);
	const standIns = await Promise.all(shell.fallback.map(make));
	const roles = new Map(await Promise.all(Object.entries(shell.roles).map(async ([role, choice]) => [role, await make(choice)] as const)));
	return {
		...commonParts(c, d, state),
		agentsFor: (role) => [roles.get(role) ?? usual, ...standIns],
		onEvents: screen.report,
		onWarning: (text) => screen.note(`pawl: ${text}`),
	};
}

/** All that does not depend on who does the steps. */
export function commonParts(
	c: Context,
	d: Pick<Drive, "repository" | "config" | "database">,
	state: RunState,
): Omit<EngineParts, "agentsFor"> {
	const shell = shellOf(state);
	const { root } = d.repository;
	const detected = detectChecks(root);
	const { env, secrets } = c.services.agentEnv(d.config, c.env);
	return {
		sharedDir: shell.sharedDir,
		database: d.database ?? databaseOf(root),
		repository: d.repository,
		actions: c.services.actions,
		evidence: c.services.evidence,
		keepers: c.services.keepers,
		writeRules: c.services.writeRules,
		controlFiles: c.services.controlFiles,
		projections: c.services.projections(shell.sharedDir, root),
		checks: Object.fromEntries(Object.entries(d.config.checks).map(([name, command]) => [name, withoutPlaceholders(command)])),
		hints: { lint: d.config.checks["lint"] ?? detected.lint ?? null, test: d.config.checks["test"] ?? detected.test ?? null },
		env,
		secrets,
		stallMs: null,
		isolate: true,
		clock: systemClock(c.now),
		forges: c.services.forges,
		homeOf: (now, role) => agentHome(root, now.definition.name, role),
		keepBrought: c.services.keepBrought,
		notify: notifier(d.config, env, state.definition.pipeline?.notify ?? null),
		...crashHook(c),
	};
}

/** For tests of recovery: the process ends, as if killed, at the Nth boundary of this name. */
export function crashHook(c: Context): Pick<EngineParts, "crashPoint"> {
	const wanted = c.env["PAWL_CRASH_AT"];
	if (wanted === undefined || wanted === "") return {};
	const [, point = "", nth = "1"] = /^(.*?)(?:#(\d+))?$/.exec(wanted) ?? [];
	let seen = 0;
	return {
		crashPoint: (name) => {
			if (name === point && ++seen === Number(nth)) process.kill(process.pid, "SIGKILL");
		},
	};
}

export const shellOf = (state: RunState): StartedWith => startedWith(state);

function watchSignals(screen: LiveView, engine: Engine): { exitCode(): number | null; stop(): void } {
	let code: number | null = null;
	const on = (signal: "SIGINT" | "SIGTERM", exit: number) => {
		const listener = () => {
			if (code !== null) {
				engine.kill();
				process.exit(exit);
			}
			code = exit;
			screen.note("pawl: stopping; once more ends at once");
			engine.stop("interrupt");
		};
		process.on(signal, listener);
		return () => void process.off(signal, listener);
	};
	const offs = [on("SIGINT", EXIT.interrupted), on("SIGTERM", EXIT.terminated)];
	return { exitCode: () => code, stop: () => offs.forEach((off) => off()) };
}

async function conclude(c: Context, d: Drive, state: RunState, signalled: number | null): Promise<number> {
	const exit = signalled !== null && state.status === "paused" ? signalled : exitOfStatus(state.status);
	const shell = shellOf(state);
	const diffs = diffsOf(shell.sharedDir);
	const kept = d.finish?.(state) ?? true;
	if (d.json) {
		const { costUsd, inputTokens, outputTokens } = state.totals;
		c.out(
			`${JSON.stringify({ event: "run_finished", at: c.now(), run: state.id, status: state.status, reason: state.reason, exit_code: exit, ...recoveryIn(state), cost_usd: usd(costUsd), input_tokens: inputTokens, output_tokens: outputTokens, stories: Object.fromEntries(state.stories.map((s) => [s.id, s.status])), files: kept ? shell.sharedDir : null, ...(state.branch === null ? {} : { branch: state.branch, pull_request: pullRequestUrl(state) }) })}\n`,
		);
		return exit;
	}
	const to = state.branch ?? state.options.base ?? "HEAD";
	const commits = await d.repository.commits(shell.startCommit, to).catch(() => []);
	c.out(
		summaryText({
			state,
			sharedDir: shell.sharedDir,
			kept,
			commits,
			diffs: kept ? diffs : [],
			width: c.width,
			color: paint(wantsColor(c.env, c.outIsTty)),
			now: c.now(),
		}),
	);
	// What was not kept in .pawl/ cannot be gone on with.
	if (d.finish !== undefined) return exit;
	const recovery = state.definition.resume === "never" && state.status !== "completed" ? recoveryText(state) : null;
	if (recovery !== null) {
		if (state.status !== "refused") c.out(`\n${recovery}\n`);
	} else if (state.status === "waiting") c.out(decideText(state.id));
	else if (state.status === "stopped" && isUsedUp(state))
		c.out(`go on with: pawl extend ${state.id} --max-iterations N, then pawl resume ${state.id}\n`);
	else if (["paused", "stopped", "limited"].includes(state.status)) c.out(`go on with: pawl resume ${state.id}\n`);
	else if (state.status === "failed" && state.stories.some((s) => s.status === "failed"))
		c.out(`try the failed story again with: pawl retry ${state.id}\n`);
	else if (state.status === "failed" && failedStep(state) !== undefined && state.definition.resume !== "never")
		c.out(`try the step that failed again with: pawl retry ${state.id}\n`);
	return exit;
}

const recoveryIn = (state: RunState): { recovery?: string } => {
	const text = state.definition.resume === "never" && !["completed", "refused"].includes(state.status) ? recoveryText(state) : null;
	return text === null ? {} : { recovery: text };
};

/** The loop has had all of its iterations: a resume alone would end at once. */
function isUsedUp(state: RunState): boolean {
	const { loop } = loopView(state);
	return loop !== undefined && loop.max_iterations !== null && loop.iteration >= loop.max_iterations;
}

const decideText = (run: string): string =>
	`a person decides: pawl approve ${run}, pawl retry ${run} or pawl reject ${run} --reason "…"\nthen go on with: pawl resume ${run}\n`;

function diffsOf(sharedDir: string): string[] {
	return ["failures", "restarts"].flatMap((folder) => {
		const path = join(sharedDir, folder);
		return statSync(path, { throwIfNoEntry: false })?.isDirectory()
			? readdirSync(path)
					.filter((file) => file.endsWith(".diff"))
					.sort()
					.map((file) => join(path, file))
			: [];
	});
}
