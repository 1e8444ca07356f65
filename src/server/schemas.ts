// The bodies that a POST may have. Unknown keys are refused.
import { z } from "zod";
import { parseDuration } from "../core/duration.ts";
import type { RunsContext } from "../runs/context.ts";
import { checked } from "./body.ts";

export const CODE = z.strictObject({ code: z.string().max(200) });

const words = z.string().refine((text) => text.trim() !== "", "a text is needed");
/** A number, or its digits as on a command line. */
const numeric = (of: z.ZodNumber) =>
	z.union([z.number(), z.string().regex(/^\$?\d+(\.\d+)?$/, "a number is needed")]).transform((value, context) => {
		const read = of.safeParse(typeof value === "number" ? value : Number(value.replace("$", "")));
		if (read.success) return read.data;
		context.addIssue(read.error.issues[0]?.message ?? "a number is needed");
		return z.NEVER;
	});
const dollars = numeric(z.number().positive());
const count = numeric(z.number().int().min(1).max(1_000_000));
const duration = z.string().transform((text, context) => {
	const ms = parseDuration(text);
	if (ms !== null && ms > 0) return ms;
	context.addIssue("it must be a duration such as 90s, 15m or 2h");
	return z.NEVER;
});

const step = z.string().optional();
const ask = z.string().optional();

export const ACTIONS = {
	approve: z.strictObject({ step, reason: z.string().optional(), ask }),
	answer: z.strictObject({ step, text: words, ask }),
	reject: z.strictObject({ step, reason: words, ask }),
	retry: z.strictObject({ story: z.string().optional(), ask }),
	skip: z.strictObject({ story: z.string(), step: z.string(), reason: words }),
	steer: z.strictObject({ text: words }),
	extend: z.strictObject({ max_cost: dollars.optional(), max_time: duration.optional(), max_iterations: count.optional() }),
	resume: z.strictObject({}),
	pause: z.strictObject({}),
	cancel: z.strictObject({}),
};

const role = z.string().regex(/^[^:]+(:.+)?$/, "it must be AGENT or AGENT:MODEL");

/** For everything, or by step type and role. */
const choice = z.union([z.string().min(1), z.record(z.string(), z.string().min(1))]);

/** Those of `pawl run`, without an agent's command, a script and the right to push wherever a workflow likes. */
const OPTIONS = z.strictObject({
	agents: count.optional(),
	agent: choice.optional(),
	model: choice.optional(),
	effort: choice.optional(),
	role: z.record(z.string(), role).optional(),
	fallback: z.array(z.string()).optional(),
	base: z.string().optional(),
	timeout: z.record(z.string(), duration).optional(),
	max_cost: dollars.optional(),
	allow_unknown_cost: z.boolean().optional(),
	max_time: duration.optional(),
	max_wait: duration.optional(),
	shared_dir: z.string().optional(),
	max_iterations: count.optional(),
	delay: duration.optional(),
	yes: z.boolean().optional(),
	fresh: z.boolean().optional(),
	checks: z.boolean().optional(),
	no_checks: z.boolean().optional(),
	pr: z.boolean().optional(),
	comment: z.boolean().optional(),
});

/** `max-cost` and `maxCost` are `max_cost`. */
const plain = (value: unknown): unknown =>
	typeof value !== "object" || value === null || Array.isArray(value)
		? value
		: Object.fromEntries(
				Object.entries(value).map(([key, one]) => [
					key.replaceAll("-", "_").replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
					one,
				]),
			);

/** What a run is started with; `flags` are those that formats declare. A flag that replaces the text stands beside it: each names what is to be done. */
export function startSchema(flags: RunsContext["services"]["flags"]) {
	const inputs: Record<string, z.ZodType> = {};
	const more: Record<string, z.ZodType> = {};
	for (const [name, { flag, insteadOfText, command }] of Object.entries(flags)) {
		if (command !== undefined) continue;
		if (insteadOfText !== undefined) inputs[name] = words.optional();
		else if (flag.startsWith("--no-")) for (const key of [name, `no_${name}`]) more[key] = z.boolean().optional();
		else more[name] = z.string().optional();
	}
	return z.strictObject({
		workflow: z.string().regex(/^[A-Za-z0-9][\w.-]*$/, "it must be the name of a workflow"),
		request: words.optional(),
		issue: words.optional(),
		...inputs,
		options: z.preprocess(plain, OPTIONS.extend(more)).optional(),
	});
}

export interface StartBody {
	readonly workflow: string;
	/** What is to be done, by the name of the input. */
	readonly inputs: Readonly<Record<string, string>>;
	readonly options: z.infer<typeof OPTIONS>;
	/** Values of flags that formats declare. */
	readonly flags: Readonly<Record<string, string | boolean>>;
}

export function startBody(flags: RunsContext["services"]["flags"], body: unknown): StartBody {
	const { workflow, options = {}, ...inputs } = checked(startSchema(flags), body) as Record<string, unknown>;
	const given = options as Record<string, string | boolean | undefined>;
	const declared = Object.entries(flags).flatMap(([name]) => {
		const value = given[`no_${name}`] === true ? false : given[name];
		// `true` says that a flag of the form --no-… was not given.
		return value === undefined || value === true ? [] : [[name, value] as const];
	});
	return {
		workflow: workflow as string,
		inputs: Object.fromEntries(Object.entries(inputs).filter((entry): entry is [string, string] => entry[1] !== undefined)),
		options: options as z.infer<typeof OPTIONS>,
		flags: Object.fromEntries(declared),
	};
}
