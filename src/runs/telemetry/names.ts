// What telemetry calls things: ids that follow from the journal alone, and the names of OpenTelemetry's conventions for generative AI.
import { createHash } from "node:crypto";

/** Two repositories may have runs of the same id: the time of creation keeps them apart. */
export const traceOf = (run: string, createdAt: number): string => hash(`${run} ${createdAt}`, 32);

/** `opened`: the number of the event that began it, so whoever ends it, after whatever crash, says the same. */
export const spanOf = (trace: string, opened: number, what: string): string => hash(`${trace} ${opened} ${what}`, 16);

const hash = (text: string, digits: number): string => createHash("sha256").update(text).digest("hex").slice(0, digits);

const PROVIDERS: readonly (readonly [RegExp, string])[] = [
	[/claude|sonnet|opus|haiku|anthropic/i, "anthropic"],
	[/gpt|codex|openai|^o\d/i, "openai"],
	[/gemini|google/i, "gcp.gemini"],
	[/mistral|codestral|devstral/i, "mistral_ai"],
	[/deepseek/i, "deepseek"],
	[/grok|xai/i, "x_ai"],
];

/** The best that can be known from outside of the agent: the model says it if it is known, else the agent's own name. */
export function providerOf(agent: string | null, model: string | null): string {
	for (const name of [model, agent]) for (const [pattern, provider] of PROVIDERS) if (name !== null && pattern.test(name)) return provider;
	return agent ?? "unknown";
}

const LONGEST = 200;

/** A reason on one line. What programs printed comes after the first line, and stays here. */
export function oneLine(text: string): string {
	const [line = ""] = text.trim().split("\n", 1);
	return line.length <= LONGEST ? line : `${line.slice(0, LONGEST - 1)}…`;
}
