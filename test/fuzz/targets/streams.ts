// What comes out of programs while they run: the events of the agents' CLIs, messages of the Agent Client Protocol, git, secrets, terminals.
import assert from "node:assert/strict";
import { acpReader } from "../../../src/agent/acp/updates.ts";
import type { JsonObject } from "../../../src/agent/stream/event.ts";
import { failure } from "../../../src/agent/stream/failure.ts";
import { outputReader } from "../../../src/agent/stream/reader.ts";
import { TEXT_LIMIT } from "../../../src/agent/stream/tail.ts";
import { columnsOf, cutTo, fold, foldTo } from "../../../src/cli/text/columns.ts";
import { logText } from "../../../src/cli/text/log-text.ts";
import { flat, oneLine, visible } from "../../../src/cli/text/text.ts";
import { commitStyleOf, inStyle } from "../../../src/core/commit-style.ts";
import { gitAddress, redactAddresses } from "../../../src/core/remote/git-address.ts";
import { readForeignJson } from "../../../src/core/text/foreign-json.ts";
import { addressIn, addressOf } from "../../../src/forge/command.ts";
import { splitCommand } from "../../../src/process/command-line.ts";
import { redactor } from "../../../src/process/redactor.ts";
import { plain } from "../../../src/web/plain.ts";
import { LogReader } from "../../../src/web/words/log-entry.ts";
import { filesOf } from "../../../src/web/words/patch.ts";
import { parseStatus } from "../../../src/workspace/git/status.ts";
import type { Target } from "../target.ts";

/** The output of a CLI, whole and in pieces of different lengths: how it is cut must not matter. */
const cli = (name: string, words: readonly string[]): Target => ({
	name,
	readers: 2,
	words: [...words, '{"type":"usage","cost_usd":1,"input_tokens":2}\n', '"session_id":"s"', "try again in 5 minutes", "429", "\n{"],
	run: (text) => {
		const bytes = Buffer.from(text);
		const whole = outputReader(() => 0);
		whole.write(bytes);
		const said = whole.end();
		const { costUsd, inputTokens, outputTokens } = said.usage;
		for (const amount of [costUsd, inputTokens, outputTokens])
			assert.ok(amount === null || (Number.isFinite(amount) && amount >= 0), `usage ${amount}`);
		assert.ok(Buffer.byteLength(said.text) <= TEXT_LIMIT + 3 && said.tools.length <= 200);
		assert.ok(said.error === null || said.error.message.length <= 500);
		const pieces = outputReader(() => 0);
		for (let at = 0, size = 1; at < bytes.length; at += size, size = (size * 7) % 4093 || 1) pieces.write(bytes.subarray(at, at + size));
		assert.deepEqual(pieces.end(), said, "pieces read as the whole");
	},
});

const claude = cli("claude", [
	'{"type":"system","subtype":"init","session_id":"s","model":"m"}\n',
	'"type":"assistant"',
	'"type":"result"',
	'"is_error":true',
	'"tool_use"',
	'"tool_result"',
	'"modelUsage":{}',
	'"api_retry"',
	'"rate_limit_event"',
]);
const codex = cli("codex", [
	'{"type":"thread.started","thread_id":"t"}\n',
	'"item.completed"',
	'"agent_message"',
	'"turn.failed"',
	'"turn.completed"',
	'"command_execution"',
]);
const opencode = cli("opencode", [
	'{"type":"step_start","sessionID":"s"}\n',
	'"part"',
	'"step_finish"',
	'"tool_use"',
	'"state"',
	'"tokens"',
]);
const gemini = cli("gemini", [
	'{"type":"init","session_id":"s","model":"m"}\n',
	'"message"',
	'"delta":true',
	'"tool_result"',
	'"stats"',
	'"result"',
]);

const NO_LOG = { write: () => {}, record: (record: unknown) => void JSON.stringify(record), end: () => 0 };

const acp: Target = {
	name: "acp",
	readers: 3,
	words: [
		'{"jsonrpc":"2.0","method":"session/update","params":{"update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"x"}}}}\n',
		'"tool_call"',
		'"tool_call_update"',
		'"usage_update"',
		'"toolCallId":"1"',
		'"status":"completed"',
		'"locations":[{"path":"a"}]',
		'"stopReason"',
		"hunter2",
	],
	run: (text) => {
		const reader = acpReader(NO_LOG, ["hunter2"], () => 0);
		reader.begin();
		for (const line of text.split("\n")) {
			// The SDK answers what is no object itself.
			if (!/^\s*\{.*\}\s*$/s.test(line.slice(0, 1) + line.slice(-1))) continue;
			try {
				const message: unknown = JSON.parse(line);
				if (typeof message === "object" && message !== null) reader.message(message as JsonObject);
			} catch (error) {
				// The SDK drops lines that are not JSON.
				if (!(error instanceof SyntaxError)) throw error;
			}
		}
		reader.flush();
		const said = reader.output();
		assert.ok(!JSON.stringify(said).includes("hunter2"), "no secret is shown");
		assert.ok(said.usage.costUsd === null || said.usage.costUsd >= 0);
	},
};

