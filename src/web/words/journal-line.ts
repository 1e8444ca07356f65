// An event of the journal as a line: what happened, where, and the words that came with it. It knows no event by heart, so it also shows
// those of a later pawl.
import { RUN_SCOPE } from "../../core/model.ts";
import type { JournalEvent } from "../api/types.ts";
import { flat } from "../plain.ts";
import { moneyText, statusWord, tokensText } from "./words.ts";

export interface JournalLine {
	readonly version: number;
	readonly at: number;
	/** Story and step; empty for the run itself. */
	readonly subject: string;
	readonly what: string;
	readonly detail: string;
	readonly tone: "" | "good-text" | "bad-text" | "soft";
}

/** Fields with words in them, in the order in which they are told. */
const WORDS = [
	"signal",
	"verdict",
	"status",
	"how",
	"role",
	"action",
	"reason",
	"error",
	"notes",
	"text",
	"description",
	"title",
	"by",
	"name",
];
/** Machinery that people rarely look for. */
const QUIET = new Set([
	"route_taken",
	"merges_sought",
	"merges_looked_for",
	"merge_announced",
	"merge_stacked",
	"merge_unstacked",
	"step_prepared",
	"usage_recorded",
	"budget_spent",
	"counted",
	"fields_set",
	"session_recorded",
	"change_recorded",
]);

export function lineOf(event: JournalEvent): JournalLine {
	const scope = event.scope === undefined || event.scope === RUN_SCOPE ? "" : event.scope;
	return {
		version: event.version ?? 0,
		at: event.at,
		subject: [scope, event.step ?? ""].filter((part) => part !== "").join(" "),
		what: statusWord(event.event),
		detail: detailOf(event),
		tone: toneOf(event),
	};
}

function toneOf({ event, status }: JournalEvent): JournalLine["tone"] {
	if (/failed|rejected|aborting/.test(event) || status === "failed") return "bad-text";
	if (/story_completed/.test(event) || status === "completed") return "good-text";
	return QUIET.has(event) ? "soft" : "";
}

function detailOf(event: JournalEvent): string {
	const parts = WORDS.flatMap((name) => textOf(event[name]));
	if (event.attempt !== undefined && event.attempt > 1) parts.unshift(`attempt ${event.attempt}`);
	return flat([...parts, ...listed(event), ...usage(event["usage"])].join(" · "));
}

function textOf(value: unknown): string[] {
	if (typeof value === "string") return value.trim() === "" ? [] : [value];
	// A person: who, and by which way.
	const { user, how } = (value ?? {}) as { readonly user?: unknown; readonly how?: unknown };
	return typeof user === "string" ? [`by ${user}${typeof how === "string" ? ` (${how})` : ""}`] : [];
}

/** Stories, steps, findings, checks, reasons: by their names. */
function listed(event: JournalEvent): string[] {
	return ["stories", "steps", "checks", "findings", "reasons"].flatMap((name) => {
		const value = event[name];
		if (!Array.isArray(value) || value.length === 0) return [];
		const names = value.map((one: unknown) => (typeof one === "string" ? one : nameOf(one as Readonly<Record<string, unknown>>)));
		return [names.slice(0, 12).join(", ") + (names.length > 12 ? ` and ${names.length - 12} more` : "")];
	});
}

function nameOf(one: Readonly<Record<string, unknown>>): string {
	const ended = "exitCode" in one ? ` ${one["exitCode"] === 0 ? "passed" : "failed"}` : "";
	const found = typeof one["text"] === "string" && one["key"] !== undefined ? `: ${one["text"]}` : "";
	return `${String(one["id"] ?? one["name"] ?? one["key"] ?? "")}${typeof one["type"] === "string" ? ` ${one["type"]}` : ""}${ended}${found}`;
}

function usage(value: unknown): string[] {
	if (typeof value !== "object" || value === null) return [];
	const { costUsd, inputTokens, outputTokens } = value as Readonly<Record<string, number | null>>;
	return [`${moneyText(costUsd)}, ${tokensText(inputTokens)} in, ${tokensText(outputTokens)} out`];
}
