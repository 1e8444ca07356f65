// The schema of a workflow.yml: its keys and the kind of value of each. What the values mean together is checked later. The JSON Schema
// for editors is generated from this.
import { z } from "zod";
import { labelProblem } from "../core/assign/labels.ts";

export const NAME = /^[a-z][a-z0-9_-]{0,63}$/;
const NAME_RULE = "a name starts with a lower-case letter and holds lower-case letters, digits, `_` and `-` only";

const name = z.string().regex(NAME, NAME_RULE);
const text = (what: string) => z.string({ error: what });
const duration = text("a duration such as 15m, 90s or 2h is wanted here").meta({ pattern: "^(\\d+(\\.\\d+)?(h|m|s|ms))+$" });
const promptPath = text("a prompt, or the path of a Markdown file in the workflow's folder, is wanted here");
const flag = z.boolean({ error: "true or false is wanted here" });
const label = z.string().refine((value) => labelProblem(value) === null, {
	error: ({ input }) => labelProblem(String(input)) ?? "",
});
const names = z.array(name, { error: "a list of names is wanted here" });
const wholeNumber = z.int({ error: "a whole number is wanted here" }).min(1, "1 is the least");

const plannedStep = z
	.union([z.string(), z.record(z.string(), z.string())], {
		error: "a step type is wanted here, as `coding` or as `coding: its description`",
	})
	.meta({ description: "A step type, or `TYPE: description`" });
const plannedSteps = z.array(plannedStep, { error: "a list of step types is wanted here" });

