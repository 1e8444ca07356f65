// A tiny agent in the Agent Client Protocol, made with the official SDK, that does what its first argument says.
import { Readable, Writable } from "node:stream";
import {
	type AgentContext,
	agent,
	ndJsonStream,
	RequestError,
	type RequestPermissionResponse,
	type SessionUpdate,
} from "@agentclientprotocol/sdk";

export interface Act {
	/** Its words, one chunk each. */
	readonly say?: readonly string[];
	readonly think?: string;
	readonly usage?: { readonly inputTokens: number; readonly outputTokens: number; readonly costUsd: number };
	readonly fail?: { readonly code: number; readonly message: string; readonly data?: unknown };
	readonly stopReason?: "end_turn" | "max_tokens" | "max_turn_requests" | "refusal" | "cancelled";
	/** After its words it continues until it is told to stop, or forever. */
	readonly hang?: "until cancelled" | "for ever";
	/** Sends these requests and reports the client's answers as a message. */
	readonly ask?: readonly Ask[];
	/** Ends its process instead of answering. */
	readonly exit?: { readonly code: number; readonly complaint: string };
	/** Printed before anything else. */
	readonly banner?: string;
	readonly models?: readonly string[];
	/** The levels of effort that it offers. */
	readonly efforts?: readonly string[];
	/** What it can do with an existing session. */
	readonly sessions?: "load" | "resume";
	/** It no longer knows any session that it should continue. */
	readonly forgets?: boolean;
	/** Continues to print lines of the protocol after its turn. */
	readonly babbles?: boolean;
	/** Stays when its stdin has ended. */
	readonly stays?: boolean;
	/** Reports what it was given: prompt, folder, servers, model. */
	readonly tell?: boolean;
}

export type Ask =
	| { readonly method: "permission"; readonly kind: "edit" | "execute"; readonly path?: string }
	| { readonly method: "read"; readonly path: string; readonly line?: number; readonly limit?: number }
	| { readonly method: "write"; readonly path: string; readonly content: string };

if (import.meta.main) serve(JSON.parse(process.argv[2] ?? "{}") as Act);

function serve(act: Act): void {
	if (act.banner !== undefined) process.stdout.write(`${act.banner}\n`);
	if (act.stays === true) setInterval(() => {}, 60_000);
	let model = act.models?.[0] ?? null;
	let effort = act.efforts?.[0] ?? null;
	let given: unknown = null;
	let cancelled: () => void = () => {};
	const cancel = new Promise<void>((done) => {
		cancelled = done;
	});
	const select = (id: string, category: "model" | "thought_level", current: string | null, values: readonly string[] | undefined) =>
		values === undefined
			? []
			: [
					{
						...{ id, name: category, category, type: "select" as const, currentValue: current ?? "" },
						options: values.map((value) => ({ value, name: value })),
					},
				];
	const options = () => [...select("m", "model", model, act.models), ...select("e", "thought_level", effort, act.efforts)];
	agent({ name: "tiny" })
		.onRequest("initialize", ({ params }) => {
			if (act.exit !== undefined) leave(act.exit);
			return {
				protocolVersion: params.protocolVersion,
				agentCapabilities: {
					...(act.sessions === "load" ? { loadSession: true } : {}),
					...(act.sessions === "resume" ? { sessionCapabilities: { resume: {} } } : {}),
				},
			};
		})
		.onRequest("session/new", ({ params }) => {
			given = { opened: "new", ...params };
			return { sessionId: "session-1", configOptions: options() };
		})
		.onRequest("session/load", async ({ params, client }) => {
			if (act.forgets === true) throw RequestError.invalidParams(undefined, "no such session");
			given = { opened: "load", ...params };
			await say(client, params.sessionId, "from the past");
			return { configOptions: options() };
		})
		.onRequest("session/resume", ({ params }) => {
			given = { opened: "resume", ...params };
			return { configOptions: options() };
		})
		.onRequest("session/set_config_option", ({ params }) => {
			if (params.configId === "e") effort = String(params.value);
			else model = String(params.value);
			return { configOptions: options() };
		})
		.onNotification("session/cancel", () => cancelled())
		.onRequest("session/prompt", async ({ params, client }) => {
			const { sessionId } = params;
			if (act.think !== undefined)
				await update(client, sessionId, { sessionUpdate: "agent_thought_chunk", content: { type: "text", text: act.think } });
			for (const words of act.say ?? []) await say(client, sessionId, words);
			for (const ask of act.ask ?? []) await say(client, sessionId, `${await answerTo(client, sessionId, ask)}\n`);
			if (act.tell === true)
				await say(client, sessionId, JSON.stringify({ prompt: params.prompt, model, ...(effort === null ? {} : { effort }), given }));
			if (act.usage !== undefined) {
				const cost = { amount: act.usage.costUsd, currency: "USD" };
				await update(client, sessionId, { sessionUpdate: "usage_update", used: 10, size: 100, cost });
			}
			if (act.hang === "for ever") await new Promise(() => {});
			if (act.hang === "until cancelled") {
				await cancel;
				await say(client, sessionId, "stopped as asked");
				return { stopReason: "cancelled" };
			}
			if (act.fail !== undefined) throw new RequestError(act.fail.code, act.fail.message, act.fail.data);
			if (act.babbles === true) setImmediate(() => setInterval(() => process.stdout.write(`${" ".repeat(60_000)}\n`.repeat(10)), 1));
			const { usage } = act;
			return {
				stopReason: act.stopReason ?? "end_turn",
				...(usage === undefined ? {} : { usage: { inputTokens: usage.inputTokens, outputTokens: usage.outputTokens, totalTokens: 0 } }),
			};
		})
		.connect(ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin) as ReadableStream<Uint8Array>));
}

const update = (client: AgentContext, sessionId: string, one: SessionUpdate): Promise<void> =>
	client.notify("session/update", { sessionId, update: one });
const say = (client: AgentContext, sessionId: string, text: string): Promise<void> =>
	update(client, sessionId, { sessionUpdate: "agent_message_chunk", content: { type: "text", text } });

async function answerTo(client: AgentContext, sessionId: string, ask: Ask): Promise<string> {
	try {
		switch (ask.method) {
			case "read":
				return (await client.request("fs/read_text_file", { sessionId, ...ask })).content;
			case "write":
				await client.request("fs/write_text_file", { sessionId, ...ask });
				return "written";
			case "permission": {
				const toolCallId = `call-${ask.kind}`;
				const locations = ask.path === undefined ? [] : [{ path: ask.path }];
				await update(client, sessionId, {
					sessionUpdate: "tool_call",
					toolCallId,
					title: "Do it",
					kind: ask.kind,
					status: "pending",
					locations,
				});
				const { outcome } = await client.request<RequestPermissionResponse>("session/request_permission", {
					sessionId,
					toolCall: { toolCallId, locations },
					options: [
						{ optionId: "always", name: "Always", kind: "allow_always" },
						{ optionId: "yes", name: "Yes", kind: "allow_once" },
						{ optionId: "no", name: "No", kind: "reject_once" },
					],
				});
				const answer = outcome.outcome === "selected" ? outcome.optionId : outcome.outcome;
				await update(client, sessionId, {
					sessionUpdate: "tool_call_update",
					toolCallId,
					status: answer === "yes" ? "completed" : "failed",
				});
				return answer;
			}
		}
	} catch (error) {
		return `refused: ${error instanceof Error ? error.message : String(error)}`;
	}
}

function leave({ code, complaint }: { readonly code: number; readonly complaint: string }): never {
	process.stderr.write(`${complaint}\n`);
	process.exit(code);
}
