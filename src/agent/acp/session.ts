// One conversation in the Agent Client Protocol, through its official SDK: introduce ourselves, open a session, choose the model, send one
// prompt, get one answer. The agent's questions are answered here, because no person is present.
import type { ReadableStream, WritableStream } from "node:stream/web";
import {
	type AnyMessage,
	type ClientContext,
	client,
	type InitializeResponse,
	type LoadSessionRequest,
	type LoadSessionResponse,
	type McpServer,
	ndJsonStream,
	type PermissionOption,
	PROTOCOL_VERSION,
	RequestError,
	type RequestPermissionRequest,
	type ResumeSessionRequest,
	type ResumeSessionResponse,
	type SessionConfigOption,
} from "@agentclientprotocol/sdk";
import { type JsonObject, listOf, objectOf, type StreamError, textOf } from "../stream/event.ts";
import { failure } from "../stream/failure.ts";
import { type AgentFolders, allowedPath, readText, writeText } from "./files.ts";
import type { AcpReader } from "./updates.ts";

export interface Conversation {
	readonly input: ReadableStream<Uint8Array>;
	readonly output: WritableStream<Uint8Array>;
	readonly reader: AcpReader;
	readonly folders: AgentFolders;
	readonly prompt: string;
	readonly model: string | null;
	readonly effort: string | null;
	/** The session to continue. */
	readonly continue: string | null;
	/** What it is told in a session that it does continue, instead of the prompt. */
	readonly message: string | null;
	/** Called with what the agent is told, and whether its session can be continued later. */
	readonly told: (text: string, resumable: boolean) => void;
	readonly mcpServers: readonly McpServer[];
	/** Asks the agent to stop; how it reacts is up to the agent. */
	readonly cancel: AbortSignal;
	/** Adds a remark to the log. */
	readonly note: (text: string) => void;
}

/** Resolves when the turn has ended, well or not; rejects when the connection broke before that. */
export async function converse(c: Conversation): Promise<void> {
	const wire = ndJsonStream(c.output, c.input);
	const seen = new TransformStream<AnyMessage, AnyMessage>({
		transform: (message, controller) => {
			c.reader.message(message as unknown as JsonObject);
			if (isForSdk(message as unknown as JsonObject)) controller.enqueue(message);
		},
	});
	const connection = client({ name: "pawl" })
		.onRequest("session/request_permission", ({ params }) => decide(c, params))
		.onRequest("fs/read_text_file", async ({ params }) => {
			const read = await readText(c.folders, params.path, params.line ?? null, params.limit ?? null);
			if ("problem" in read) throw RequestError.invalidParams(undefined, read.problem);
			return { content: read.text };
		})
		.onRequest("fs/write_text_file", async ({ params }) => {
			const problem = await writeText(c.folders, params.path, params.content);
			if (problem !== null) throw RequestError.invalidParams(undefined, problem);
			return {};
		})
		.connect({ writable: wire.writable, readable: wire.readable.pipeThrough(seen) });
	try {
		await talk(c, connection.agent);
	} catch (error) {
		if (!(error instanceof RequestError)) throw error;
		c.reader.ended(failureOf(error));
	} finally {
		connection.close();
	}
}

/** Requests and answers. The SDK prints what it cannot use, with the agent's own words in it, to the terminal; notifications are the reader's, which has seen them. */
const isForSdk = ({ id, method }: JsonObject): boolean =>
	typeof method === "string" ? typeof id === "number" || typeof id === "string" : typeof id === "number";

async function talk(c: Conversation, agent: ClientContext): Promise<void> {
	const hello = await agent.request("initialize", {
		protocolVersion: PROTOCOL_VERSION,
		clientInfo: { name: "pawl", version: "1" },
		clientCapabilities: { fs: { readTextFile: true, writeTextFile: true }, terminal: false },
	});
	if (hello.protocolVersion !== PROTOCOL_VERSION)
		return c.reader.ended(agentError(`it speaks version ${hello.protocolVersion} of the protocol; pawl speaks ${PROTOCOL_VERSION}`));
	const session = await openSession(c, agent, hello);
	const model = await chooseModel(c, agent, session.id, session.options);
	if ("problem" in model) return c.reader.ended(agentError(model.problem));
	await chooseEffort(c, agent, session.id, session.options);
	c.reader.session(session.id, model.name);
	c.reader.begin();
	const cancel = (): void => void agent.notify("session/cancel", { sessionId: session.id }).catch(() => {});
	c.cancel.addEventListener("abort", cancel, { once: true });
	const text = session.continued && c.message !== null ? c.message : c.prompt;
	c.told(text, isResumable(hello));
	try {
		const { stopReason } = await agent.request("session/prompt", { sessionId: session.id, prompt: [{ type: "text", text }] });
		c.reader.ended(STOPPED[stopReason] === undefined ? null : agentError(STOPPED[stopReason]));
	} finally {
		c.cancel.removeEventListener("abort", cancel);
	}
}

const STOPPED: Readonly<Record<string, string>> = {
	max_tokens: "it reached its token limit",
	max_turn_requests: "turn limit: it reached its own",
	refusal: "it refused to continue",
	cancelled: "it cancelled its own turn",
};

