// The options of `pawl run` and of a one-shot, read and checked before anything else happens.
import { type Command, InvalidArgumentError, Option } from "commander";
import type { Wish } from "../../core/assign/assignment.ts";
import type { StartOptions } from "../../runs/start/start-options.ts";
import type { Context } from "../context.ts";
import { count, dollars, duration } from "../flags.ts";

/** Includes how to show the run. */
export interface RunFlags extends Omit<StartOptions, "agent" | "model" | "effort" | "only"> {
	readonly agent?: Said;
	readonly model?: Said;
	readonly effort?: Said;
	readonly json?: boolean;
	readonly quiet?: boolean;
	readonly detach?: boolean;
	readonly dryRun?: boolean;
}

export function addRunOptions(c: Context, command: Command): Command {
	for (const { flag, help, command: own } of Object.values(c.services.flags)) if (own === undefined) command.option(flag, help);
	return addChoiceOptions(command.option("--agents <n>", "how many stories run at the same time (default 1)", count))
		.option(
			"--fallback <name>",
			"an agent that stands in while another is at a usage limit (repeatable)",
			(name: string, all: readonly string[] = []) => [...all, name],
		)
		.option("--base <branch>", "the branch that stories start from and are merged into")
		.option("--timeout <type=duration>", "the time limit of a step type, e.g. coding=45m (repeatable)", timeout)
		.option("--max-cost <usd>", "start nothing more once the run has cost this much", dollars)
		.option("--allow-unknown-cost", "with a cost limit, continue after a session that does not report its cost")
		.option("--max-time <duration>", "start nothing more once agents and checks have worked this long", duration)
		.option("--max-wait <duration>", "end with exit 75 if everything waits longer than this for a usage limit", duration)
		.option("--shared-dir <dir>", "where the run's shared files go (default .pawl/runs/RUN/)")
		.option("--json", "the journal as JSON lines on stdout")
		.option("--quiet", "print only warnings while it runs, and the summary at the end")
		.addOption(new Option("--max-iterations <n>", "how many iterations a loop, or a story, may have").argParser(count))
		.option("--delay <duration>", "wait this long between two iterations of a loop", duration)
		.option("--push", "allow pawl to push the branch and open the pull request")
		.option("--pr", "end in a pull request: work on a branch of its own, push it, open the request; base is not moved")
		.option("--comment", "allow pawl to comment on the issues of the run when it begins and when it is over")
		.option("--fresh", "start a new run even if one on the same file is unfinished")
		.option("--detach", "run in the background; prints the run's id")
		.option("--dry-run", "print the plan and the prompts, start nothing")
		.addOption(
			new Option("--sandbox <name>", "what agents, checks and setup run in, instead of what pawl.yml says").choices([
				"none",
				"bwrap",
				"container",
			]),
		)
		.option("--no-checks", "deliver without the repository's own checks; the summary says so")
		.option("--yes", "approve every step that waits for approval");
}

/** The options that say who does what. */
export function addChoiceOptions(command: Command): Command {
	return command
		.option(
			"--agent <[name=]agent>",
			"claude, codex, opencode, gemini, command, scripted, or a name from pawl.yml; for one step type or role as NAME=AGENT",
			said,
		)
		.option("--agent-command <cmd>", "the command of the agent `command`, split as a shell would, run without a shell")
		.option("--script <file>", "the script of the agent `scripted`")
		.option("--model <[name=]model>", "a model of the agent, or fast, standard, strong; for one step type or role as NAME=MODEL", said)
		.option(
			"--effort <[name=]level>",
			"how much effort the model makes, such as low or high; for one step type or role as NAME=LEVEL",
			said,
		)
		.option("--role <role=agent[:model]>", "another agent or model for a role (repeatable)", role);
}

/** The values of a repeatable flag: for everything, and by step type or role. */
interface Said {
	readonly all?: string;
	readonly only: Readonly<Record<string, string>>;
}

function said(text: string, before: Said | undefined): Said {
	const [, name, value] = /^([A-Za-z0-9][\w.-]*)=(.*)$/s.exec(text) ?? [];
	if ((value ?? text).trim() === "") throw new InvalidArgumentError("it must not be empty.");
	if (name === undefined || value === undefined) return { only: {}, ...before, all: text };
	return { ...before, only: { ...before?.only, [name]: value } };
}

/** Everything that is said about one step type or role, together. */
export function chosenBy(flags: Pick<RunFlags, "agent" | "model" | "effort">): Pick<StartOptions, "agent" | "model" | "effort" | "only"> {
	const only: Record<string, Wish> = {};
	const all: Record<string, string> = {};
	for (const key of ["agent", "model", "effort"] as const) {
		if (flags[key]?.all !== undefined) all[key] = flags[key].all;
		for (const [name, value] of Object.entries(flags[key]?.only ?? {})) only[name] = { ...only[name], [key]: value };
	}
	return { ...all, ...(Object.keys(only).length > 0 ? { only } : {}) };
}

type FormatFlag = NonNullable<StartOptions["flags"]>[string];
type Options = StartOptions & Pick<RunFlags, "json" | "quiet" | "detach" | "dryRun">;

/** Flags that formats declare appear among the others on the command line. For a flag of the form `--no-…` the value `true` means that it was not given. */
export function startOptions(c: Context, flags: RunFlags): Options {
	const isFormats = ([name]: readonly [string, unknown]): boolean => Object.hasOwn(c.services.flags, name);
	const { agent, model, effort, ...others } = flags;
	const choice = chosenBy({ ...(agent && { agent }), ...(model && { model }), ...(effort && { effort }) });
	const all = Object.entries({ ...others, ...choice });
	const isGiven = ([name, value]: readonly [string, unknown]): boolean =>
		value !== true || !c.services.flags[name]?.flag.startsWith("--no-");
	const own = Object.entries(others).filter((entry) => isFormats(entry) && isGiven(entry)) as [string, FormatFlag][];
	return { ...Object.fromEntries(all.filter((entry) => !isFormats(entry))), flags: Object.fromEntries(own) };
}

function timeout(text: string, all: Readonly<Record<string, number>> = {}): Record<string, number> {
	const [, type = "", value = ""] = /^([\w-]+)=(.+)$/.exec(text) ?? [];
	if (type === "") throw new InvalidArgumentError("it must be TYPE=DURATION, such as coding=45m.");
	return { ...all, [type]: duration(value) };
}

function role(text: string, all: NonNullable<RunFlags["role"]> = {}): NonNullable<RunFlags["role"]> {
	const [, name = "", agent = "", model] = /^([\w-]+)=([^:]+)(?::(.+))?$/.exec(text) ?? [];
	if (name === "") throw new InvalidArgumentError("it must be ROLE=AGENT or ROLE=AGENT:MODEL.");
	return { ...all, [name]: { agent, model: model ?? null } };
}