const failures: Target = {
	name: "failure",
	words: [
		"API Error: 429 ",
		"status code: 529",
		"rate limit",
		"try again in 1 hour 20 minutes",
		"resets in 3d ",
		'{"message":"',
		'\\"',
		"and ",
		"credit balance",
		"Reconnecting... 1/5 (",
		"retry after 30s,",
		"1s ",
		"overloaded",
	],
	run: (text) => {
		const found = failure(text, null, null, 1000);
		assert.ok(found.message.length <= 500 && (found.retryAt === null || found.retryAt >= 1000));
	},
};

const SECRETS = ["hunter2", "hunter22", 'a"b\\c', "aaaaab", "é漢"];

const secrets: Target = {
	name: "redactor",
	readers: 2,
	words: [...SECRETS, "hunter", "hunte", "aaaa", 'a\\"b\\\\c', "\u00c3"],
	run: (text) => {
		const bytes = Buffer.from(text);
		const read = (size: (n: number) => number): string => {
			const redact = redactor(SECRETS);
			const out: Buffer[] = [];
			for (let at = 0, n = 0; at < bytes.length; n++) {
				const end = at + size(n);
				out.push(redact.push(bytes.subarray(at, end)));
				at = end;
			}
			return Buffer.concat([...out, redact.flush()]).toString("utf8");
		};
		const whole = read(() => bytes.length);
		for (const secret of SECRETS) assert.ok(!whole.includes(secret), `${secret} is shown`);
		assert.equal(
			read((n) => 1 + ((n * 13) % 997)),
			whole,
			"pieces read as the whole",
		);
	},
};

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const OBEYED = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e]/;

const terminal: Target = {
	name: "terminal",
	readers: 9,
	words: [
		"\u001b[31m",
		"\u001b[0m",
		"\u001b]0;t\u0007",
		"\u001b]",
		"\u001b[",
		"\u001b",
		"\u001bP",
		"\r",
		"\b",
		"漢",
		"é",
		"👩‍💻",
		"\uFE0F",
		"a ",
		"\u202E",
	],
	run: (text) => {
		for (const one of [flat(text), plain(text), visible(text)]) assert.ok(!OBEYED.test(one), "nothing that a terminal obeys is left");
		assert.equal(flat(flat(text)), flat(text));
		assert.ok(columnsOf(oneLine(text, 40)) <= 40);
		const line = flat(text);
		assert.ok(columnsOf(cutTo(line, 30)) <= 30);
		for (const part of foldTo(line, 30, 2, 3)) assert.ok(columnsOf(part) <= 30);
		assert.ok(fold(line, 30, 2).every((part) => columnsOf(part) <= 32));
	},
};

const records: Target = {
	name: "log-record",
	readers: 2,
	// Every line that is no record costs an error.
	limitMs: 250,
	words: [
		'{"type":"text","text":"x"}\n',
		'"check"',
		'"prompt"',
		'"assistant"',
		'"item.completed"',
		'"tool_use"',
		'"message"',
		'"content"',
		'"usage"',
		'"update"',
		'"sessionUpdate":"tool_call"',
		'"attempt":1',
	],
	run: (text) => {
		const reader = new LogReader();
		for (const line of text.split("\n")) {
			logText(line);
			// As the server reads them.
			const read = readForeignJson(line);
			for (const entry of reader.read(read.ok ? read.value : { type: "text", text: line }))
				assert.ok(typeof entry.text === "string" && typeof entry.title === "string");
		}
	},
};

const git: Target = {
	name: "git",
	readers: 8,
	words: [
		"# branch.oid (initial)\0",
		"# branch.head main\0",
		"1 .M N... 100644 100644 100644 a b x\0",
		"u UU N... 1 2 3 4 a b c x\0",
		"? x\0",
		"? x/\0",
		".pawl/",
		"fix: x\n",
		"ABC-1 x\n",
		"feat(a)!: ",
		"https://a/b).",
		'[{"title":"t","url":"u"}]',
		"https://a:b@c/d",
		"ssh://",
		"ext::",
		"git@h:p",
		"@",
	],
	run: (text) => {
		const { staged, changed, nested } = parseStatus(text);
		for (const path of [...staged, ...changed, ...nested]) assert.ok(!path.startsWith(".pawl/") || path.startsWith(".pawl/workflows/"));
		const style = commitStyleOf(text.split("\n"));
		inStyle(style, text.slice(0, 200));
		addressIn(text);
		addressOf(text, "t", "url");
		const split = splitCommand(text);
		if (!split.ok) assert.ok(split.error !== "");
		redactAddresses(text);
		const taken = gitAddress(text);
		if ("address" in taken) assert.match(taken.address, /^(?!-|[^:/]*::|https?:\/\/[^/]*:[^/]*@)\S+$/);
	},
};

const patch: Target = {
	name: "patch",
	words: [
		"diff --git a/x b/x\n",
		"--- a/x\n",
		"+++ b/x\n",
		"@@ -1,2 +1,3 @@ f\n",
		"-a\n",
		"+b\n",
		" c\n",
		"\\ No newline",
		"rename from a\n",
		"Binary files",
		" b/",
	],
	run: (text) => {
		for (const file of filesOf(text)) assert.ok(file.added <= file.rows.length && file.removed <= file.rows.length);
	},
};

export const streams: readonly Target[] = [claude, codex, opencode, gemini, acp, failures, secrets, terminal, records, git, patch];
