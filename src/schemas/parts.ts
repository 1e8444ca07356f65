// Parts that the published schemas share. They mirror the types of the core, and the compiler compares the two (event.ts, status.ts).
import { z } from "zod";

export const text = z.string();
export const maybe = <T extends z.ZodType>(type: T) => z.union([type, z.null()]);
export const list = <T extends z.ZodType>(item: T) => z.array(item).readonly();
export const byName = <T extends z.ZodType>(value: T) => z.record(z.string(), value).readonly();

/** Milliseconds since 1970, UTC. */
export const time = z.number().describe("milliseconds since 1970, UTC");
/** As the documents of `--json` have it. */
export const isoTime = maybe(text).describe("UTC, as 2026-04-01T10:15:00.000Z");
export const usd = maybe(z.number()).describe("US dollars; null: unknown, because the agent did not say");
export const tokens = maybe(z.number()).describe("null: unknown, because the agent did not say");

export const RUN_STATUS = z.enum(["running", "waiting", "paused", "completed", "failed", "stopped", "limited", "cancelled", "refused"]);
export const STORY_STATUS = z.enum(["unclaimed", "in_progress", "completed", "failed", "blocked"]);
export const STEP_STATUS = z.enum(["pending", "in_progress", "waiting", "completed", "skipped", "failed", "cancelled"]);

export const story = z.object({
	id: text,
	title: text,
	description: text,
	criteria: list(text),
	priority: z.number(),
	dependsOn: list(text),
	independent: z.literal(true).exactOptional(),
	expectsChange: z.boolean().exactOptional(),
	group: text.exactOptional(),
	passes: z.boolean().exactOptional().describe("done before the run"),
});

export const newStep = z.object({
	id: text,
	type: text,
	description: text,
	origin: text.exactOptional().describe("the step that this one is a copy of"),
	sender: text.exactOptional(),
});

export const finding = z.object({ key: text, class: text, text });
export const earlier = z.object({ key: text, open: z.boolean() }).describe("what a reviewer says about a finding of an earlier round");
export const usage = z.object({ costUsd: usd, inputTokens: tokens, outputTokens: tokens });
export const kept = z.object({ name: text, text });
export const by = z.object({ user: text, how: text.describe("cli, or the name of another front end") });

export const check = z.object({
	name: text,
	command: text,
	exitCode: maybe(z.number()).describe("null: it did not end by itself"),
	output: text.describe("the end of what it printed"),
	tree: text.exactOptional().describe("the git tree that it ran on"),
	reused: z.literal(true).exactOptional().describe("it had passed on this tree before and was not run again"),
	signal: text.exactOptional(),
	said: z.literal(true).exactOptional(),
	unsaid: z.literal(true).exactOptional(),
});

export const reportAsked = z.object({
	role: text,
	attempt: z.number(),
	agent: text,
	session: text,
	missing: text,
	changed: z.boolean().exactOptional(),
	signal: text.exactOptional(),
	notes: text.exactOptional(),
});

export const held = z.object({
	signal: text,
	error: maybe(text),
	notes: maybe(text),
	fields: byName(text),
	findings: list(finding),
	earlier: list(earlier).exactOptional(),
	stories: maybe(list(story)),
	kept: list(kept).exactOptional(),
	changed: z.boolean(),
	changedBefore: z.literal(true).exactOptional(),
	checks: list(check),
	retryAt: maybe(time),
});
