// Which command is meant, and what becomes of its failures. A command's module is loaded only when it is used.
import type { Command } from "commander";
import type { Services } from "../runs/context.ts";
import { asRefusal, Refusal } from "../runs/refusal.ts";
import { type CommandEntry, type Context, EXIT, exitOf } from "./context.ts";

const COMMANDS: Readonly<Record<string, CommandEntry>> = {
	run: { summary: "start a run and follow it to its end", load: () => import("./run.ts") },
	resume: { summary: "go on with a run that was stopped, paused or killed", load: () => import("./resume.ts") },
	retry: { summary: "let a failed story go on from the step that failed", load: () => import("./retry.ts") },
	runs: { summary: "list the runs of this repository", load: () => import("./runs.ts") },
	status: { summary: "show a run: stories, steps, cost", load: () => import("./status.ts") },
	stories: { summary: "list the stories of a run", load: () => import("./stories.ts") },
	history: { summary: "show everything that happened in a run", load: () => import("./history.ts") },
	logs: { summary: "print what agents printed", load: () => import("./logs.ts") },
	cost: { summary: "show what a run cost, by story and step", load: () => import("./cost.ts") },
	diff: { summary: "show what a story changed", load: () => import("./diff.ts") },
	pause: { summary: "stop a run so that it can be resumed", load: () => import("./pause.ts") },
	cancel: { summary: "end a run for good", load: () => import("./cancel.ts") },
	approve: { summary: "approve what waits for a person", load: () => import("./approve.ts") },
	reject: { summary: "reject what waits for a person", load: () => import("./reject.ts") },
	steer: { summary: "tell the agents of a run something", load: () => import("./steer.ts") },
	check: { summary: "have a check on demand run next", load: () => import("./check.ts") },
	extend: { summary: "raise a limit of a run", load: () => import("./extend.ts") },
	workflow: { summary: "list, show and validate workflows", load: () => import("./workflow.ts") },
	step: { summary: "take steps of a run and bring back their results", load: () => import("./step.ts") },
	checkpoint: { summary: "list, restore and validate checkpoints of a phased run", load: () => import("./checkpoint.ts") },
	phased: { summary: "write and check task documents", load: () => import("./phased.ts") },
	lock: { summary: "locks on files, for agents that work side by side", load: () => import("./lock.ts") },
	edits: { summary: "validate an edit file of an agent", load: () => import("./edits.ts") },
	prd: { summary: "validate a prd.json", load: () => import("./prd.ts") },
	todo: { summary: "the issues in TODO/: list, next, new, check", load: () => import("./todo.ts") },
	ralph: { summary: "make and check run folders of the Ralph loop", load: () => import("./ralph.ts") },
	mcp: { summary: "the MCP server that an agent is given for a step", load: () => import("./mcp.ts") },
	init: { summary: "write a pawl.yml with what was found in the repository", load: () => import("./init.ts") },
	doctor: { summary: "look for what is missing or left behind", load: () => import("./doctor.ts") },
	demo: { summary: "show a run with a scripted agent in a scratch repository", load: () => import("./demo.ts") },
	completion: { summary: "print a completion script for a shell", load: () => import("./completion.ts") },
};

export async function main(argv: readonly string[], services: Services): Promise<number> {
	const c = contextOf(services);
	try {
		return await dispatch(c, argv);
	} catch (error) {
		return report(c, error);
	}
}

function contextOf(services: Services): Context {
	// A reader that goes away (head, a closed terminal) must not end a run.
	for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});
	let exitCode: number = EXIT.ok;
	const err = (text: string) => void process.stderr.write(text);
	return {
		commands: COMMANDS,
		exit: (code) => {
			exitCode = code;
		},
		exitCode: () => exitCode,
		cwd: process.cwd(),
		env: process.env,
		services,
		now: Date.now,
		out: (text) => void process.stdout.write(text),
		err,
		warn: (text) => err(`pawl: ${text}\n`),
		outIsTty: process.stdout.isTTY === true,
		errIsTty: process.stderr.isTTY === true,
		width: process.stdout.columns ?? process.stderr.columns ?? 100,
		self: [process.execPath, ...process.execArgv, process.argv[1] ?? ""],
	};
}

async function dispatch(c: Context, argv: readonly string[]): Promise<number> {
	const [first] = argv;
	if (first === undefined || first === "--help" || first === "-h" || (first === "help" && argv.length === 1)) {
		const { overview } = await import("./help.ts");
		c.out(overview(COMMANDS, c.services.version));
		return first === undefined ? EXIT.usage : EXIT.ok;
	}
	if (first === "--version" || first === "-V") {
		c.out(`${c.services.version}\n`);
		return EXIT.ok;
	}
	const named = first === "help" ? argv[1] : first;
	const entry = named !== undefined && Object.hasOwn(COMMANDS, named) ? COMMANDS[named] : undefined;
	if (entry) return parse(c, (await entry.load()).command(c), first === "help" ? ["--help"] : argv.slice(1));
	const { oneShot, notACommand } = await import("./one-shot.ts");
	const problem = notACommand(argv, Object.keys(COMMANDS));
	if (problem !== null) throw new Refusal("invalid", problem);
	return parse(c, oneShot(c), argv);
}

async function parse(c: Context, command: Command, argv: readonly string[]): Promise<number> {
	const configure = (one: Command) => {
		one.exitOverride().configureOutput({ writeOut: (text) => c.out(text), writeErr: (text) => c.err(text) });
		one.showSuggestionAfterError(true);
		for (const sub of one.commands) configure(sub);
	};
	configure(command);
	await command.parseAsync([...argv], { from: "user" });
	return c.exitCode();
}

function report(c: Context, error: unknown): number {
	if (error instanceof Error && error.name === "CommanderError")
		return (error as Error & { exitCode: number }).exitCode === 0 ? EXIT.ok : EXIT.usage;
	const refusal = asRefusal(error);
	c.warn(refusal.message);
	if (refusal.code === "internal" && c.env["PAWL_DEBUG"]) c.err(`${error instanceof Error ? error.stack : ""}\n`);
	return exitOf(refusal);
}
