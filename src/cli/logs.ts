// pawl logs RUN [STORY [STEP]]: what agents printed, step after step; with --follow, as they print it.

import { basename, dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Command } from "commander";
import { RUN_SCOPE, type RunState, type Scope } from "../core/model.ts";
import { CliError, type Context, EXIT } from "./context.ts";
import { logText } from "./log-text.ts";
import { type Look, lookAt, stateOf } from "./look.ts";
import { filesIn, logFile } from "./run-files.ts";
import { Tail } from "./tail.ts";
import { paint, wantsColor } from "./text.ts";

const POLL_MS = 200;

interface Flags {
	readonly follow?: boolean;
	readonly json?: boolean;
}

interface Log {
	readonly file: string;
	readonly title: string;
}

export function command(c: Context): Command {
	return new Command("pawl logs")
		.description("print what agents printed")
		.argument("[run]", "an id, a unique prefix, or latest")
		.argument("[story]", "only of this story")
		.argument("[step]", "only of this step")
		.option("-f, --follow", "go on until the run has come to a halt")
		.option("--json", "the records as they are, as JSON lines")
		.action((name: string | undefined, story: string | undefined, step: string | undefined, flags: Flags) =>
			lookAt(c, name, (look) => printLogs(c, look, story, step, flags)),
		);
}

async function printLogs(
	c: Context,
	{ store, state }: Look,
	story: string | undefined,
	step: string | undefined,
	flags: Flags,
): Promise<void> {
	check(state, story, step, flags.follow ?? false);
	const print = printer(c, flags.json ?? false);
	for (let now = state; ; now = stateOf(state.id, store.events(state.id))) {
		// Asked before reading: what was written until the halt is then read below.
		const goesOn = flags.follow && now.status === "running";
		for (const log of logsOf(now, story, step)) print(log);
		if (!goesOn) break;
		await sleep(POLL_MS);
	}
	if (!print.any) c.err(`there is nothing in the logs of run ${state.id} yet\n`);
}

/** Prints what is new in a log, under its title where the one before was another. */
function printer(c: Context, json: boolean): { (log: Log): void; any: boolean } {
	const tails = new Map<string, Tail>();
	const color = paint(wantsColor(c.env, c.outIsTty));
	let last = "";
	const print = (log: Log): void => {
		const tail = tails.get(log.file) ?? new Tail(log.file);
		tails.set(log.file, tail);
		tail.read((line) => {
			print.any = true;
			if (json) return c.out(`${line}\n`);
			const text = logText(line);
			if (text === null) return;
			if (last !== log.file) c.out(`${last === "" ? "" : "\n"}${color.bold(`==> ${log.title} <==`)}\n`);
			last = log.file;
			c.out(`${text}\n`);
		});
	};
	print.any = false;
	return print;
}

function check(state: RunState, story: string | undefined, step: string | undefined, later: boolean): void {
	const scopes = scopesOf(state, story);
	if (scopes.length === 0)
		throw new CliError(`run ${state.id} has no story ${story}; there are ${state.stories.map((s) => s.id).join(", ") || "none"}`);
	if (step === undefined) return;
	const steps = scopes.flatMap((scope) => scope.steps);
	if (steps.some((s) => s.id === step || s.type === step) || (later && /^step-\d+$/.test(step))) return;
	throw new CliError(
		`${story} has no step ${step}; there are ${steps.map((s) => `${s.id} (${s.type})`).join(", ") || "none yet"}`,
		EXIT.usage,
	);
}

function scopesOf(state: RunState, story: string | undefined): Scope[] {
	if (story === "run" || story === RUN_SCOPE) return [state.root];
	if (story !== undefined) return state.stories.flatMap((s) => (s.id === story ? [s.scope] : []));
	return [state.root, ...state.stories.map((s) => s.scope)];
}

/** In the order of the steps; a log of a step that is in the list no more comes last. */
function logsOf(state: RunState, story: string | undefined, wanted: string | undefined): Log[] {
	return scopesOf(state, story).flatMap((scope) => {
		const known = scope.steps.map((step) => ({ id: step.id, type: step.type, file: logFile(state, scope.id, step.id) }));
		const folder = dirname(logFile(state, scope.id, "step"));
		const others = filesIn(folder)
			.map((file) => basename(file, ".jsonl"))
			.filter((id) => !known.some((step) => step.id === id))
			.map((id) => ({ id, type: "", file: logFile(state, scope.id, id) }));
		return [...known, ...others]
			.filter((step) => wanted === undefined || step.id === wanted || step.type === wanted)
			.map((step) => ({ file: step.file, title: `${scope.id === RUN_SCOPE ? "run" : scope.id} ${step.id} ${step.type}`.trim() }));
	});
}
