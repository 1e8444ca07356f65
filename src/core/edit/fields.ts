// The fields of an operation as an agent wrote them, and what to tell it about those that are wrong.
import { closest } from "../closest.ts";

export const MAX_OPERATIONS = 100;
export const MAX_TEXT = 16_384;

export type Fields = Readonly<Record<string, unknown>>;

export const isFields = (value: unknown): value is Fields => typeof value === "object" && value !== null && !Array.isArray(value);

/** A text, or what is wrong with it. */
export type Text = { readonly text: string } | { readonly problem: string };

export function textOf(fields: Fields, name: string): Text {
	const value = fields[name];
	if (value === undefined) return { problem: missing(fields, name) };
	if (typeof value !== "string") return { problem: `\`${name}\` must be a text, and is ${short(value)}` };
	if (value.trim() === "") return { problem: `\`${name}\` is empty` };
	if (value.length > MAX_TEXT)
		return { problem: `\`${name}\` has ${amount(value.length)} characters, and ${amount(MAX_TEXT)} are the most that are taken` };
	return { text: value };
}

/** Other names for a field that agents use. */
const MEANT: Readonly<Record<string, readonly string[]>> = {
	operation: ["op", "action", "type"],
	target_step_id: ["step_id", "step", "target", "id", "target_id", "after"],
	new_steps: ["steps", "replacement_steps"],
	replacement_steps: ["steps", "new_steps"],
	new_order: ["order", "steps"],
	new_description: ["description", "text"],
	description: ["new_description", "text", "task"],
	reason: ["why", "rationale"],
};

/** An operation has six. */
const MOST_FIELDS = 50;

/** Names the field that was probably meant to be this one. */
export function missing(fields: Fields, name: string): string {
	const others = Object.keys(fields).slice(0, MOST_FIELDS);
	const meant = MEANT[name]?.find((key) => others.includes(key)) ?? closest(name, others);
	return meant === null ? `\`${name}\` is missing` : `\`${name}\` is missing: call \`${meant}\` by that name`;
}

/** `16,384`. */
export const amount = (n: number): string => String(n).replace(/\B(?=(\d{3})+$)/g, ",");

/** An agent's value in a message: one line, never long. */
export function short(value: unknown): string {
	if (typeof value === "string") return `"${value.replaceAll(/\s+/g, " ").slice(0, 60)}"`;
	if (value === undefined) return "(none)";
	if (Array.isArray(value)) return "(a list)";
	return typeof value === "object" && value !== null ? "(an object)" : String(value);
}
