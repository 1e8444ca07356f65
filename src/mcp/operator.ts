// `pawl mcp serve`: the runs of one repository as an MCP server on stdin and stdout, for an agent that a person works with. Nothing else may be printed
// there. Every mistake is an answer with a code, never the end of the server.
import { McpServer } from "@modelcontextprotocol/server";
import { StdioServerTransport, serveStdio } from "@modelcontextprotocol/server/stdio";
import { z } from "zod";
import { parseDuration } from "../core/duration.ts";
import { scrubber } from "../runs/bundle/scrub.ts";
import type { RunsContext } from "../runs/context.ts";
import { personFor } from "../runs/person.ts";
import { asRefusal } from "../runs/refusal.ts";
import { findHistory } from "../runs/repository.ts";
import { inputNames } from "../runs/start/detached.ts";
import { answerText } from "./bounded.ts";
import * as tools from "./operator-tools.ts";

/** Clients give up after a minute. */
const MOST_WAIT_SECONDS = 50;

/** Until the client closes its end. Refuses to start for an agent of a run, and where there is no repository. */
export async function serveRuns(c: RunsContext): Promise<void> {
	personFor(c, null);
	await findHistory(c);
	const closing = new AbortController();
	const closed = new Promise<void>((done) => {
		process.stdin.once("end", done);
		process.stdin.once("close", done);
	});
	serveStdio(() => serverOf(c, closing.signal), { transport: new StdioServerTransport() });
	await closed;
	closing.abort();
}

const INSTRUCTIONS = `pawl drives coding agents through durable workflows in this repository. Start a run with start_run; it goes on by itself in a process of its own. Watch it with run_events (give the \`next\` of the last answer as \`after\`) until the answer has \`halted\`; read run_status for how it stands. A run may wait for a person: approving, rejecting, answering, retrying, skipping, raising limits and pushing are decisions of a person, and no tool here does them. Show the person what waits (waits_for_a_person) and the commands to run (commands_for_a_person), and do not run them yourself.`;

const run = z
	.string()
	.regex(/^[A-Za-z0-9][\w.-]{0,200}$/, "the id of a run")
	.describe("The id of a run.");
const name = z.string().regex(/^[A-Za-z0-9@][\w.-]{0,200}$/);
const words = z.string().trim().min(1).max(100_000);
const duration = z.string().transform((text, context) => {
	const ms = parseDuration(text);
	if (ms !== null && ms > 0) return ms;
	context.addIssue("it must be a duration such as 90s, 15m or 2h");
	return z.NEVER;
});
const READS = { readOnlyHint: true };

function serverOf(c: RunsContext, closing: AbortSignal): McpServer {
	const server = new McpServer({ name: "pawl", version: c.services.version }, { capabilities: { tools: {} }, instructions: INSTRUCTIONS });
	const scrub = scrubber(c.services.secretsIn(c.env), "");
	const said = async (work: () => Promise<unknown>) => {
		try {
			return { content: [{ type: "text" as const, text: answerText(await work(), scrub) }] };
		} catch (error) {
			const { code, message } = asRefusal(error);
			return { content: [{ type: "text" as const, text: answerText({ error: { code, message } }, scrub) }], isError: true };
		}
	};
	looking(server, c, said, closing, scrub);
	acting(server, c, said);
	return server;
}

type Said = (work: () => Promise<unknown>) => Promise<{ content: { type: "text"; text: string }[]; isError?: boolean }>;

