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
		next: yes,
		retry: yes,
		skip: yes,
		complete: yes,
		stop: yes,
		refuse: yes,
		abort: yes,
		goto: text("a step type, or `back`, is wanted here").optional(),
		insert: plannedSteps.optional(),
		fail: z.union([z.literal(true), z.enum(["story", "run"])], { error: "`true`, `story` or `run` is wanted here" }).optional(),
		wait: z.enum(["person", "answer", "time"]).optional(),
		reopen: z.union([z.literal(true), names], { error: "`true`, or with `insert` a list of step types, is wanted here" }).optional(),
		before: name.optional(),
		fresh: flag.optional(),
		max: text("a cap such as 3/story is wanted here")
			// Another spelling may mean it; here a cap of nothing is a slip.
			.refine((cap) => !/^0+\//.test(cap), "0 is not a cap: leave the route out, or write what `exhausted` says")
			.meta({ pattern: "^(\\d+|\\*|\\{\\{\\s*\\w+\\s*\\}\\} or \\d+)/(entry|step|story|run|row)$" })
			.optional(),
		count: name.optional(),
		spend: text("the name of a budget is wanted here").optional(),
		set: z.record(name, z.string(), { error: "a map of field: text is wanted here" }).optional(),
		record: name.optional(),
		rollback: z.enum(["failures", "restarts"]).optional(),
		get exhausted(): z.ZodOptional<typeof action> {
			return action.optional();
		},
		get converged(): z.ZodOptional<typeof action> {
			return action.optional();
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
	notes: z.enum(["summary", "text"]).optional(),
	keys: z.array(z.string()).optional(),
	signals: z.record(name, z.union([signalRule, z.array(signalRule)], { error: "a map of KEY: value is wanted here" })).optional(),
	findings: z.string().optional(),
	earlier: z.string().optional(),
	stories: z.string().optional(),
	required: z.array(z.string()).optional(),
	promise: z.string().optional(),
	keep: z.record(name, z.string(), { error: "a map of name: KEY is wanted here" }).optional(),
	open: flag.optional(),
	expects: z.string().optional(),
	max_stories: wholeNumber.optional(),
	feedback: z.array(z.string()).optional(),
	denies: signalRule.optional(),
	wants: z.record(name, z.array(z.string()), { error: "a map of signal: [KEY, …] is wanted here" }).optional(),
	needs: z.array(z.string()).optional(),
});
const wish = {
	agent: text("the name of an agent is wanted here").optional(),
	model: text("the name of a model, or fast, standard or strong, is wanted here").optional(),
	effort: text("an effort such as low or high is wanted here").optional(),
};
const role = z.strictObject({
	description: z.string().optional(),
	...wish,
	can: z.array(z.enum(["run", "commit", "network"])).optional(),
	bounded: flag.optional(),
	files: z.record(z.string(), z.string(), { error: "a map of name: path is wanted here" }).optional(),
	frame: promptPath.optional(),
	report: report.optional(),
});

