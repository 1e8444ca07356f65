// The faults of a model server and how a run with each of the four CLIs handles them. docs/agents/faults.md is generated from this, and
// faults.case.ts holds the real CLIs to it.
import type { Refusal } from "./model/turn.ts";

export interface FaultCase {
	readonly name: string;
	/** For the page: what the server does. */
	readonly server: string;
	readonly fault: { readonly times?: number } & (
		| ({ readonly kind: "status" } & Refusal)
		| { readonly kind: "drop" }
		| { readonly kind: "stall" }
		| ({ readonly kind: "error" } & Refusal)
	);
	/** Nothing ends it but the time limit of the step, so that one is short. */
	readonly silent?: readonly string[];
	/** How the attempt that meets it ends, by CLI. */
	readonly ends: Readonly<Record<string, Ending>>;
}

/** An outcome of the agent contract. */
export type Ending = "ok" | "agent_error" | "auth" | "context_too_long" | "overloaded" | "rate_limited" | "timeout";

/** What follows for the run, and its exit code. */
export const FOLLOWS: Readonly<Record<Ending, { readonly code: number; readonly run: string }>> = {
	ok: { code: 0, run: "goes on: the CLI tried again by itself" },
	agent_error: { code: 1, run: "the story fails; `pawl retry` goes on from the step" },
	auth: { code: 1, run: "the run fails: nothing else would fare better; `pawl resume` goes on after a login" },
	context_too_long: { code: 1, run: "the story fails; the step is too large for the model" },
	overloaded: {
		code: 75,
		run: "waits 15 seconds, then longer each time, and does the step again, at most 20 times; ends where a wait is longer than `--max-wait`",
	},
	rate_limited: {
		code: 75,
		run: "waits until the limit is lifted (15 seconds, then longer each time, where nobody says when) and does the step again, at most 100 times; ends where a wait is longer than `--max-wait`",
	},
	timeout: { code: 1, run: "the step's time limit ends it, and the story fails" },
};

const all = (ending: Ending): Readonly<Record<string, Ending>> => ({ claude: ending, codex: ending, opencode: ending, gemini: ending });

export const FAULTS: readonly FaultCase[] = [
	{
		name: "400",
		server: "400 to every request",
		fault: { kind: "status", status: 400, message: "messages.0: this request is not valid" },
		ends: all("agent_error"),
	},
	{
		name: "400 prompt is too long",
		server: "400 that says that the prompt is too long",
		fault: { kind: "status", status: 400, message: "prompt is too long: 210000 tokens > 200000 maximum" },
		ends: all("context_too_long"),
	},
	{
		name: "401",
		server: "401 to every request",
		fault: { kind: "status", status: 401, message: "invalid x-api-key" },
		ends: all("auth"),
	},
	{
		name: "429",
		server: "429 to every request, `retry-after: 8`",
		fault: { kind: "status", status: 429, message: "Rate limit reached", retryAfter: 8 },
		ends: all("rate_limited"),
	},
	{
		name: "429 for an hour",
		server: "429 to every request, `retry-after: 3600`",
		fault: { kind: "status", status: 429, message: "Rate limit reached", retryAfter: 3600 },
		silent: ["codex", "opencode"],
		// codex tells of the limit and then is silent; opencode tells nothing.
		ends: { ...all("rate_limited"), opencode: "timeout" },
	},
	{
		name: "529",
		server: "529 to every request",
		fault: { kind: "status", status: 529, message: "Overloaded" },
		ends: all("overloaded"),
	},
	{
		name: "500",
		server: "500 to every request",
		fault: { kind: "status", status: 500, message: "Internal server error" },
		ends: all("overloaded"),
	},
	{
		name: "drop once",
		server: "the connection ends in the middle of the first answer",
		fault: { kind: "drop", times: 1 },
		ends: { ...all("ok"), gemini: "overloaded" },
	},
	{
		name: "drop",
		server: "the connection ends in the middle of every answer",
		fault: { kind: "drop" },
		ends: all("overloaded"),
	},
	{
		name: "stall",
		server: "every answer goes silent in the middle",
		fault: { kind: "stall" },
		silent: ["claude", "codex", "opencode", "gemini"],
		ends: all("timeout"),
	},
	{
		name: "error once",
		server: "the first answer carries an error (overloaded) in the middle",
		fault: { kind: "error", status: 529, message: "Overloaded", times: 1 },
		ends: { ...all("ok"), codex: "overloaded" },
	},
	{
		name: "error",
		server: "every answer carries an error (overloaded) in the middle",
		fault: { kind: "error", status: 529, message: "Overloaded" },
		ends: all("overloaded"),
	},
];

/** What pawl knows of the cost of a session that had one good answer before it met the fault. */
export const TOLD = {
	all: "all that was charged",
	begun: "all that was charged, and what broken answers had begun with",
	input: "the input tokens; output and cost unknown",
	unknown: "unknown",
} as const;
export type Told = keyof typeof TOLD;

export interface SpentCase extends FaultCase {
	readonly told: Readonly<Record<string, Told>>;
}

const caseOf = (name: string): FaultCase => {
	const found = FAULTS.find((fault) => fault.name === name);
	if (!found) throw new Error(`there is no fault ${name}`);
	return found;
};

/** Faults in the middle of a session, after an answer and its tool. Codex tells its tokens when all went well, and never otherwise. */
export const SPENT: readonly SpentCase[] = [
	{ ...caseOf("400"), told: { claude: "all", codex: "unknown", opencode: "all", gemini: "all" } },
	{ ...caseOf("drop"), told: { claude: "begun", codex: "unknown", opencode: "all", gemini: "all" } },
	{ ...caseOf("stall"), told: { claude: "input", codex: "unknown", opencode: "all", gemini: "unknown" } },
	{
		...caseOf("error"),
		// Gemini takes what came before the error for the whole answer, once a tool was used, and says that all is well.
		ends: { ...caseOf("error").ends, gemini: "ok" },
		told: { claude: "all", codex: "unknown", opencode: "all", gemini: "all" },
	},
];
