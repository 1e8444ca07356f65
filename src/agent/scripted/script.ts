// The script of the agent `scripted`: its schema, the choice of a rule for a call, and the placeholders in its texts.
// script-problems.ts reads the YAML and locates mistakes; scripted.ts carries out a rule.
import { z } from "zod";
import { parseDuration } from "../../core/duration.ts";
import type { Usage } from "../../core/model.ts";
import { type Problem, readScript } from "./script-problems.ts";

/** The failures that an agent can report by itself; the engine finds the others (lost, unreadable, …). */
const AGENT_FAILURES = [
	"agent_error",
	"timeout",
	"stalled",
	"rate_limited",
	"overloaded",
	"auth",
	"out_of_credit",
	"permission",
	"context_too_long",
] as const;

const duration = z.string().transform((text, context): number => {
	const ms = parseDuration(text);
	if (ms !== null) return ms;
	context.addIssue({ code: "custom", message: `"${text}" is not a duration; write it as 500ms, 2s or 5m` });
	return z.NEVER;
});

const textFile = z.strictObject({ path: z.string(), content: z.string() });

const usage = z
	.strictObject({
		input_tokens: z.int().min(0).optional(),
		output_tokens: z.int().min(0).optional(),
		cost_usd: z.number().min(0).optional(),
	})
	.transform(
		(said): Usage => ({
			costUsd: said.cost_usd ?? null,
			inputTokens: said.input_tokens ?? null,
			outputTokens: said.output_tokens ?? null,
		}),
	);

const fail = z
	.strictObject({
		exit: z.int().min(1).max(255).optional(),
		error: z.string().optional(),
		as: z.enum(AGENT_FAILURES).optional(),
		retry_after: duration.optional(),
	})
	.superRefine((value, context) => {
		if (value.retry_after !== undefined && value.as !== "rate_limited" && value.as !== "overloaded")
			context.addIssue({ code: "custom", path: ["retry_after"], message: "retry_after goes with `as: rate_limited` or `as: overloaded`" });
		if (value.exit !== undefined && value.as !== undefined && value.as !== "agent_error")
			context.addIssue({ code: "custom", path: ["exit"], message: "an exit code goes with `as: agent_error` only" });
	});

const waitFor = z.strictObject({ file: z.string().optional(), shared: z.string().optional() }).superRefine((value, context) => {
	if ((value.file === undefined) === (value.shared === undefined))
		context.addIssue({ code: "custom", message: "wait_for needs one of `file` (in the workspace) and `shared` (in the shared folder)" });
});

const ACTIONS = {
	write: textFile,
	append: textFile,
	remove: z.strictObject({ path: z.string() }),
	shared: textFile,
	append_shared: textFile,
	commit: z.string().min(1, "a commit needs a message"),
	edit: z.array(z.record(z.string(), z.unknown())),
	run: z.array(z.string()).min(1, "run needs a command"),
	wait: duration,
	wait_for: waitFor,
	say: z.string(),
	usage,
	fail,
	hang: z.literal(true),
};
type ActionTable = typeof ACTIONS;

export type Action = {
	[K in keyof ActionTable]: { readonly kind: K; readonly value: z.output<ActionTable[K]> };
}[keyof ActionTable];

// An object with optional keys instead of a union: the error of a union of fourteen shapes would only be "no shape fits".
const action = z
	.strictObject(ACTIONS)
	.partial()
	.superRefine((value, context) => {
		const kinds = Object.keys(value);
		if (kinds.length === 1) return;
		const message = kinds.length === 0 ? "an empty action" : `one action a list item; these are ${kinds.length}: ${kinds.join(", ")}`;
		context.addIssue({ code: "custom", message });
	})
	.transform((value): Action => {
		const [kind, content] = Object.entries(value)[0] ?? [];
		return { kind, value: content } as Action;
	});

const actions = z.array(action).superRefine((list, context) => {
	const end = list.findIndex((item) => item?.kind === "fail" || item?.kind === "hang");
	if (end !== -1 && end < list.length - 1)
		context.addIssue({ code: "custom", path: [end + 1], message: `never reached: \`${list[end]?.kind}\` ends the call` });
});