interface Session {
	readonly id: string;
	readonly continued: boolean;
	readonly options: readonly SessionConfigOption[];
}

const isResumable = ({ agentCapabilities }: InitializeResponse): boolean =>
	Boolean(agentCapabilities?.sessionCapabilities?.resume) || agentCapabilities?.loadSession === true;

async function openSession(c: Conversation, agent: ClientContext, hello: InitializeResponse): Promise<Session> {
	const { workspace: cwd } = c.folders;
	const mcpServers = [...c.mcpServers];
	if (c.continue !== null) {
		if (isResumable(hello)) {
			const options = await continued(agent, hello, { sessionId: c.continue, cwd, mcpServers });
			if (options !== null) return { id: c.continue, continued: true, options };
		}
		c.note("the agent cannot continue the session: started a fresh one");
	}
	const { sessionId, configOptions } = await agent.request("session/new", { cwd, mcpServers });
	return { id: sessionId, continued: false, options: configOptions ?? [] };
}

/** null: it does not know that session any longer. */
async function continued(
	agent: ClientContext,
	{ agentCapabilities }: InitializeResponse,
	known: LoadSessionRequest & ResumeSessionRequest,
): Promise<readonly SessionConfigOption[] | null> {
	try {
		if (agentCapabilities?.sessionCapabilities?.resume)
			return (await agent.request<ResumeSessionResponse>("session/resume", known)).configOptions ?? [];
		return (await agent.request<LoadSessionResponse | null>("session/load", known))?.configOptions ?? [];
	} catch (error) {
		if (error instanceof RequestError && error.code !== AUTH_REQUIRED) return null;
		throw error;
	}
}

/** An unknown model is an error. If the agent offers no choice, the wish is dropped, as with any command. */
async function chooseModel(
	c: Conversation,
	agent: ClientContext,
	sessionId: string,
	options: readonly SessionConfigOption[],
): Promise<{ readonly name: string | null } | { readonly problem: string }> {
	const choice = options.find((option) => option.category === "model" && option.type === "select");
	if (choice?.type !== "select") {
		if (c.model !== null) c.note(`the agent offers no choice of models: ignored ${c.model}`);
		return { name: null };
	}
	if (c.model === null) return { name: choice.currentValue };
	const values = valuesOf(choice);
	if (!values.includes(c.model)) return { problem: `it has no model ${c.model}; its models are ${values.join(", ")}` };
	await agent.request("session/set_config_option", { sessionId, configId: choice.id, value: c.model });
	return { name: c.model };
}

/** What it does not offer is dropped: a level of effort is a wish. */
async function chooseEffort(
	c: Conversation,
	agent: ClientContext,
	sessionId: string,
	options: readonly SessionConfigOption[],
): Promise<void> {
	if (c.effort === null) return;
	const choice = options.find((option) => option.category === "thought_level" && option.type === "select");
	const values = choice?.type === "select" ? valuesOf(choice) : [];
	if (choice === undefined || !values.includes(c.effort))
		return c.note(`the agent offers no effort ${c.effort}${values.length > 0 ? `, only ${values.join(", ")}` : ""}: ignored`);
	await agent.request("session/set_config_option", { sessionId, configId: choice.id, value: c.effort });
}

const valuesOf = ({ options }: Extract<SessionConfigOption, { type: "select" }>): string[] =>
	options.flatMap((one) => ("options" in one ? one.options : [one])).map((one) => one.value);

const CHANGES = ["edit", "delete", "move"];

/** Allows everything except changes by a read-only role; the engine checks what was changed in any case. */
function decide(c: Conversation, { toolCall, options }: RequestPermissionRequest) {
	const kind = toolCall.kind ?? c.reader.kindOf(toolCall.toolCallId) ?? "other";
	const targets = (toolCall.locations ?? []).map(({ path }) => path);
	const notes = targets.length > 0 && targets.every((path) => allowedPath(c.folders, path, "write") !== null);
	const allow = !c.folders.readOnly || !CHANGES.includes(kind) || notes;
	if (!allow) c.reader.denied(`${toolCall.title ?? kind}: this role may not write`);
	const pick = (...kinds: readonly PermissionOption["kind"][]) =>
		kinds.map((wanted) => options.find((option) => option.kind === wanted)).find((option) => option !== undefined);
	// "Once" rather than "always": the agent may remember the answer beyond this attempt.
	const option = allow ? pick("allow_once", "allow_always") : pick("reject_once", "reject_always");
	return {
		outcome: option === undefined ? ({ outcome: "cancelled" } as const) : { outcome: "selected" as const, optionId: option.optionId },
	};
}

const agentError = (message: string): StreamError => ({ result: "agent_error", message, retryAt: null });
const AUTH_REQUIRED = -32000;

function failureOf(error: RequestError): StreamError {
	const data = objectOf(error.data);
	const details =
		[error.data, data["details"], data["message"], ...listOf(data["errors"])].map(textOf).find((text) => text !== null) ?? null;
	const message = details === null ? error.message : `${error.message}: ${details}`;
	const found = failure(message, typeof data["status"] === "number" ? data["status"] : null, null, Date.now());
	return error.code === AUTH_REQUIRED ? { ...found, result: "auth", retryAt: null } : found;
}