function looking(server: McpServer, c: RunsContext, said: Said, closing: AbortSignal, scrub: (text: string) => string): void {
	server.registerTool(
		"list_workflows",
		{
			description: "The workflows that can be started here, and the inputs that each takes.",
			inputSchema: z.object({}),
			annotations: READS,
		},
		() => said(() => tools.workflows(c)),
	);
	server.registerTool(
		"list_runs",
		{
			description: "The runs of this repository, newest first: status, progress, cost, how many steps wait for a person.",
			inputSchema: z.object({ limit: z.number().int().min(1).max(100).default(20) }),
			annotations: READS,
		},
		({ limit }) => said(() => tools.list(c, limit)),
	);
	server.registerTool(
		"run_status",
		{
			description:
				"How a run stands: stories, steps, cost, why it does not go on, what waits for a person, and the commands for that person.",
			inputSchema: z.object({ run }),
			annotations: READS,
		},
		(given) => said(() => tools.status(c, given.run)),
	);
	server.registerTool(
		"run_events",
		{
			description: "What happened in a run after a position. `next` is the position to ask from again.",
			inputSchema: z.object({
				run,
				after: z.number().int().min(0).default(0).describe("How many events you have."),
				wait_seconds: z.number().int().min(0).max(MOST_WAIT_SECONDS).default(0).describe("Wait so long if nothing is new."),
			}),
			annotations: READS,
		},
		(given, { mcpReq }) =>
			said(() => {
				const signal = AbortSignal.any([closing, mcpReq.signal]);
				return tools.events(c, { run: given.run, after: given.after, waitMs: given.wait_seconds * 1_000, signal }, scrub);
			}),
	);
	server.registerTool(
		"read_log",
		{
			description: "What the session of a step printed, and its checks, in pages. `next` is `after` of the following page.",
			inputSchema: z.object({
				run,
				story: name.describe("`run` for the run's own steps."),
				step: name,
				after: z.string().max(40).default("0"),
			}),
			annotations: READS,
		},
		(given) => said(() => tools.log(c, given, scrub)),
	);
	server.registerTool(
		"read_diff",
		{
			description: "What a story changed, or the whole run (story `run`), as a patch in parts. `next` is `from` of the following part.",
			inputSchema: z.object({ run, story: name.optional(), from: z.number().int().min(0).default(0) }),
			annotations: READS,
		},
		async (given) => {
			let part = "";
			const { content, ...rest } = await said(async () => {
				const found = await tools.diff(c, given.run, given.story, given.from);
				part = scrub(found.part);
				return found.about;
			});
			return { ...rest, content: part === "" ? content : [...content, { type: "text" as const, text: part }] };
		},
	);
}

function acting(server: McpServer, c: RunsContext, said: Said): void {
	const inputs = Object.fromEntries(inputNames(c).map((input) => [input, words.optional()]));
	server.registerTool(
		"start_run",
		{
			description: `Start a run of a workflow; returns its id. Give one of ${inputNames(c).join(", ")}. Setup and checks of the repository run first, so it may take a while; if the call times out, look at list_runs before you start another.`,
			inputSchema: z.strictObject({
				workflow: z.string().regex(/^[A-Za-z0-9][\w.-]*$/, "the name of a workflow"),
				...inputs,
				agents: z.number().int().min(1).max(64).optional().describe("How many stories run at the same time."),
				agent: name.optional().describe("A known agent, or one of pawl.yml."),
				model: words.optional(),
				effort: words.optional(),
				max_cost: z.number().positive().optional().describe("US dollars."),
				max_time: duration.optional().describe("Such as 90m."),
				max_iterations: z.number().int().min(1).optional(),
				fresh: z.boolean().optional().describe("A new run even if one on the same file is unfinished."),
			}),
		},
		({ workflow, agents, agent, model, effort, max_cost: maxCost, max_time: maxTime, max_iterations: maxIterations, fresh, ...given }) =>
			said(() =>
				tools.start(c, { workflow, inputs: given, options: { agents, agent, model, effort, maxCost, maxTime, maxIterations, fresh } }),
			),
	);
	server.registerTool(
		"steer_run",
		{
			description: "Tell the agents of a run something: every step that starts from now on reads it.",
			inputSchema: z.object({ run, text: words.max(10_000) }),
		},
		(given) => said(() => tools.tell(c, given.run, given.text)),
	);
	server.registerTool("pause_run", { description: "Stop a run so that it can be resumed.", inputSchema: z.object({ run }) }, (given) =>
		said(() => tools.pause(c, given.run)),
	);
	server.registerTool(
		"resume_run",
		{ description: "Continue a run that was paused, or whose process has died.", inputSchema: z.object({ run }) },
		(given) => said(() => tools.resume(c, given.run)),
	);
	server.registerTool(
		"cancel_run",
		{ description: "End a run for good. It cannot continue.", inputSchema: z.object({ run }), annotations: { destructiveHint: true } },
		(given) => said(() => tools.cancel(c, given.run)),
	);
}