const wanted = z
	.union([z.string(), z.array(z.string()).min(1, "an empty list fits no call")], {
		error: "must be a text or a list of texts (put numbers in quotes)",
	})
	.transform((value) => [value].flat());
const wantedNumber = z
	.union([z.int().min(1), z.array(z.int().min(1)).min(1, "an empty list fits no call")], {
		error: "must be a whole number from 1, or a list of them",
	})
	.transform((value) => [value].flat());

const ON = { type: wanted, story: wanted, step: wanted, role: wanted, attempt: wantedNumber, nth: wantedNumber };
const rule = z.strictObject({ on: z.strictObject(ON).partial().optional(), do: actions });
const fallback = z.strictObject({ do: actions });
const script = z.strictObject({ steps: z.array(rule).optional(), default: fallback.optional() });

export type Script = z.output<typeof script>;
export type LoadedScript = { readonly ok: true; readonly script: Script } | { readonly ok: false; readonly problems: readonly Problem[] };

/** The keys allowed under each key, for suggestions; "" is the top. */
const KEYS: Readonly<Record<string, readonly string[]>> = {
	"": ["steps", "default"],
	steps: ["on", "do"],
	default: ["do"],
	on: Object.keys(ON),
	do: Object.keys(ACTIONS),
	write: ["path", "content"],
	append: ["path", "content"],
	shared: ["path", "content"],
	append_shared: ["path", "content"],
	remove: ["path"],
	wait_for: ["file", "shared"],
	usage: ["input_tokens", "output_tokens", "cost_usd"],
	fail: ["exit", "error", "as", "retry_after"],
};

/** Reports all mistakes at once, in the order of the file. An empty text is a script with only the built-in default. */
export function loadScript(text: string, file: string): LoadedScript {
	const read = readScript(text, file);
	if (!read.ok) return read;
	const checked = script.safeParse(read.value ?? {});
	if (checked.success) return { ok: true, script: checked.data };
	return { ok: false, problems: read.locate(checked.error.issues, KEYS) };
}

/** The call that is being served: what rules match and placeholders stand for. */
export interface Call {
	readonly run: string;
	readonly story: string;
	readonly step: string;
	readonly type: string;
	readonly role: string;
	readonly attempt: number;
	/** Counts the calls of the same story, type and role that this agent has served, from 1. */
	readonly nth: number;
}

export interface Choice {
	/** The rule's place in the script, for the log. */
	readonly rule: string;
	readonly actions: readonly Action[];
}

/** The first rule that fits, else `default`, else no actions. */
export function choose(from: Script, call: Call): Choice {
	const fits = ({ on = {} }: z.output<typeof rule>): boolean =>
		(on.type?.includes(call.type) ?? true) &&
		(on.story?.includes(call.story) ?? true) &&
		(on.step?.includes(call.step) ?? true) &&
		(on.role?.includes(call.role) ?? true) &&
		(on.attempt?.includes(call.attempt) ?? true) &&
		(on.nth?.includes(call.nth) ?? true);
	const index = from.steps?.findIndex(fits) ?? -1;
	const found = from.steps?.[index];
	if (found) return { rule: `steps[${index}]`, actions: found.do };
	if (from.default) return { rule: "default", actions: from.default.do };
	return { rule: "built-in", actions: [] };
}

/** The final message of a successful call without a `say`; it has the SUMMARY that some workflows expect. */
export const BUILT_IN_TEXT =
	"Did {type} of {story}.\n\n## SUMMARY\n- {type} ({step}, attempt {attempt}) of {story} was done by a script\n- nothing else to report\n";

/** Replaces the placeholders in a text. A backslash keeps a placeholder as it is; other braces are left alone. */
export function fill(text: string, call: Call): string {
	return text.replace(/(\\?)\{(story|step|type|role|attempt|nth|run)\}/g, (whole, backslash: string, name: keyof Call) =>
		backslash ? whole.slice(1) : String(call[name]),
	);
}

/** Does the same in every text of a value, but not in its keys; for edit operations. */
export function fillAll(value: unknown, call: Call): unknown {
	if (typeof value === "string") return fill(value, call);
	if (Array.isArray(value)) return value.map((item) => fillAll(item, call));
	if (value === null || typeof value !== "object") return value;
	return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, fillAll(item, call)]));
}
