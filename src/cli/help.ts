// `pawl --help`: the commands in groups, and the first commands that a new user needs.
import type { CommandGroup } from "../command.ts";
import type { EXIT } from "./context.ts";

export const TITLES: Readonly<Record<CommandGroup, string>> = {
	run: "run",
	watch: "watch",
	decide: "decide",
	author: "author",
	plumbing: "plumbing (for agents, scripts and shells)",
};

export const EXIT_WORDS: Readonly<Record<keyof typeof EXIT, string>> = {
	ok: "done; for a run: every story completed",
	failed: "failed: a story or the run failed, or pawl itself could not continue",
	usage: "usage or bad input; nothing was started",
	waits: "the run waits for a person, or a person paused it",
	budget: "stopped by a budget",
	rateLimited: "rate-limited: everything waits for a usage limit",
	interrupted: "ended by Ctrl-C",
	terminated: "ended by SIGTERM",
};

type Commands = Readonly<Record<string, { readonly group: CommandGroup; readonly summary: string }>>;

export function overview(commands: Commands, version: string): string {
	const listed = Object.entries(TITLES).map(([name, title]) => {
		const rows = Object.entries(commands).filter(([, { group }]) => group === name);
		return `${title}\n${rows.map(([command, { summary }]) => `  ${command.padEnd(11)} ${summary}`).join("\n")}`;
	});
	return `pawl ${version}: drives coding agents through workflows that only move forward

  pawl "REQUEST"                          one request, ten small steps, in the current tree
  pawl run WORKFLOW [REQUEST|FILE|ID]     a run that keeps its state in .pawl/

${listed.join("\n\n")}

examples
  pawl "Fix the off-by-one in the pager"              do one thing here, now
  pawl run dynamic --prd prd.json --agents 3          stories side by side, merged one by one
  pawl plan "Log in with a link"                      an idea becomes the stories of a prd.json
  pawl run phased TASKS.md --max-cost 10              a task document, within a limit
  pawl status                                         the state of the latest run, and why
  pawl approve --resume                               approve the waiting step and continue
  pawl steer "keep the old API"                       tell the agents something

pawl COMMAND --help says more. Exit codes: 0 ok, 1 failed, 2 usage or bad input, 3 waits for a person,
4 stopped by a budget, 75 rate-limited, 130/143 ended by a signal.
`;
}
