// `pawl mcp serve` as another agent uses it: a real MCP client on stdio, a real repository, scripted agents. It starts runs, watches them to their end and
// steers them; what a person decides stays with the person.
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { PAWL } from "../support/bin.ts";
import { git, repository, scratchFolder } from "../support/scratch.ts";

const workflow = (name: string, steps: string): string => `name: ${name}
title: Work
resume: yes
inputs: {request: {reader: request, workspace: tree}, list: {reader: prd, workspace: tree}}
roles: {agent: {description: Works, can: [run, commit], report: {notes: summary}}}
steps: [${steps}]
types:
  ask: {description: "May it start?", approval: person, on: {approved: next, rejected: fail run}}
  stories: {description: The stories, each: {concurrency: $agents, order: dependencies, on_failure: block, expects_change: true, steps: [work]}}
  work: {description: Work, role: agent, timeout: 1m, writes: any}
on:
  done: next
  agent_error|timeout|stalled|permission|context_too_long|boundary_violation|unreadable|workspace_error|auth: {fail: story}
  lost: {insert: [same], max: 3/step, exhausted: {fail: story}}
  rate_limited|overloaded: {wait: time}
`;
const SCRIPT = `steps:
  - on: {type: work}
    do: [{write: {path: work.txt, content: "token-of-a-person\\n"}}, {commit: Work}, {usage: {cost_usd: 0.5}}]
`;
const SECRET = "token-of-a-person";

// biome-ignore lint/suspicious/noExplicitAny: tests read whatever they expect
type Json = any;

