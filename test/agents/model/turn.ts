// What the stub model says and what it charges: the words that the dialects of the four APIs have in common.

/** What was asked, whatever the API. */
export interface Question {
	/** All that the user said in it, in order. */
	readonly prompt: string;
	/** How many results of tools stand in it. */
	readonly results: number;
	readonly model: string;
	/** How much effort the model should make; empty if it was not said. */
	readonly effort: string;
	readonly stream: boolean;
	/** The tools that the CLI offers, by name. */
	readonly tools: readonly string[];
}

export interface Turn {
	readonly text: string;
	/** A command for the CLI's own shell tool. */
	readonly command?: string;
	/** A call of a tool of pawl's own MCP server, by its name there. */
	readonly tool?: Call;
}

export interface Call {
	readonly name: string;
	readonly input: Readonly<Record<string, unknown>>;
}

/** Per answer; `input` is what did not come from a cache. */
export interface Tokens {
	readonly input: number;
	readonly cached: number;
	readonly output: number;
}

export interface Answer {
	readonly id: string;
	readonly turn: Turn;
	readonly tokens: Tokens;
	readonly model: string;
	readonly tools: readonly string[];
}

/** One event of a stream: its name, for the APIs that name them, and its data. */
export interface StreamEvent {
	readonly event?: string;
	readonly data: unknown;
}

export interface Refusal {
	readonly status: number;
	readonly message: string;
	/** Seconds. */
	readonly retryAfter?: number;
}

export interface Dialect {
	readonly name: string;
	/** Whether a request is one for an answer of the model. */
	handles(method: string, path: string): boolean;
	question(path: string, body: unknown): Question;
	/** The parts of a whole answer, as a stream and at once. */
	events(answer: Answer): readonly StreamEvent[];
	whole(answer: Answer): unknown;
	/** The body of an HTTP error. */
	refusal(refusal: Refusal): unknown;
	/** The same in the middle of a stream. */
	failure(refusal: Refusal): StreamEvent;
}

/** Every answer costs something else, so that one that is forgotten or counted twice shows. */
export const tokensOf = (answer: number): Tokens => ({ input: 1000 + 7 * answer, cached: 200 + 3 * answer, output: 50 + answer });

export const sum = (all: readonly Tokens[]): Tokens =>
	all.reduce((a, b) => ({ input: a.input + b.input, cached: a.cached + b.cached, output: a.output + b.output }), {
		input: 0,
		cached: 0,
		output: 0,
	});

/** Which step of a workflow asks: its prompt says so in its heading. */
export function stepOf(prompt: string): { readonly type: string; readonly story: string } | null {
	// A continued session has the prompts of earlier steps before the one that counts.
	const [, type, story] = [...prompt.matchAll(/^# (\w+) \(step-\d+\) of story ([^\s:]+)/gm)].at(-1) ?? [];
	return type === undefined || story === undefined ? null : { type, story };
}

/** In a request: the command of the coding step starts what does not end by itself, also out of reach of its own session. */
export const NEVER_ENDS = "Never end.";

/** What a turn calls, by the names that the CLI has for it; `shell` says how it takes a command. */
export function callOf({ turn, tools }: Answer, shell: (command: string) => Call): Call | null {
	if (turn.command !== undefined) return shell(turn.command);
	if (turn.tool === undefined) return null;
	const name = offered(tools, turn.tool.name);
	if (name === null) throw new Error(`the CLI offers no tool ${turn.tool.name} of pawl`);
	return { name, input: turn.tool.input };
}

/** mcp__pawl__report, pawl_report, mcp_pawl_report: each CLI has a name of its own for it. */
export const offered = (tools: readonly string[], name: string): string | null =>
	tools.find((tool) => /pawl/.test(tool) && tool.endsWith(name)) ?? null;

/** In a request: every step ends with a report by tool, and its last words say something else. */
export const BY_TOOL = "Report by the tool.";
export const reported = (step: string): string => `reported ${step} by the tool`;

/** In a request: the first report of a step that judges does not say its verdict. */
export const FORGETS = "Forget the verdict.";
/** The first words of what pawl says in a session whose report it could not read. */
const ASKED_AGAIN = "Send the report of your last message again";

/** What only the prompt of a planner asks for. */
const PLANS = "PRD_JSON";
export const PLANNED = [
	{
		id: "US-001",
		title: "Greet loudly",
		description: "People ask for it.",
		acceptanceCriteria: ["`sh greet.sh | grep -q HELLO`"],
		depends_on: [],
	},
];

/** It asks once, and then answers with a list in a fence, as models do. */
const plan = (prompt: string): string =>
	prompt.includes("You asked:")
		? `STATUS: done\nPRD_JSON:\n\`\`\`json\n${JSON.stringify({ userStories: PLANNED }, null, 2)}\n\`\`\`\n`
		: "STATUS: questions\nQUESTIONS:\n- How loudly?\n";

/** Steps that write code do so with one command; all others only talk. */
export function scriptedTurn({ prompt, results }: Question): Turn {
	const step = stepOf(prompt);
	if (step === null) return { text: prompt.includes(PLANS) ? plan(prompt) : "Nothing to do." };
	const commands = step.type === "coding" ? 1 : 0;
	if (prompt.includes(BY_TOOL) && results >= commands) {
		if (results > commands) return { text: `All of ${step.type} is done.\n\nVERDICT: BLOCK\n\n## SUMMARY\n\nsaid by words\n` };
		const signal = step.type === "coding" ? "done" : "acceptable";
		return { text: "I will report.", tool: { name: "report", input: { signal, summary: reported(step.type) } } };
	}
	if (prompt.includes(FORGETS) && step.type === "review")
		return { text: prompt.includes(ASKED_AGAIN) ? "VERDICT: ACCEPTABLE\n" : "It looks good to me." };
	if (results < commands) {
		if (prompt.includes(NEVER_ENDS)) return { text: "I will wait.", command: "setsid sleep 1000 & sleep 1000 & sleep 1000" };
		const file = `${step.story}.txt`;
		return {
			text: "I will write the file and commit it.",
			command: `echo done > ${file} && git add ${file} && git commit -qm 'Add ${file}'`,
		};
	}
	return { text: `All of ${step.type} is done.\n\n## SUMMARY\n\nThe stub did ${step.type}.\n` };
}

export const record = (value: unknown): Readonly<Record<string, unknown>> =>
	typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
export const array = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
export const text = (value: unknown): string => (typeof value === "string" ? value : "");

/** Text in pieces, as models send it. */
export const pieces = (whole: string): string[] => whole.match(/.{1,16}/gs) ?? [];
