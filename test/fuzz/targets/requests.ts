// What others ask of a running pawl: requests to the dashboard's server, and an agent that speaks the Agent Client Protocol.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { converse } from "../../../src/agent/acp/session.ts";
import { acpReader } from "../../../src/agent/acp/updates.ts";
import { HttpError } from "../../../src/server/answer.ts";
import { checked, readBody } from "../../../src/server/body.ts";
import { Gate } from "../../../src/server/gate.ts";
import { idOf, positionOf } from "../../../src/server/position.ts";
import { methodsOf, routeOf } from "../../../src/server/routes.ts";
import { ACTIONS, startBody } from "../../../src/server/schemas.ts";
import { movesOf } from "../../../src/workspace/refs/reflog.ts";
import { traceOf } from "../../../src/workspace/refs/trace.ts";
import { markersIn } from "../../../src/workspace/tree/markers.ts";
import type { Target } from "../target.ts";

const gate = new Gate(4400, "token");

/** A request as text: its first line, headers, an empty line, the body. */
async function take(text: string): Promise<void> {
	const end = text.indexOf("\n\n");
	const [first = "", ...lines] = (end < 0 ? text : text.slice(0, end)).split("\n");
	const [method = "", url = ""] = first.split(" ");
	const rawHeaders = lines.flatMap((line) => [line.slice(0, Math.max(0, line.indexOf(":"))), line.slice(line.indexOf(":") + 1).trim()]);
	const headers = Object.fromEntries(lines.map((_, n) => [(rawHeaders[2 * n] ?? "").toLowerCase(), rawHeaders[2 * n + 1] ?? ""]));
	const body = Readable.from(end < 0 ? [] : [Buffer.from(text.slice(end + 2))]);
	const req = Object.assign(body, { method, url, rawHeaders, headers }) as unknown as IncomingMessage;
	gate.checkCaller(req);
	gate.checkToken(req);
	const route = routeOf(url.split("?")[0]?.replace(/^\/api\/(?:v1\/)?/, "") ?? "");
	if (route === null) return;
	assert.ok(methodsOf(route).length > 0);
	const value = await readBody(req, { writeContinue: () => {} } as unknown as ServerResponse);
	const { action = "start", run = null } = route.act ?? {};
	if (run === null) startBody({}, value);
	else checked<unknown>(ACTIONS[action as keyof typeof ACTIONS], value);
}

const http: Target = {
	name: "http",
	readers: 2,
	limitMs: 100,
	words: [
		"POST /api/v1/runs/r/approve HTTP/1.1\n",
		"GET /api/runs?x=%00\n",
		"Host: 127.0.0.1:4400\n",
		"Authorization: Bearer token\n",
		"Content-Type: application/json\n",
		"Origin: http://localhost:4400\n",
		"Content-Length: 5\n",
		"/api/runs/a/stories/b/steps/c/log",
		"%2e%2e/",
		"\n\n",
		"{}",
		'"step":"step-001"',
	],
	run: async (text) => {
		const position = positionOf(text);
		if (position !== null) assert.deepEqual(positionOf(idOf(position)), position, "a position is read again");
		try {
			await take(text);
		} catch (error) {
			if (!(error instanceof HttpError)) throw error;
			assert.ok(error.message !== "" && error.message.length < 100_000);
		}
	},
};

let folder: string | null = null;

const NO_LOG = { write: () => {}, record: () => {}, end: () => 0 };

const session: Target = {
	name: "acp-session",
	// The SDK answers every line that is no message, and each answer is a write of its own.
	limitMs: 8000,
	words: [
		'{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1,"agentCapabilities":{}}}\n',
		'{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s"}}\n',
		'{"jsonrpc":"2.0","id":2,"result":{"stopReason":"end_turn"}}\n',
		'{"jsonrpc":"2.0","id":7,"method":"fs/read_text_file","params":{"sessionId":"s","path":"/x"}}\n',
		'{"jsonrpc":"2.0","id":8,"method":"session/request_permission","params":{}}\n',
		'"error":{"code":-32000,"message":"x"}',
		'"id":null',
	],
	run: async (text) => {
		folder ??= mkdtempSync(join(tmpdir(), "pawl-fuzz-"));
		const reader = acpReader(NO_LOG, [], () => 0);
		const input = new ReadableStream<Uint8Array>({
			start: (controller) => {
				controller.enqueue(Buffer.from(text));
				controller.close();
			},
		});
		try {
			await converse({
				input,
				output: new WritableStream<Uint8Array>(),
				reader,
				folders: { workspace: folder, sharedDir: folder, readOnly: true },
				prompt: "p",
				model: null,
				effort: null,
				continue: null,
				message: null,
				told: () => {},
				mcpServers: [],
				cancel: new AbortController().signal,
				note: () => {},
			} as Parameters<typeof converse>[0]);
		} catch (error) {
			assert.ok(error instanceof Error, "a connection that broke is an error");
		}
		reader.output();
	},
	close: async () => {
		if (folder !== null) rmSync(folder, { recursive: true, force: true });
		folder = null;
	},
};

const gitFiles: Target = {
	name: "git-files",
	readers: 3,
	words: [
		"0000000000000000000000000000000000000000 1111111111111111111111111111111111111111 A <a@b> 1700000000 +0000\tcommit: x\n",
		'{"event":"start","sid":"1","time":"2026-01-15T12:00:00Z","argv":["git","-C","x","commit"]}\n',
		'{"event":"exit","sid":"1"}\n',
		"@@ -0,0 +1,9 @@\n",
		"+++ b/x\n",
		"+<<<<<<< HEAD\n",
		"+=======\n",
		"+>>>>>>> x\n",
		"-<<<<<<< a\n",
		'+++ "b/\\303\\244"\n',
	],
	run: (text) => {
		for (const { at } of movesOf(text)) assert.ok(at >= 0);
		for (const { from, to } of traceOf(text).commands) assert.ok(Number.isFinite(from) && Number.isFinite(to));
		const bytes = Buffer.from(text);
		const whole = markersIn([bytes]);
		const middle = Math.floor(bytes.length / 2);
		assert.deepEqual(markersIn([bytes.subarray(0, middle), bytes.subarray(middle)]), whole, "pieces read as the whole");
	},
};

export const requests: readonly Target[] = [http, session, gitFiles];