describe("pawl mcp serve", () => {
	const cwd = repository({
		"pawl.yml": "agent: mine\nagents: {mine: {type: scripted, script: script.yml}}\nlimits: {cost: $2}\n",
		"script.yml": SCRIPT,
		".pawl/workflows/plain/workflow.yml": workflow("plain", "stories"),
		".pawl/workflows/asked/workflow.yml": workflow("asked", "ask, stories"),
		...Object.fromEntries(["plain", "asked"].map((name) => [`.pawl/workflows/${name}/prompts/work.md`, "Work: {{story_description}}\n"])),
	});
	const client = new Client({ name: "test", version: "0" });
	before(async () => {
		const elsewhere = scratchFolder("elsewhere");
		const env = { PATH: process.env["PATH"] ?? "", HOME: elsewhere, XDG_CONFIG_HOME: elsewhere, A_SECRET_TOKEN: SECRET };
		await client.connect(new StdioClientTransport({ command: PAWL, args: ["mcp", "serve", "--repo", cwd], cwd: elsewhere, env }));
	});
	after(() => client.close());

	const call = async (
		name: string,
		args: Readonly<Record<string, unknown>> = {},
	): Promise<{ error: boolean; text: string; json: Json }> => {
		const { content, isError } = await client.callTool({ name, arguments: args });
		const [first = "", ...more] = (content as readonly { readonly text?: string }[]).map(({ text = "" }) => text);
		const error = isError === true;
		return { error, text: [first, ...more].join("\n"), json: first.startsWith("{") || first.startsWith("[") ? JSON.parse(first) : null };
	};
	const started = async (args: Readonly<Record<string, unknown>>): Promise<string> => {
		const { error, text, json } = await call("start_run", args);
		assert.equal(error, false, text);
		return json.run;
	};
	/** All events until nothing more comes by itself, and the last answer. */
	const watched = async (run: string): Promise<{ names: string[]; last: Json }> => {
		const names: string[] = [];
		for (let after = 0; ; ) {
			const { json, text } = await call("run_events", { run, after, wait_seconds: 50 });
			assert.ok(json.events, text);
			names.push(...json.events.map((event: Json) => event.event));
			after = json.next;
			if (json.halted !== undefined) return { names, last: json };
		}
	};

	it("lists what can be started, starts it, and watches it to its end; secrets stay out of what it shows", async () => {
		assert.ok((await call("list_workflows")).json.some((one: Json) => one.name === "plain"));
		const run = await started({ workflow: "plain", request: "Write the file", max_cost: 2 });
		const { names, last } = await watched(run);
		assert.deepEqual([names[0], last.status], ["run_created", "completed"]);
		assert.equal(git(cwd, "show", "HEAD:work.txt"), SECRET);
		assert.deepEqual((await call("run_events", { run, after: last.next })).json.events, []);
		const status = (await call("run_status", { run })).json;
		assert.deepEqual([status.status, status.cost_usd, status.stories.length], ["completed", 0.5, 1]);
		const [{ id }] = status.stories;
		const log = await call("read_log", { run, story: id, step: "step-001" });
		assert.equal(log.json.records[0].type, "attempt", log.text);
		assert.deepEqual((await call("read_log", { run, story: id, step: "step-001", after: log.json.next })).json.records, []);
		const diff = await call("read_diff", { run });
		assert.match(diff.text, /\n\+\*\*\*/);
		assert.ok(![log.text, diff.text].some((text) => text.includes(SECRET)));
		assert.equal((await call("list_runs")).json[0].run, run);
	});

	it("G-27 a run that waits for a person cannot be approved by it: it names the command; it can be steered and cancelled", async () => {
		const run = await started({ workflow: "asked", request: "Write the file" });
		const { last } = await watched(run);
		assert.equal(last.status, "waiting");
		const status = (await call("run_status", { run })).json;
		assert.equal(status.waits_for_a_person[0].reason, "May it start?");
		assert.match(JSON.stringify(status.commands_for_a_person), new RegExp(`pawl approve ${run}`));
		const { tools } = await client.listTools();
		assert.deepEqual(tools.map(({ name }) => name).sort(), [
			"cancel_run",
			"list_runs",
			"list_workflows",
			"pause_run",
			"read_diff",
			"read_log",
			"resume_run",
			"run_events",
			"run_status",
			"start_run",
			"steer_run",
		]);
		const options = Object.keys(tools.find(({ name }) => name === "start_run")?.inputSchema.properties ?? {});
		assert.deepEqual(
			options.filter((name) => /yes|check|push|pr$|script|command|base|comment/.test(name)),
			[],
		);
		for (const name of ["approve_run", "extend_run"])
			assert.ok(
				await call(name, { run }).then(
					({ error }) => error,
					() => true,
				),
				name,
			);
		assert.equal((await call("resume_run", { run })).json.error.code, "refused");
		assert.equal((await call("steer_run", { run, text: "Mind the tests" })).error, false);
		assert.equal((await call("cancel_run", { run: "latest" })).json.error.code, "invalid");
		assert.equal((await call("cancel_run", { run })).json.status, "cancelled");
		const { events } = (await call("run_events", { run, after: last.next })).json;
		assert.deepEqual(events.flatMap((event: Json) => event.by?.how ?? []).slice(0, 1), ["mcp"]);
	});

	it("answers mistakes with a code, goes beyond no limit of pawl.yml, and reads no file outside of the repository", async () => {
		const before = readdirSync(join(cwd, ".pawl", "runs"));
		const refused = async (args: Readonly<Record<string, unknown>>): Promise<string> => {
			const { error, text, json } = await call("start_run", args);
			assert.equal(error, true, text);
			return json?.error?.code ?? "input";
		};
		assert.equal(await refused({ workflow: "plain" }), "invalid");
		assert.equal(await refused({ workflow: "plain", request: "x", yes: true }), "input");
		assert.equal(await refused({ workflow: "../plain", request: "x" }), "input");
		assert.equal(await refused({ workflow: "nothing", request: "x" }), "not_found");
		assert.equal(await refused({ workflow: "plain", request: "x", max_cost: 3 }), "refused");
		assert.equal(await refused({ workflow: "plain", request: "x", model: "--share" }), "invalid");
		assert.equal(await refused({ workflow: "plain", prd: "/etc/passwd" }), "invalid");
		assert.equal((await call("run_status", { run: "nothing" })).json.error.code, "not_found");
		assert.equal((await call("run_events", { run: "latest", after: 100_000 })).json.error.code, "invalid");
		assert.deepEqual(readdirSync(join(cwd, ".pawl", "runs")), before);
	});
});
