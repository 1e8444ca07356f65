// docs/reference/http-api.md: the routes of the dashboard's server, the bodies of its actions and its errors. What a route answers is said here:
// the compiler refuses this file while a route or an action lacks its words.
import { z } from "zod";
import type { Context } from "../../src/cli/context.ts";
import { oneShot } from "../../src/cli/run/one-shot.ts";
import { STATUS } from "../../src/server/answer.ts";
import type { ACTION_NAMES, LOOKS } from "../../src/server/routes.ts";
import { ACTIONS, startSchema } from "../../src/server/schemas.ts";
import { services } from "../../src/wiring.ts";
import { keyTable, type Schema } from "./schema.ts";
import { code, MADE, page, table } from "./table.ts";

const ANSWERS: Readonly<Record<keyof typeof LOOKS, { readonly query?: string; readonly answer: string }>> = {
	runs: { query: "limit=N", answer: "the rows of `pawl runs --json`, newest first; with a limit the newest N, and all that are not over" },
	inbox: { answer: "every [question](../ui.md#a-question) that waits for a person, over all runs, the oldest first" },
	machines: {
		answer:
			"with [several machines](../machines.md) `workers` and `accounts`, as `pawl workers` and `pawl accounts` print them with `--json`; otherwise null",
	},
	workflows: {
		answer:
			"the workflows that can be started here: `name`, `title`, `origin`, `inputs`, and `defaults`: the options of a run that names none (`null`: no limit, or the agent's own)",
	},
	"runs/RUN": { answer: "`pawl status --json` ([its keys](status.md)) and the fields of [a run](../ui.md#a-run)" },
	"runs/RUN/stories": { answer: "`pawl stories --json`, each with its `criteria` as in [a story](../ui.md#a-story)" },
	"runs/RUN/stories/STORY": { answer: "[one story](../ui.md#a-story) with its steps, attempts, checks, edits and decisions" },
	"runs/RUN/events": { query: "after=N", answer: "`pawl history --json`: the [events](events.md) after version N" },
	"runs/RUN/attempts": { answer: "every [attempt](../ui.md#an-attempt) of the run in the order of their start: the data of a timeline" },
	"runs/RUN/cost": { answer: "`pawl cost --json`" },
	"runs/RUN/stories/STORY/diff": { answer: "`pawl diff --json`" },
	"runs/RUN/stories/STORY/steps/STEP/log": {
		query: "after=N",
		answer:
			'`{"records","next"}`: `pawl logs --json` from a position on, about 1 MB at a time. N is `0` or an earlier `next`; nothing is new if `next` stays the same. A position that does not fit any more is 400: begin at 0',
	},
	"runs/RUN/stories/STORY/steps/STEP/prompt": {
		query: "attempt=N",
		answer: '`{"run","story","step","attempt","prompt"}`: the exact prompt of a session',
	},
};

const DOES: Readonly<Record<(typeof ACTION_NAMES)[number], string>> = {
	approve: "as `pawl approve`; `step` as in the command, not needed if one question waits. With `ask` only that question is answered",
	answer: "for a question with `answer` among its `actions`: the step runs again and reads the text",
	reject: "as `pawl reject`: needs its `reason`",
	retry: "what failed, or what was handed to a person, is tried again",
	skip: "never a merge, a question to a person, the final checks or the only step that can give a run its stories",
	steer: "tells the agents something: every step that starts from now on reads it",
	extend: "new totals, as the options of `pawl extend`",
	resume: "continues the run in a process of its own",
	pause: "ends the running sessions, puts their trees back, and waits until the run has stopped",
	cancel: "the same, but for good",
};

const bodyOf = (schema: z.ZodType): Schema => z.toJSONSchema(schema, { io: "input", unrepresentable: "any" }) as Schema;

function bodyWords(schema: z.ZodType): string {
	const { properties = {}, required = [] } = bodyOf(schema);
	return Object.keys(properties)
		.map((key) => `${code(key)}${required.includes(key) ? " (required)" : ""}`)
		.join(", ");
}

/** What the flag of the same name says on the command line. */
function withHelp(properties: Readonly<Record<string, Schema>>): Readonly<Record<string, Schema>> {
	const flags = oneShot({ services } as Context).options;
	return Object.fromEntries(
		Object.entries(properties).map(([key, value]) => {
			const flag = flags.find(({ long }) => long === `--${key.replaceAll("_", "-")}`);
			return [key, flag === undefined ? value : { ...value, description: flag.description }];
		}),
	);
}

export function apiPage(): string {
	const start = bodyOf(startSchema(services.flags));
	const { options, ...inputs } = start.properties ?? {};
	return page(
		"# HTTP API of the dashboard",
		`${MADE} \`pawl ui\` serves it on this machine alone. [The dashboard](../ui.md#who-may-ask) says who may ask and what the answers hold.`,
		`JSON in UTF-8 under \`/api/v1/\`. \`RUN\` is a whole id; \`STORY\` is an id, or \`run\` for the run's own steps. A request needs the header
\`Authorization: Bearer TOKEN\`; the token is in the address that \`pawl ui --json\` prints.`,
		"## GET",
		"GET never changes anything.",
		table(
			["path", "answer"],
			[
				...Object.entries(ANSWERS).map(([path, { query, answer }]) => [code(query === undefined ? path : `${path}?${query}`), answer]),
				[code("stream?run=RUN&after=N"), "the [stream](../ui.md#the-stream) of events, of one run or of all"],
			],
		),
		"## POST runs/RUN/ACTION",
		"The body is `{}` or has these keys; others are refused. [What follows](../ui.md#actions).",
		table(
			["action", "keys of the body", "what it does"],
			Object.entries(DOES).map(([name, does]) => [code(name), bodyWords(ACTIONS[name as keyof typeof ACTIONS]), does]),
		),
		"## POST runs",
		"Starts a run: a `workflow`, one thing to do, and `options`. It answers 201 with the run's row once the run's process drives it. An unfinished run on the same file is 409, unless `fresh` is true.",
		keyTable({ properties: inputs, required: start.required ?? [] }, start),
		"`options` are those of [`pawl run`](cli.md#pawl-run), with `_` for `-`:",
		keyTable({ properties: withHelp(options?.properties ?? {}) }, start),
		"## Errors",
		'An error is `{"error":{"code","message"}}`; the message is the sentence that the command would print.',
		table(
			["code", "status"],
			Object.entries(STATUS).map(([name, status]) => [code(name), String(status)]),
		),
	);
}
