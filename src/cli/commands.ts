// All commands: those for runs, those of formats, those about pawl itself. `pawl --help` shows them by their groups. The module of a command is loaded
// only when it is used.
import type { FormatCommand } from "../command.ts";
import type { CommandEntry } from "./context.ts";

type Commands = Readonly<Record<string, CommandEntry>>;

const FOR_RUNS: Commands = {
	run: { group: "run", summary: "start a run and follow it to its end", load: () => import("./run/run.ts") },
	resume: { group: "run", summary: "continue a run that was stopped, paused or killed", load: () => import("./run/resume.ts") },
	retry: { group: "run", summary: "continue a failed story from the step that failed", load: () => import("./run/retry.ts") },
	runs: { group: "watch", summary: "list the runs of this repository", load: () => import("./watch/runs.ts") },
	status: { group: "watch", summary: "show a run: stories, steps, cost", load: () => import("./watch/status.ts") },
	watch: { group: "watch", summary: "watch a run live, and answer, steer or pause it", load: () => import("./watch/watch.ts") },
	stories: { group: "watch", summary: "list the stories of a run", load: () => import("./watch/stories.ts") },
	history: { group: "watch", summary: "show everything that happened in a run", load: () => import("./watch/history.ts") },
	logs: { group: "watch", summary: "print what agents and checks printed", load: () => import("./watch/logs.ts") },
	checks: { group: "watch", summary: "list the checks of a run, and how each ended", load: () => import("./watch/checks.ts") },
	cost: { group: "watch", summary: "show what a run cost, by story, step and model", load: () => import("./watch/cost.ts") },
	diff: { group: "watch", summary: "show what a story changed", load: () => import("./watch/diff.ts") },
	ui: { group: "watch", summary: "serve the dashboard: runs, questions, output, actions", load: () => import("./watch/ui.ts") },
	retro: {
		group: "watch",
		summary: "have an agent say what a finished run wasted, and what to change",
		load: () => import("./watch/retro.ts"),
	},
	attach: { group: "run", summary: "follow a run that machines share, from any checkout", load: () => import("./run/attach.ts") },
	worker: { group: "run", summary: "work on the runs of a database that machines share", load: () => import("./run/worker.ts") },
	workers: { group: "watch", summary: "list the workers of a database that machines share", load: () => import("./watch/workers.ts") },
	accounts: {
		group: "watch",
		summary: "list the accounts that agents of workers share",
		load: () => import("./watch/accounts.ts"),
	},
	pause: { group: "run", summary: "stop a run so that it can be resumed", load: () => import("./run/pause.ts") },
	cancel: { group: "run", summary: "end a run for good", load: () => import("./run/cancel.ts") },
	approve: { group: "decide", summary: "approve a step that waits for a person", load: () => import("./decide/approve.ts") },
	reject: { group: "decide", summary: "reject a step that waits for a person", load: () => import("./decide/reject.ts") },
	answer: { group: "decide", summary: "answer a question that an agent asks", load: () => import("./decide/answer.ts") },
	undo: { group: "decide", summary: "take back what a run or a story delivered", load: () => import("./decide/undo.ts") },
	skip: { group: "decide", summary: "skip a step of a story", load: () => import("./decide/skip.ts") },
	steer: { group: "decide", summary: "tell the agents of a run something", load: () => import("./decide/steer.ts") },
	check: {
		group: "decide",
		summary: "run an on-demand step next: an extra look at the work so far",
		load: () => import("./decide/check.ts"),
	},
	extend: { group: "decide", summary: "raise a limit of a run", load: () => import("./decide/extend.ts") },
	workflow: { group: "author", summary: "write, list, show and validate workflows", load: () => import("./author/workflow.ts") },
	step: { group: "plumbing", summary: "claim steps of a run and hand in their results", load: () => import("./plumbing/step.ts") },
	edits: { group: "plumbing", summary: "validate an edit file of an agent", load: () => import("./plumbing/edits.ts") },
};

const ABOUT_PAWL: Commands = {
	mcp: {
		group: "plumbing",
		summary: "MCP servers: for the agent of a step; serve: for an agent that starts and watches runs",
		load: () => import("./plumbing/mcp.ts"),
	},
	init: { group: "author", summary: "write a pawl.yml: agent, checks, setup; asks on a terminal", load: () => import("./author/init.ts") },
	schema: { group: "author", summary: "print the JSON Schema of a format", load: () => import("./author/schema.ts") },
	bundle: { group: "watch", summary: "put a run into one archive for a bug report", load: () => import("./watch/bundle.ts") },
	receipt: { group: "watch", summary: "show how a commit or a story came to be", load: () => import("./watch/receipt.ts") },
	prune: { group: "watch", summary: "remove old runs and what they left", load: () => import("./watch/prune.ts") },
	models: {
		group: "author",
		summary: "show which model each step of a workflow gets, and who says so",
		load: () => import("./author/models.ts"),
	},
	database: { group: "author", summary: "set up a database that machines share", load: () => import("./author/database.ts") },
	doctor: { group: "watch", summary: "find missing parts and leftovers of earlier runs", load: () => import("./watch/doctor.ts") },
	demo: { group: "run", summary: "show a workflow at work with scripted agents, without a model", load: () => import("./demo/demo.ts") },
	completion: { group: "plumbing", summary: "print a completion script for a shell", load: () => import("./plumbing/completion.ts") },
};

/** `NAME SUB` of a format goes below the command NAME. */
export function commandsOf(formats: Readonly<Record<string, FormatCommand>>): Commands {
	const all = Object.entries(formats);
	const own = all.filter(([name]) => !name.includes(" "));
	const commands = { ...FOR_RUNS, ...Object.fromEntries(own.map(([name, entry]) => [name, asEntry(entry)])), ...ABOUT_PAWL };
	return Object.fromEntries(
		Object.entries(commands).map(([name, entry]) => {
			const below = all.filter(([other]) => other.startsWith(`${name} `)).map(([, sub]) => sub);
			return [name, below.length === 0 ? entry : withCommands(entry, below)];
		}),
	);
}

const asEntry = ({ summary, group = "author", load }: FormatCommand): CommandEntry => ({
	group,
	summary,
	load: async () => {
		const [{ command }, { contextFor }] = await Promise.all([load(), import("./format-context.ts")]);
		return { command: (c) => command(contextFor(c)) };
	},
});

const withCommands = ({ group, summary, load }: CommandEntry, below: readonly FormatCommand[]): CommandEntry => ({
	group,
	summary,
	load: async () => {
		const [{ command }, { contextFor }] = await Promise.all([load(), import("./format-context.ts")]);
		const subs = await Promise.all(below.map((sub) => sub.load()));
		return {
			command: (c) => {
				const made = command(c);
				for (const sub of subs) made.addCommand(sub.command(contextFor(c)));
				return made;
			},
		};
	},
});
