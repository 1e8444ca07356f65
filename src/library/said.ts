// What a program says about a run to start and about limits, checked as the command line checks its flags. A program without types may say anything.
import { parseDuration } from "../core/duration.ts";
import type { Limits } from "../runs/change/extend.ts";
import type { RunsContext } from "../runs/context.ts";
import { Refusal } from "../runs/refusal.ts";
import type { RunWanted } from "../runs/start/detached.ts";
import { type SaidOptions, startOptionsOf } from "../runs/start/said-options.ts";
import type { NewLimits, RunToStart } from "./api.ts";

type Kind = "text" | "number" | "count" | "yes or no" | "duration" | "durations" | "texts" | "list" | "choice";

/** The options that are no flags of a format. */
const OPTIONS: { readonly [K in Exclude<keyof SaidOptions, "flags">]: Kind } = {
	agents: "count",
	agent: "choice",
	agentCommand: "text",
	script: "text",
	model: "choice",
	effort: "choice",
	role: "texts",
	fallback: "list",
	base: "text",
	timeout: "durations",
	maxCost: "number",
	maxTime: "duration",
	allowUnknownCost: "yes or no",
	maxWait: "duration",
	sharedDir: "text",
	sandbox: "text",
	maxIterations: "count",
	delay: "duration",
	push: "yes or no",
	pr: "yes or no",
	comment: "yes or no",
	yes: "yes or no",
	fresh: "yes or no",
	checks: "yes or no",
};

const LIMITS: { readonly [K in keyof Limits]-?: Kind | "counts" } = {
	maxCost: "number",
	maxTime: "duration",
	maxIterations: "count",
	budget: "counts",
	allowUnknownCost: "yes or no",
};

export function wantedOf(c: RunsContext, given: RunToStart): RunWanted {
	const inputs: Record<string, string> = {};
	const flags: Record<string, string | boolean> = {};
	const options: Record<string, unknown> = {};
	for (const [name, value] of Object.entries(given)) {
		if (value === undefined || name === "workflow") continue;
		const flag = Object.hasOwn(c.services.flags, name) ? c.services.flags[name] : undefined;
		if (name === "request" || flag?.insteadOfText !== undefined) inputs[name] = read(name, "text", value) as string;
		else if (flag !== undefined && flag.command === undefined) {
			// For a flag of the form --no-… `true` means that it was not given.
			if (!flag.flag.startsWith("--no-")) flags[name] = read(name, "text", value) as string;
			else if (read(name, "yes or no", value) === false) flags[name] = false;
		} else if (Object.hasOwn(OPTIONS, name)) options[name] = read(name, OPTIONS[name as keyof typeof OPTIONS], value);
		else throw new Refusal("invalid", `there is no option ${name}`);
	}
	return { workflow: read("workflow", "text", given.workflow) as string, inputs, options: { ...startOptionsOf(options), flags } };
}

export function limitsOf(given: NewLimits): Limits {
	const limits: Record<string, unknown> = {};
	for (const [name, value] of Object.entries(given)) {
		if (!Object.hasOwn(LIMITS, name)) throw new Refusal("invalid", `there is no limit ${name}`);
		if (value !== undefined) limits[name] = read(name, LIMITS[name as keyof typeof LIMITS], value);
	}
	return limits;
}

/** The value as the application wants it: durations are milliseconds there. */
function read(name: string, kind: Kind | "counts", value: unknown): unknown {
	const is = (right: boolean, what: string): unknown => {
		if (!right) throw new Refusal("invalid", `${name} must be ${what}`);
		return value;
	};
	switch (kind) {
		case "text":
			return is(isText(value), "a text");
		case "number":
			return is(typeof value === "number" && Number.isFinite(value) && value > 0, "a number above 0");
		case "count":
			return is(Number.isSafeInteger(value) && (value as number) > 0, "a whole number above 0");
		case "yes or no":
			return is(typeof value === "boolean", "true or false");
		case "list":
			return is(Array.isArray(value) && value.every(isText), "a list of texts");
		case "choice":
			return is(isText(value) || (isObject(value) && Object.values(value).every(isText)), "a text, or a text for each step type or role");
		case "duration": {
			const ms = isText(value) ? parseDuration(value) : null;
			is(ms !== null && ms > 0, "a duration such as 90s, 15m or 2h");
			return ms;
		}
		default: {
			is(isObject(value), "an object");
			const one = kind === "durations" ? "duration" : kind === "counts" ? "count" : "text";
			return Object.fromEntries(Object.entries(value as object).map(([key, each]) => [key, read(`${name}.${key}`, one, each)]));
		}
	}
}

const isText = (value: unknown): value is string => typeof value === "string" && value.trim() !== "";
const isObject = (value: unknown): value is object => typeof value === "object" && value !== null && !Array.isArray(value);
