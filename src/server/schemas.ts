// The bodies that a POST may have. Unknown keys are refused.
import { z } from "zod";
import { parseDuration } from "../core/duration.ts";

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

/** Those of `pawl run`, without an agent's command, a script and the right to push. */
const options = z.strictObject({
	agents: count.optional(),
	agent: z.string().optional(),
	model: z.string().optional(),
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
	supervisor: z.boolean().optional(),
	no_supervisor: z.boolean().optional(),
	promise: z.string().optional(),
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

export const START = z.strictObject({
	workflow: z.string().regex(/^[A-Za-z0-9][\w.-]*$/, "it must be the name of a workflow"),
	request: words.optional(),
	prd: words.optional(),
	issue: words.optional(),
	options: z.preprocess(plain, options).optional(),
});

export type StartBody = z.infer<typeof START>;
