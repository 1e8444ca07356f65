// The tools of an agent during its attempt, as an MCP server on stdin and stdout. Nothing else may be printed there.
import { McpServer } from "@modelcontextprotocol/server";
import { StdioServerTransport, serveStdio } from "@modelcontextprotocol/server/stdio";
import { z } from "zod";
import type { Answer, Desk } from "../runs/attempt/caller.ts";
import {
	editWorkflow,
	fieldTexts,
	type Introduction,
	introduce,
	learn,
	NOTE_CHARACTERS,
	note,
	readStory,
	report,
} from "../runs/attempt/tools.ts";

const OPERATIONS = [
	'{"operation":"add_after","target_step_id":ID,"new_steps":[{"type":TYPE,"description":TEXT}],"reason":TEXT}',
	'{"operation":"split","target_step_id":ID,"replacement_steps":[{"type":TYPE,"description":TEXT}],"reason":TEXT}',
	'{"operation":"skip","target_step_id":ID,"reason":TEXT}',
	'{"operation":"reorder","new_order":[ID of every pending step],"reason":TEXT}',
	'{"operation":"edit_description","target_step_id":ID,"new_description":TEXT,"reason":TEXT}',
	'{"operation":"restart","target_step_id":ID of this step,"new_description":TEXT,"reason":TEXT}',
].join("\n");

const text = z.string().min(1).max(NOTE_CHARACTERS);

/** Until the agent closes its end. */
export async function serve(desk: Desk, version: string): Promise<void> {
	const about = await introduce(desk);
	const transport = new StdioServerTransport();
	const input = process.stdin;
	const closed = new Promise<void>((done) => {
		input.once("end", done);
		input.once("close", done);
	});
	serveStdio(() => serverOf(desk, version, about), { transport });
	await closed;
}

const instructionsOf = ({ ok, text }: Introduction): string =>
	ok
		? `${text} When you are done, call \`report\`: it goes before what your final message says. Notes, learnings and changes to the steps ahead have tools of their own; use these instead of writing the files.`
		: text;

/** The signals of the role, so that the agent need not guess. */
const signalsText = ({ ok, signals }: Introduction): string => (ok ? ` One of: ${signals.join(", ")}.` : "");
const fieldsText = ({ ok, fields }: Introduction): string => (ok ? ` Known here: ${fields.join(", ") || "none"}.` : "");

function serverOf(desk: Desk, version: string, about: Introduction): McpServer {
	const server = new McpServer({ name: "pawl", version }, { capabilities: { tools: {} }, instructions: instructionsOf(about) });
	// One after the other: simultaneous calls must not overwrite each other.
	let before: Promise<unknown> = Promise.resolve();
	const said = async (work: () => Promise<Answer>) => {
		const answer = before.then(work);
		before = answer.catch(() => {});
		const { ok, text } = await answer;
		return { content: [{ type: "text" as const, text }], ...(ok ? {} : { isError: true }) };
	};
	server.registerTool(
		"report",
		{
			description: "Report how this step went. Call it once, when you are done; a later call replaces an earlier one.",
			inputSchema: z.object({
				signal: z
					.string()
					.optional()
					.describe(`How it went. Optional if the fields say it.${signalsText(about)}`),
				summary: text.describe("What later steps need to know, in a few lines."),
				fields: z
					.record(z.string(), z.unknown())
					.optional()
					.describe(`What the prompt asks for as KEY: value lines.${fieldsText(about)}`),
			}),
		},
		({ signal, summary, fields }) => said(() => report(desk, { signal: signal ?? null, summary, fields: fieldTexts(fields ?? {}) })),
	);
	server.registerTool(
		"edit_workflow",
		{
			description: `Change the steps of this story that are still ahead. A call is accepted as a whole or not at all, and the answer gives every reason. Calls add up; an empty list takes back all of them. Operations:\n${OPERATIONS}`,
			inputSchema: z.object({ operations: z.array(z.record(z.string(), z.unknown())).max(100) }),
		},
		({ operations }) => said(() => editWorkflow(desk, operations)),
	);
	server.registerTool(
		"note",
		{
			description: "Leave a note for later steps: of this story, or of every story of the run.",
			inputSchema: z.object({ text, for: z.enum(["story", "all"]).default("story") }),
		},
		(given) => said(() => note(desk, given.text, given.for)),
	);
	server.registerTool(
		"learn",
		{
			description: "Keep something that every later step of every story should know: how this repository works, what does not work.",
			inputSchema: z.object({ text }),
		},
		(given) => said(() => learn(desk, given.text)),
	);
	server.registerTool(
		"read_story",
		{
			description: "The story that you work on: description, acceptance criteria, and its steps with status and notes.",
			inputSchema: z.object({}),
			annotations: { readOnlyHint: true },
		},
		() => said(() => readStory(desk)),
	);
	return server;
}