const authority = z.enum(["blocking", "advisory"]);
const member = z.union([authority, z.strictObject({ authority, prompt: promptPath.optional() })], {
	error: "`blocking` or `advisory` is wanted here",
});
const scheduled = z.union(
	[
		z.string(),
		z.strictObject({
			role: z.string(),
			prompt: promptPath.optional(),
			raw: name.optional(),
			report: report.optional(),
			fields: z.record(name, z.string()).optional(),
			instead_of: z.string().optional(),
		}),
	],
	{ error: "a role is wanted here" },
);
const numberOrField = z.union([z.int().min(0), z.string()], { error: "a number, or a field as {{name}}, is wanted here" });
const type = z.strictObject({
	description: z.string().optional(),
	role: z.string().optional(),
	...wish,
	prompt: promptPath.optional(),
	command: name.optional(),
	action: text("the name of an action is wanted here").optional(),
	with: z.record(name, z.string()).optional(),
	delivers: flag.optional(),
	proves: z.literal(false, { error: "`false` is wanted here" }).optional(),
	expects_change: flag.optional(),
	signals: names.optional(),
	approval: z.literal("person", { error: "`person` is wanted here" }).optional(),
	gate: z.strictObject({ members: z.record(name, member), verdicts: names.optional() }).optional(),
	each: z
		.strictObject({
			steps: plannedSteps,
			concurrency: z.union([wholeNumber, z.literal("$agents")], { error: "a number, or $agents, is wanted here" }).optional(),
			order: z.enum(["list", "dependencies"]).optional(),
			on_failure: z.enum(["fail_run", "block"]).optional(),
			expects_change: flag.optional(),
			at_least: z.int({ error: "a whole number is wanted here" }).min(0).optional(),
			only_declared: flag.optional(),
		})
		.optional(),
	loop: z
		.strictObject({
			schedule: text("a schedule such as W5R, or a field as {{scheme}}, is wanted here"),
			roles: z.record(z.string().regex(/^[A-Z]$/, "a role of a loop is called by one capital letter"), scheduled),
			max: z.union([wholeNumber, z.string()], { error: "a number, or a field as {{max_iterations}}, is wanted here" }),
			inject: z.record(name, z.string()).optional(),
			start: z
				.strictObject({ iteration: numberOrField.optional(), cursor: numberOrField.optional(), queue: z.string().optional() })
				.optional(),
			delay: numberOrField.optional(),
		})
		.optional(),
	timeout: duration.optional(),
	stall: duration.optional(),
	writes: z
		.union([z.enum(["none", "any"]), z.array(z.string()), z.strictObject({ rule: name })], {
			error: "`none`, `any`, a list of globs or `{rule: NAME}` is wanted here",
		})
		.optional(),
	edits: flag.optional(),
	mandatory: flag.optional(),
	last: flag.optional(),
	internal: flag.optional(),
	detour: flag.optional(),
	visits: text("a cap such as 2/entry is wanted here").meta({ pattern: "^\\d+/(entry|run)$" }).optional(),
	exhausted: action.optional(),
	by: z.literal("engine", { error: "`engine` is wanted here" }).optional(),
	session: z.enum(["fresh", "continue"]).optional(),
	cut_off: z.enum(["rollback", "keep"]).optional(),
	checks: z.array(z.union([z.literal("*"), name], { error: 'the name of a check, or "*" for all of them, is wanted here' })).optional(),
	spend: text("the name of a budget is wanted here").optional(),
	stories: z.literal("replace", { error: "`replace` is wanted here" }).optional(),
	on_demand: flag.optional(),
	report: report.optional(),
	judges: z.union([z.boolean(), z.string()], { error: "`true`, or a condition such as `tasks is 1`, is wanted here" }).optional(),
	keeper: name.optional(),
	after: name.optional(),
	before: name.optional(),
	when: z.union([z.string(), z.array(z.string())], { error: "a condition such as `tasks > 1` is wanted here" }).optional(),
	on: routes.optional(),
});

const amount = text("an amount such as $10/run, 2h/run or 3/story is wanted here");
const budget = z.union([amount, z.strictObject({ limit: amount, warn: z.array(z.string()).optional() })], {
	error: "an amount such as $10/run, 2h/run or 3/story is wanted here",
});
const workspace = z.enum(["tree", "worktree", "branch"]);
const inputMode = z.strictObject({ reader: name, workspace: workspace.optional(), fields: names.optional() });

export const workflowSchema = z
	.strictObject({
		name,
		title: z.string().optional(),
		description: z.string().optional(),
		resume: z.enum(["yes", "never"]).optional(),
		extends: text("the name of a workflow, or a path to one, is wanted here").optional(),
		without: names.optional(),
		inputs: z.union([z.array(name), z.record(name, inputMode)], { error: "a list of readers, or a map, is wanted here" }).optional(),
		workspace: workspace.optional(),
		fields: z.record(name, z.string(), { error: "a map of field: text is wanted here" }).optional(),
		ids: z.enum(["numbered", "named"]).optional(),
		limits: z.strictObject({ steps: wholeNumber.optional(), restarts: z.int().min(0).optional() }).optional(),
		budgets: z.record(name, budget).optional(),
		roles: z.record(name, role).optional(),
		types: z.record(name, type).optional(),
		steps: plannedSteps.min(1, "a workflow has at least one step").optional(),
		story: plannedSteps.min(1, "a story has at least one step").optional(),
		abort: plannedSteps.optional(),
		on: routes.optional(),
		recovery: z.string().optional(),
		projections: names.optional(),
		inboxes: names.optional(),
		requires: z.array(label).optional(),
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
