// What the tests of the server share: a repository with a run, a server in this process, plain HTTP against it, its stream.
import { request as httpRequest, type IncomingHttpHeaders, type IncomingMessage } from "node:http";
import { connect } from "node:net";
import type { TestContext } from "node:test";
import { put, repository, scratchFolder } from "../../test/support/scratch.ts";
import type { RunsContext } from "../runs/context.ts";
import { UNOBSERVED } from "../runs/drive/observer.ts";
import { prepare } from "../runs/start/prepare.ts";
import { startRun } from "../runs/start/start.ts";
import { services } from "../wiring.ts";
import { type Running, serve } from "./serve.ts";

const WORKFLOW = `name: asked
title: A person is asked first
resume: yes
inputs: {request: {reader: request, workspace: tree}}
roles: {agent: {description: Works, can: [run, commit], report: {notes: summary}}}
steps: [ask, stories]
types:
  ask: {description: "May it start, question-1?", approval: person, on: {approved: next, rejected: {goto: ask, max: 3/run, exhausted: fail run}}}
  stories: {description: The stories, each: {concurrency: $agents, order: dependencies, on_failure: block, expects_change: true, steps: [work]}}
  work: {description: Work, role: agent, timeout: 1m, writes: any}
on:
  done: next
  agent_error|timeout|stalled|permission|context_too_long|boundary_violation|unreadable|workspace_error|auth: {rollback: failures, fail: story}
  lost: {rollback: failures, insert: [same], max: 3/step, exhausted: {rollback: failures, fail: story}}
  rate_limited|overloaded: {rollback: failures, wait: time}
`;
const SCRIPT = `steps:
  - on: {type: work}
    do: [{write: {path: work.txt, content: "done\\n"}}, {commit: Work}, {usage: {cost_usd: 0.5}}]
`;

export interface Site {
	readonly c: RunsContext;
	/** Starts a run and drives it to its question. */
	ask(cwd?: string): Promise<string>;
	serve(): Promise<Client>;
}

export interface Answer {
	readonly status: number;
	readonly headers: IncomingHttpHeaders;
	readonly text: string;
	// biome-ignore lint/suspicious/noExplicitAny: tests read whatever they expect
	readonly json: any;
}

export interface Asking {
	readonly method?: string;
	readonly headers?: Readonly<Record<string, string | string[]>>;
	readonly body?: string;
	/** null: none. */
	readonly host?: string | null;
}

export interface Client extends Running {
	/** As told, with nothing added. */
	raw(path: string, asking?: Asking): Promise<Answer>;
	get(path: string): Promise<Answer>;
	post(path: string, body: unknown): Promise<Answer>;
	stream(path?: string, lastId?: string): Promise<Streamed>;
}

export interface Streamed {
	readonly status: number;
	// biome-ignore lint/suspicious/noExplicitAny: as above
	readonly events: { readonly event: string; readonly id?: string; readonly data: any }[];
	close(): void;
	readonly answer: IncomingMessage;
}

export function site(t: TestContext): Site {
	const folder = scratchFolder("server");
	const cwd = repository({
		".pawl/workflows/asked/workflow.yml": WORKFLOW,
		".pawl/workflows/asked/prompts/work.md": "Work: {{story_description}}\n",
	});
	put(folder, { "script.yml": SCRIPT });
	const env = { PATH: process.env["PATH"], HOME: folder, XDG_CONFIG_HOME: folder };
	const self = [process.execPath, new URL("../../bin/start.cjs", import.meta.url).pathname];
	const c: RunsContext = { cwd, env, services, now: Date.now, self, warn: () => {}, how: "ui" };
	return {
		c,
		ask: async (at = cwd) => {
			const there = { ...c, cwd: at };
			const prepared = await prepare(there, "asked", "Write the file", { script: `${folder}/script.yml` });
			return (await startRun(there, prepared, UNOBSERVED)).run;
		},
		serve: async () => {
			const running = await serve(c, 0);
			t.after(() => running.close());
			return clientOf(running);
		},
	};
}

function clientOf(running: Running): Client {
	const { port, token } = running;
	const auth = { Authorization: `Bearer ${token}` };
	const raw = (path: string, { method = "GET", headers = {}, body, host = `127.0.0.1:${port}` }: Asking = {}): Promise<Answer> =>
		new Promise((resolve, reject) => {
			const asked = httpRequest(
				{
					host: "127.0.0.1",
					port,
					path,
					method,
					setHost: false,
					agent: false,
					headers: { ...(host === null ? {} : { Host: host }), ...headers },
				},
				(answer) => {
					let text = "";
					answer.setEncoding("utf8");
					answer.on("data", (part: string) => {
						text += part;
					});
					answer.on("end", () =>
						resolve({
							status: answer.statusCode ?? 0,
							headers: answer.headers,
							text,
							get json() {
								return JSON.parse(text);
							},
						}),
					);
				},
			);
			asked.on("error", reject);
			asked.end(body);
		});
	const json = { ...auth, "Content-Type": "application/json" };
	return {
		...running,
		raw,
		get: (path) => raw(`/api/v1/${path}`, { headers: auth }),
		post: (path, body) =>
			raw(`/api/v1/${path}`, { method: "POST", headers: json, body: typeof body === "string" ? body : JSON.stringify(body) }),
		stream: (path = "stream", lastId) => follow(port, path, { ...auth, ...(lastId === undefined ? {} : { "Last-Event-ID": lastId }) }),
	};
}

function follow(port: number, path: string, headers: Readonly<Record<string, string>>): Promise<Streamed> {
	return new Promise((resolve, reject) => {
		const asked = httpRequest({ host: "127.0.0.1", port, path: `/api/v1/${path}`, agent: false, headers }, (answer) => {
			const events: Streamed["events"] = [];
			let rest = "";
			answer.setEncoding("utf8");
			answer.on("error", () => {});
			answer.on("data", (part: string) => {
				const blocks = (rest + part).split("\n\n");
				rest = blocks.pop() ?? "";
				for (const block of blocks) {
					const fields = Object.fromEntries(block.split("\n").map((line) => /^(event|id|data): (.*)$/.exec(line)?.slice(1) ?? ["", ""]));
					if (fields["event"] !== undefined) events.push({ event: fields["event"], id: fields["id"], data: JSON.parse(fields["data"]) });
				}
			});
			resolve({ status: answer.statusCode ?? 0, events, close: () => void asked.destroy(), answer });
		});
		asked.on("error", reject);
		asked.end();
	});
}

/** Bytes over a plain socket, and what came back until the other side closed. */
export const bytes = (port: number, text: string): Promise<string> =>
	new Promise((resolve) => {
		let got = "";
		const socket = connect(port, "127.0.0.1", () => socket.write(text));
		socket.on("data", (part) => {
			got += part.toString();
		});
		socket.on("error", () => resolve(got));
		socket.on("close", () => resolve(got));
	});
