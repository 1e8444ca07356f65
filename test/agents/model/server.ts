// A model server on a port of the loopback that speaks the four APIs, by a script and with the faults that it was told. It keeps what it was
// asked and what it charged, so that a test can compare that with what pawl says.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { anthropic } from "./anthropic.ts";
import { chat } from "./chat.ts";
import { gemini } from "./gemini.ts";
import { responses } from "./responses.ts";
import {
	type Answer,
	type Dialect,
	type Question,
	type Refusal,
	type StreamEvent,
	scriptedTurn,
	stepOf,
	type Tokens,
	tokensOf,
} from "./turn.ts";

const DIALECTS: readonly Dialect[] = [anthropic, responses, chat, gemini];

export type Fault = {
	/** The type of the steps that meet it. */
	readonly step: string;
	/** How many requests meet it; all of them when nothing is said. */
	readonly times?: number;
	/** How many are answered well before. */
	readonly after?: number;
} & (
	| ({ readonly kind: "status" } & Refusal)
	/** After half of the answer: the connection ends, goes silent, or carries an error. */
	| { readonly kind: "drop" }
	| { readonly kind: "stall" }
	| ({ readonly kind: "error" } & Refusal)
);

export interface Asked {
	readonly method: string;
	readonly path: string;
	/** null: no request for an answer. */
	readonly dialect: string | null;
	readonly question: Question | null;
	readonly step: string | null;
	/** What the answer cost; null where there was none, or not all of it. */
	readonly tokens: Tokens | null;
}

export interface ModelServer {
	readonly url: string;
	readonly asked: readonly Asked[];
	close(): Promise<void>;
}

export async function startModelServer(fault: Fault | null = null): Promise<ModelServer> {
	const asked: Asked[] = [];
	let answers = 0;
	let well = fault?.after ?? 0;
	let faults = fault?.times ?? Number.POSITIVE_INFINITY;

	const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
		const method = request.method ?? "";
		const path = new URL(request.url ?? "/", "http://stub").pathname;
		const body = await bodyOf(request);
		const dialect = DIALECTS.find((each) => each.handles(method, path)) ?? null;
		if (dialect === null) {
			asked.push({ method, path, dialect: null, question: null, step: null, tokens: null });
			send(response, 404, { error: { message: `the stub has no ${path}` } });
			return;
		}
		const question = dialect.question(path, JSON.parse(body));
		const step = stepOf(question.prompt)?.type ?? null;
		const meets = fault !== null && step === fault.step && well-- <= 0 && faults-- > 0 ? fault : null;
		const tokens = meets === null ? tokensOf(++answers) : tokensOf(0);
		asked.push({ method, path, dialect: dialect.name, question, step, tokens: meets === null ? tokens : null });
		const id = String(asked.length).padStart(4, "0");
		const answer: Answer = { id, turn: scriptedTurn(question), tokens, model: question.model, tools: question.tools };
		if (meets === null) {
			if (question.stream) stream(response, dialect.events(answer)).end();
			else send(response, 200, dialect.whole(answer));
			return;
		}
		spoil(meets, dialect, question, answer, response);
	};
	const server = createServer((request, response) => {
		handle(request, response).catch((error: unknown) => send(response, 500, { error: { message: `the stub failed: ${error}` } }));
	});
	await new Promise<void>((ready, fail) => server.once("error", fail).listen(0, "127.0.0.1", ready));
	return {
		url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
		asked,
		close: () =>
			new Promise((closed) => {
				server.close(() => closed());
				server.closeAllConnections();
			}),
	};
}

function spoil(fault: Fault, dialect: Dialect, question: Question, answer: Answer, response: ServerResponse): void {
	// Only a streamed answer has a middle; a whole one is refused outright.
	if (fault.kind === "status" || (fault.kind === "error" && !question.stream)) {
		const headers = fault.retryAfter === undefined ? {} : { "retry-after": String(fault.retryAfter) };
		send(response, fault.status, dialect.refusal(fault), headers);
		return;
	}
	const events = dialect.events(answer);
	stream(response, events.slice(0, Math.ceil(events.length / 2)));
	if (fault.kind === "error") {
		stream(response, [dialect.failure(fault)]).end();
	} else if (fault.kind === "drop") {
		response.socket?.end();
	}
}

function stream(response: ServerResponse, events: readonly StreamEvent[]): ServerResponse {
	if (!response.headersSent) response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
	for (const { event, data } of events) {
		if (event !== undefined) response.write(`event: ${event}\n`);
		response.write(`data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`);
	}
	return response;
}

function send(response: ServerResponse, status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): void {
	if (response.headersSent) {
		response.destroy();
		return;
	}
	response.writeHead(status, { "content-type": "application/json", ...headers });
	response.end(JSON.stringify(body));
}

async function bodyOf(request: IncomingMessage): Promise<string> {
	const chunks: Buffer[] = [];
	for await (const chunk of request) chunks.push(chunk as Buffer);
	return Buffer.concat(chunks).toString("utf8");
}