const ACTION_WORDS = "^(next|retry|reopen|skip|complete|stop|refuse|abort|goto \\S+|fail( (story|run))?|wait (person|answer|time))$";
const yes = z.literal(true, { error: "`true` is wanted here" }).optional();
const actionObject = z
	.strictObject({
		next: yes.describe("the next step of the list"),
		retry: yes.describe("the same step again"),
		skip: yes.describe("the step counts as skipped"),
		complete: yes.describe("the story is done, or the run"),
		stop: yes.describe("the run stops as at a limit; `pawl resume` continues with the step"),
		refuse: yes.describe("the run ends as bad input"),
		abort: yes.describe("the steps of `abort` run, then the run fails"),
		goto: text("a step type, or `back`, is wanted here")
			.optional()
			.describe("continues with this step type; `back`: after a detour, where it came from"),
		insert: plannedSteps.optional().describe("puts these steps in"),
		fail: z
			.union([z.literal(true), z.enum(["story", "run"])], { error: "`true`, `story` or `run` is wanted here" })
			.optional()
			.describe("the story fails, or the run"),
		wait: z
			.enum(["person", "answer", "time"])
			.optional()
			.describe("for a person, for an answer in words, or for the time that the failure named"),
		reopen: z
			.union([z.literal(true), names], { error: "`true`, or with `insert` a list of step types, is wanted here" })
			.optional()
			.describe("alone: the step runs again; with `insert`: types that run again"),
		before: name.optional().describe("with `insert`: the type before which the steps go"),
		fresh: flag.optional().describe("with `goto`: resets the caps of the steps in between"),
		max: text("a cap such as 3/story is wanted here")
			// Another spelling may mean it; here a cap of nothing is a slip.
			.refine((cap) => !/^0+\//.test(cap), "0 is not a cap: leave the route out, or write what `exhausted` says")
			.meta({ pattern: "^(\\d+|\\*|\\{\\{\\s*\\w+\\s*\\}\\} or \\d+)/(entry|step|story|run|row)$" })
			.optional()
			.describe("a cap, such as `3/step`, `3/story` or `3/run`"),
		count: name.optional().describe("the name of the cap; signals of a step with the same name share one"),
		spend: text("the name of a budget is wanted here").optional().describe("takes one unit of a counted budget"),
		set: z
			.record(name, z.string(), { error: "a map of field: text is wanted here" })
			.optional()
			.describe("field → text with `{{KEY}}` of the report: what later steps read"),
		record: name.optional().describe("keeps the findings, or the error, under this name"),
		rollback: z
			.enum(["failures", "restarts"])
			.optional()
			.describe("saves the diff of the attempt in that folder and puts the tree back first"),
		get exhausted(): z.ZodOptional<typeof action> {
			return action.optional().describe("what happens when the cap is reached or the budget is spent");
		},
		get converged(): z.ZodOptional<typeof action> {
			return action.optional().describe("what happens when a finding of this round was also in the round before");
		},
	})
	.meta({ id: "action" });
const actionText = z.string().meta({ pattern: ACTION_WORDS });
const action: z.ZodUnion<readonly [typeof actionText, typeof actionObject]> = z.union([actionText, actionObject], {
	error: "an action is wanted here, such as `next`, `fail story` or `{retry: true, max: 3/step, exhausted: fail story}`",
});
const routes = z.record(z.string(), action, { error: "a map of signal: action is wanted here" });

const signalRule = z.record(z.string(), z.string(), { error: "a map of KEY: value is wanted here" });
const report = z.strictObject({
	notes: z.enum(["summary", "text"]).optional().describe("what becomes the notes: the SUMMARY section, or the end of the message"),
	keys: z.array(z.string()).optional().describe("more keys to read, for `set`"),
	signals: z
		.record(name, z.union([signalRule, z.array(signalRule)], { error: "a map of KEY: value is wanted here" }))
		.optional()
		.describe("signal → the `KEY: value` lines that mean it; the first map that fits decides"),
	findings: z.string().optional().describe("the key that holds lines `- [key] class: text`"),
	earlier: z.string().optional().describe("the key that holds lines `- [key] resolved` or `- [key] open`"),
	stories: z.string().optional().describe("the key that holds a JSON list of stories, which are added to the run"),
	required: z.array(z.string()).optional().describe("keys without which the report is unreadable"),
	promise: z.string().optional().describe("`<promise>TEXT</promise>` by itself is the signal `promise`"),
	keep: z
		.record(name, z.string(), { error: "a map of name: KEY is wanted here" })
		.optional()
		.describe("name → key: keeps every value of the key under the name"),
	open: flag.optional().describe("`true`: every line `KEY: value` is read"),
	expects: z.string().optional().describe("a text that the message must contain to count as `done`"),
	max_stories: wholeNumber.optional().describe("a longer list of stories is refused as a whole"),
	feedback: z.array(z.string()).optional().describe("keys that say what is wrong, best first"),
	denies: signalRule.optional().describe("key → values that contradict `done`"),
	wants: z
		.record(name, z.array(z.string()), { error: "a map of signal: [KEY, …] is wanted here" })
		.optional()
		.describe("signal → keys that a report with this signal should have"),
	needs: z.array(z.string()).optional().describe("those keys of `wants` that later steps read"),
});
const wish = {
	agent: text("the name of an agent is wanted here").optional().describe("who does it, unless a person chose otherwise"),
	model: text("the name of a model, or fast, standard or strong, is wanted here")
		.optional()
		.describe("a model of the agent, or `fast`, `standard`, `strong`"),
	effort: text("an effort such as low or high is wanted here")
		.optional()
		.describe("how much effort the model makes, such as `low` or `high`"),
};
const role = z.strictObject({
	description: z.string().optional().describe("for people"),
	...wish,
	can: z
		.array(z.enum(["run", "commit", "network"]))
		.optional()
		.describe("what the role may do; what the list does not contain is refused"),
	bounded: flag.optional().describe("`false`: `can` is passed on to the agent, and nothing is refused because of it"),
	files: z
		.record(z.string(), z.string(), { error: "a map of name: path is wanted here" })
		.optional()
		.describe("name → path: the role's own instructions"),
	frame: promptPath.optional().describe("a prompt that surrounds every prompt of the role"),
	report: report.optional().describe("how its final message is read"),
});

const authority = z.enum(["blocking", "advisory"]);
const member = z.union([authority, z.strictObject({ authority, prompt: promptPath.optional().describe("`prompts/ROLE.md` by default") })], {
	error: "`blocking` or `advisory` is wanted here",
});
const scheduled = z.union(
	[
		z.string(),
		z.strictObject({
			role: z.string().describe("who does the iteration"),
			prompt: promptPath.optional().describe("what it is told"),
			raw: name.optional().describe("the role gets the file that this input names byte for byte, instead of a prompt"),
			report: report.optional().describe("how its final message is read"),
			fields: z.record(name, z.string()).optional().describe("fields for its prompt alone"),
			instead_of: z.string().optional().describe("skips the turn of this letter if it would come right after"),
		}),
	],
	{ error: "a role is wanted here" },
);
const numberOrField = z.union([z.int().min(0), z.string()], { error: "a number, or a field as {{name}}, is wanted here" });
const type = z.strictObject({
	description: z.string().optional().describe("the task, as the agent reads it"),
	role: z.string().optional().describe("who does the step: one session of an agent"),
	...wish,
	prompt: promptPath.optional().describe("a Markdown file in the workflow's folder, or the text itself"),
	command: name.optional().describe("the engine runs this check of pawl.yml"),
	action: text("the name of an action is wanted here").optional().describe("the engine runs this code of pawl"),
	with: z.record(name, z.string()).optional().describe("parameters of the action, the keeper or the rule"),
	delivers: flag.optional().describe("of an action: it delivers the work, so all checks come before it"),
	proves: z
		.literal(false, { error: "`false` is wanted here" })
		.optional()
		.describe("`false`: a first look, which does not replace the checks before a delivery"),
	expects_change: flag.optional().describe("of an agent: `done` without a change of the work is the signal `unchanged`"),
	signals: names.optional().describe("the signals that the action or the keeper may give"),
	approval: z.literal("person", { error: "`person` is wanted here" }).optional().describe("the step waits until a person approves"),
	gate: z
		.strictObject({
			members: z.record(name, member).describe("role → `blocking` or `advisory`: the verdicts of the blocking members count"),
			verdicts: names.optional().describe("their signals, from best to worst"),
		})
		.optional()
		.describe("several roles at once; the worst verdict of the blocking members counts"),
	each: z
		.strictObject({
			steps: plannedSteps.describe("the steps of every story, in order"),
			concurrency: z
				.union([wholeNumber, z.literal("$agents")], { error: "a number, or $agents, is wanted here" })
				.optional()
				.describe("how many stories at the same time; `$agents`: as `--agents` says"),
			order: z.enum(["list", "dependencies"]).optional().describe("one after the other, or as soon as what a story depends on is done"),
			on_failure: z.enum(["fail_run", "block"]).optional().describe("the run fails, or only what depends on the story is blocked"),
			expects_change: flag.optional().describe("whether a story that changed nothing fails; `true` by default"),
			at_least: z
				.int({ error: "a whole number is wanted here" })
				.min(0)
				.optional()
				.describe("how many stories there must be; 1 by default"),
			only_declared: flag.optional().describe("`true`: stories run side by side only if some story says what it depends on"),
		})
		.optional()
		.describe("a list of steps for each story"),
	loop: z
		.strictObject({
			schedule: text("a schedule such as W5R, or a field as {{scheme}}, is wanted here").describe("letters with counts, as `W5R`"),
			roles: z.record(z.string().regex(/^[A-Z]$/, "a role of a loop is called by one capital letter"), scheduled).describe("letter → role"),
			max: z
				.union([wholeNumber, z.string()], { error: "a number, or a field as {{max_iterations}}, is wanted here" })
				.describe("iterations at most"),
			inject: z.record(name, z.string()).optional().describe("signal → letter: that role comes next, outside the schedule"),
			start: z
				.strictObject({ iteration: numberOrField.optional(), cursor: numberOrField.optional(), queue: z.string().optional() })
				.optional()
				.describe("where a loop continues that began elsewhere"),
			delay: numberOrField.optional().describe("milliseconds between two iterations"),
		})
		.optional()
		.describe("iterations by a schedule"),
	timeout: duration.optional().describe("how long an attempt may take"),
	stall: duration.optional().describe("how long an agent may print nothing"),
	writes: z
		.union([z.enum(["none", "any"]), z.array(z.string()), z.strictObject({ rule: name })], {
			error: "`none`, `any`, a list of globs or `{rule: NAME}` is wanted here",
		})
		.optional()
		.describe("what an attempt may write: nothing, anything, these globs, or a rule"),
	edits: flag.optional().describe("its agent may edit the steps ahead"),
	mandatory: flag.optional().describe("agents cannot remove it"),
	last: flag.optional().describe("only internal steps may come after it"),
	internal: flag.optional().describe("agents neither see nor edit it"),
	detour: flag.optional().describe("in no list: routes lead to it, and `goto back` returns"),
	visits: text("a cap such as 2/entry is wanted here")
		.meta({ pattern: "^\\d+/(entry|run)$" })
		.optional()
		.describe("how often all routes together may lead to it, such as `2/entry`"),
	exhausted: action.optional().describe("what a route does instead after that"),
	by: z.literal("engine", { error: "`engine` is wanted here" }).optional().describe("agents' edits cannot add it"),
	session: z
		.enum(["fresh", "continue"])
		.optional()
		.describe("`continue`: continues the last session of the same role in the same story, if the agent can"),
	cut_off: z.enum(["rollback", "keep"]).optional().describe("`keep`: the changes of a cancelled attempt stay in the tree"),
	checks: z
		.array(z.union([z.literal("*"), name], { error: 'the name of a check, or "*" for all of them, is wanted here' }))
		.optional()
		.describe("checks of pawl.yml that run after each attempt; `*`: all of them"),
	spend: text("the name of a budget is wanted here").optional().describe("every attempt takes one unit of this counted budget"),
	stories: z
		.literal("replace", { error: "`replace` is wanted here" })
		.optional()
		.describe("the stories of its report replace those that are not completed"),
	on_demand: flag.optional().describe("runs when a person asks for it with `pawl check`"),
	report: report.optional().describe("how its final message is read, instead of as the role says"),
	judges: z
		.union([z.boolean(), z.string()], { error: "`true`, or a condition such as `tasks is 1`, is wanted here" })
		.optional()
		.describe("its verdict is about the acceptance criteria of the story"),
	keeper: name.optional().describe("code of pawl that looks after files of the attempt"),
	after: name.optional().describe("with `extends`: puts the step behind this one in every list"),
	before: name.optional().describe("with `extends`: puts the step before this one in every list"),
	when: z
		.union([z.string(), z.array(z.string())], { error: "a condition such as `tasks > 1` is wanted here" })
		.optional()
		.describe("the step is left out unless this holds"),
	on: routes.optional().describe("signal → what follows"),
});

const amount = text("an amount such as $10/run, 2h/run or 3/story is wanted here");
const budget = z.union(
	[
		amount,
		z.strictObject({
			limit: amount.describe("the amount"),
			warn: z.array(z.string()).optional().describe("shares at which pawl warns, such as `50%`"),
		}),
	],
	{
		error: "an amount such as $10/run, 2h/run or 3/story is wanted here",
	},
);
const workspace = z.enum(["tree", "worktree", "branch"]);
const inputMode = z.strictObject({
	reader: name.describe("what reads the input, such as `request`"),
	workspace: workspace.optional().describe("where the steps work"),
	fields: names.optional().describe("values that the reader provides"),
});

export const workflowSchema = z
	.strictObject({
		name: name.describe("the name of its folder"),
		title: z.string().optional().describe("for lists"),
		description: z.string().optional().describe("for lists"),
		resume: z.enum(["yes", "never"]).optional().describe("`never`: a stopped run cannot continue"),
		extends: text("the name of a workflow, or a path to one, is wanted here").optional().describe("the workflow that this one changes"),
		without: names.optional().describe("steps to take out of its lists"),
		inputs: z
			.union([z.array(name), z.record(name, inputMode)], { error: "a list of readers, or a map, is wanted here" })
			.optional()
			.describe("the kinds of input it takes, or a list of readers; `[request]` by default"),
		workspace: workspace.optional().describe("where the steps work: the user's tree, a worktree for each story, or one branch"),
		fields: z
			.record(name, z.string(), { error: "a map of field: text is wanted here" })
			.optional()
			.describe("fields that a run begins with"),
		ids: z.enum(["numbered", "named"]).optional().describe("`named`: a step's id is its type; without it steps are numbered"),
		limits: z
			.strictObject({
				steps: wholeNumber.optional().describe("how many a story's list may have; 30 by default"),
				restarts: z.int().min(0).optional().describe("how often one step may restart; 3 by default"),
			})
			.optional()
			.describe("of the lists of steps"),
		budgets: z.record(name, budget).optional().describe("name → amount, such as `$10/run`, `2h/run` or `3/story`"),
		roles: z.record(name, role).optional().describe("who does steps, and what they may do"),
		types: z.record(name, type).optional().describe("the steps that lists and routes can name"),
		steps: plannedSteps
			.min(1, "a workflow has at least one step")
			.optional()
			.describe("the run's own list of steps; `[stories]` by default if there is a `story`"),
		story: plannedSteps.min(1, "a story has at least one step").optional().describe("the list of steps of each story"),
		abort: plannedSteps.optional().describe("the steps that run when a route says `abort`"),
		on: routes.optional().describe("signal → what follows, for every step that does not say it itself"),
		recovery: z.string().optional().describe("what to do with a run that cannot continue, printed at its end"),
		projections: names.optional().describe("the files that the run keeps"),
		inboxes: names.optional().describe("control files through which people or agents tell the run something"),
		requires: z.array(label).optional().describe("labels that a worker must have, where machines share the runs"),
	})
	.meta({ title: "A pawl workflow" });

/** A workflow.yml as it is written: much of it may be left out. */
export type WrittenWorkflow = z.infer<typeof workflowSchema>;
type Short = "inputs" | "types" | "steps" | "workspace" | "story" | "extends" | "without";
/** The one form that every spelling becomes: nothing is left out that the compiler needs. */
export interface RawWorkflow extends Omit<WrittenWorkflow, Short> {
	readonly inputs: Readonly<Record<string, RawInput>>;
	readonly types: Readonly<Record<string, RawType>>;
	readonly steps: readonly RawStep[];
}
export type RawInput = Omit<z.infer<typeof inputMode>, "workspace"> & { readonly workspace: z.infer<typeof workspace> };
export type RawType = z.infer<typeof type>;
export type RawRole = z.infer<typeof role>;
export type RawReport = z.infer<typeof report>;
export type RawAction = z.infer<typeof action>;
/** An action written as a map. */
export type RawRoute = z.infer<typeof actionObject>;
export type RawBudget = z.infer<typeof budget>;
export type RawStep = z.infer<typeof plannedStep>;
export type RawRoutes = z.infer<typeof routes>;
