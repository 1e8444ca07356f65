// Agents of the Agent Client Protocol: the contract of all agents, and their own features: permissions, files, sessions, models.
import assert from "node:assert/strict";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import type { AgentOutcome, AgentRequest } from "../../agent.ts";
import { childProgram } from "../../child.suite.ts";
import { markedProcesses } from "../../process.ts";
import { agentRequest, agentSuite, logLines } from "../agent.suite.ts";
import { acpAgent } from "./acp.ts";
import type { Act } from "./agent.child.ts";

const agentFile = childProgram(join(import.meta.dirname, "agent.child.ts"));
const argvOf = (act: Act): string[] => [process.execPath, agentFile, JSON.stringify(act)];

agentSuite("acp", ({ say, usage, fail, hang }) =>
	acpAgent({
		name: "acp",
		isolate: true,
		argv: argvOf({
			...(say === undefined ? {} : { say: [say] }),
			...(usage === undefined ? {} : { usage }),
			...(fail === true ? { fail: { code: -32603, message: "Internal error" } } : {}),
			...(hang === true ? { hang: "for ever" } : {}),
		}),
	}),
);

describe("an agent of the Agent Client Protocol", () => {
	const dir = mkdtempSync(join(tmpdir(), "pawl-acp-test-"));
	after(() => rmSync(dir, { recursive: true, force: true }));
	const folder = (): string => mkdtempSync(join(dir, "case-"));
	/** With a run's folder beside the workspace. */
	const requestIn = (dir: string, over: Partial<AgentRequest> = {}): AgentRequest => {
		const [work, shared] = [join(dir, "work"), join(dir, "shared")];
		for (const path of [work, shared]) mkdirSync(path, { recursive: true });
		const request = agentRequest(work, over);
		return { ...request, logFile: join(dir, "log.jsonl"), who: { ...request.who, sharedDir: shared } };
	};
	const run = (
		act: Act,
		request = requestIn(folder()),
		signal = new AbortController().signal,
		mcp: string[] | null = null,
	): Promise<AgentOutcome> => acpAgent({ name: "mine", argv: argvOf(act), isolate: true, mcp }).run(request, signal);

	it("puts the chunks of the turn together, with a gap where tools were used, and counts these", async () => {
		const outcome = await run({ say: ["All", " is"], ask: [{ method: "permission", kind: "execute", path: "/x" }] });
		assert.equal(outcome.result, "ok");
		assert.equal(outcome.text, "All is\n\nyes\n");
		assert.equal(outcome.sessionId, "session-1");
		assert.deepEqual(
			outcome.details?.tools.map(({ name, target, ok }) => ({ name, target, ok })),
			[{ name: "execute", target: "/x", ok: true }],
		);
	});

	it("keeps a secret out of the log, also one that comes in pieces or in a tool's target (X-10)", async () => {
		const request = requestIn(folder(), { secrets: ["open-sesame-1"] });
		const outcome = await run(
			{
				think: "think open-sesame-1",
				say: ["it is open-", "sesame", "-1!"],
				ask: [{ method: "permission", kind: "execute", path: "/open-sesame-1" }],
			},
			request,
		);
		assert.match(outcome.text, /^it is \*\*\*!/);
		assert.doesNotMatch(readFileSync(request.logFile, "utf8") + JSON.stringify(outcome), /sesame/);
		assert.deepEqual(
			logLines(request.logFile)
				.filter((line) => line["type"] === "text" || line["type"] === "thought")
				.slice(0, 2),
			[
				{ type: "thought", text: "think ***" },
				{ type: "text", stream: "stdout", text: "it is ***!" },
			],
		);
	});

	it("allows a writing role everything, and a read-only role only what changes nothing but notes", async () => {
		const dir = folder();
		const ask = (request: AgentRequest): Act["ask"] => [
			{ method: "permission", kind: "edit", path: join(request.cwd, "a.ts") },
			{ method: "permission", kind: "execute" },
			{ method: "permission", kind: "edit", path: join(request.who.sharedDir, "scratch.md") },
		];
		const [writes, reads] = [requestIn(dir), requestIn(dir, { readOnly: true })];
		assert.equal((await run({ ask: ask(writes) ?? [] }, writes)).text.replaceAll(/\n+/g, " "), "yes yes yes ");
		assert.equal((await run({ ask: ask(reads) ?? [] }, reads)).text.replaceAll(/\n+/g, " "), "no yes yes ");
	});

	it("reads and writes files of the workspace and notes of the run for it, and no others", async () => {
		const dir = folder();
		const request = requestIn(dir);
		const { cwd, who } = request;
		mkdirSync(join(cwd, ".git"));
		writeFileSync(join(dir, "outside.txt"), "outside");
		writeFileSync(join(cwd, "inside.txt"), "one\ntwo\nthree\n");
		symlinkSync(dir, join(cwd, "out"));
		const write = (path: string) => ({ method: "write" as const, path, content: "written by it" });
		const { text } = await run(
			{
				ask: [
					{ method: "read", path: join(cwd, "inside.txt"), line: 2, limit: 1 },
					{ method: "read", path: join(cwd, "out", "outside.txt") },
					{ method: "read", path: join(cwd, "..", "outside.txt") },
					write(join(cwd, "new", "file.txt")),
					write(join(who.sharedDir, "workflow_edits", "S-1.json")),
					write(join(who.sharedDir, "workflow_state.json")),
					write(join(cwd, ".git", "config")),
					write(join(cwd, ".GIT", "hooks", "post-commit")),
					write(join(cwd, ".PAWL", "pawl.db")),
					write(join(cwd, "out", "outside.txt")),
				],
			},
			request,
		);
		const answers = text.trim().split("\n");
		assert.deepEqual(
			answers.map((line) => (line.startsWith("refused") ? "refused" : line)),
			["two", "refused", "refused", "written", "written", ...Array(5).fill("refused")],
		);
		assert.match(answers[1] ?? "", /may be read here/);
		assert.equal(readFileSync(join(cwd, "new", "file.txt"), "utf8"), "written by it");
		assert.equal(readFileSync(join(dir, "outside.txt"), "utf8"), "outside");
		const reader = requestIn(dir, { readOnly: true });
		assert.match((await run({ ask: [write(join(cwd, "b.txt"))] }, reader)).text, /^refused/);
	});

	it("gives it the prompt, the folder, the model and `pawl mcp`", async () => {
		const request = requestIn(folder(), {
			prompt: "the prompt",
			model: "b",
			env: { PATH: process.env["PATH"] ?? "", PAWL_INBOX: "/i", PAWL_INBOX_TOKEN: "t" },
		});
		const outcome = await run({ tell: true, models: ["a", "b"] }, request, new AbortController().signal, ["/bin/pawl", "mcp"]);
		const env = [
			{ name: "PAWL_INBOX", value: "/i" },
			{ name: "PAWL_INBOX_TOKEN", value: "t" },
		];
		assert.deepEqual(JSON.parse(outcome.text), {
			prompt: [{ type: "text", text: "the prompt" }],
			model: "b",
			given: { opened: "new", cwd: request.cwd, mcpServers: [{ name: "pawl", command: "/bin/pawl", args: ["mcp"], env }] },
		});
		assert.equal(outcome.model, "b");
	});

	it("reports an unknown model, and continues if the agent offers no choice", async () => {
		const outcome = await run({ models: ["a", "b"] }, requestIn(folder(), { model: "c" }));
		assert.deepEqual([outcome.result, outcome.error], ["agent_error", "it has no model c; its models are a, b"]);
		assert.equal((await run({ say: ["x"] }, requestIn(folder(), { model: "c" }))).result, "ok");
	});

	it("is told the effort of the step if it offers that level; otherwise the log says that it was ignored", async () => {
		const efforts = ["low", "high"];
		const told = await run({ tell: true, efforts }, requestIn(folder(), { effort: "high" }));
		assert.equal(JSON.parse(told.text).effort, "high");
		for (const [act, ignored] of [
			[{ tell: true, efforts }, "the agent offers no effort max, only low, high: ignored"],
			[{ tell: true }, "the agent offers no effort max: ignored"],
		] as const) {
			const request = requestIn(folder(), { effort: "max" });
			assert.equal((await run(act, request)).result, "ok");
			assert.ok(readFileSync(request.logFile, "utf8").includes(ignored), ignored);
		}
	});

	it("continues a session if the agent can, without repeating its past words", async () => {
		const request = requestIn(folder(), { session: { folder: folder(), continue: "old" } });
		for (const sessions of ["load", "resume"] as const) {
			const outcome = await run({ sessions, tell: true }, request);
			assert.equal(outcome.sessionId, "old");
			assert.equal(JSON.parse(outcome.text).given.opened, sessions);
		}
		assert.equal((await run({ say: ["x"] }, request)).sessionId, "session-1");
	});

	it("is asked for its report in the session that it continues; one that cannot continue gets the whole prompt", async () => {
		const asked = async (act: Act): Promise<unknown[]> => {
			const session = { folder: folder(), continue: "old", message: "only the report" };
			const { text, resumable } = await run({ tell: true, ...act }, requestIn(folder(), { prompt: "the whole task", session }));
			const { prompt, given } = JSON.parse(text);
			return [given.opened, prompt[0].text, resumable];
		};
		assert.deepEqual(await asked({ sessions: "load" }), ["load", "only the report", true]);
		assert.deepEqual(await asked({ sessions: "resume" }), ["resume", "only the report", true]);
		assert.deepEqual(await asked({}), ["new", "the whole task", undefined]);
		assert.deepEqual(await asked({ sessions: "load", forgets: true }), ["new", "the whole task", true]);
	});

	it("tells failures apart", async () => {
		const failed = async (act: Act): Promise<unknown[]> => {
			const { result, error } = await run(act);
			return [result, error];
		};
		assert.deepEqual(await failed({ fail: { code: -32000, message: "Authentication required" } }), ["auth", "Authentication required"]);
		assert.deepEqual(await failed({ fail: { code: -32603, message: "Internal error", data: { details: "429 Too Many Requests" } } }), [
			"rate_limited",
			"Internal error: 429 Too Many Requests",
		]);
		assert.deepEqual(await failed({ stopReason: "refusal" }), ["agent_error", "it refused to continue"]);
		assert.deepEqual(await failed({ stopReason: "max_tokens" }), ["agent_error", "it reached its token limit"]);
		assert.deepEqual(await failed({ exit: { code: 4, complaint: "no config" } }), ["agent_error", "exit code 4: no config"]);
	});

	it("ignores output before the protocol, and logs it", async () => {
		const request = requestIn(folder());
		assert.equal((await run({ banner: "Welcome!", say: ["x"] }, request)).result, "ok");
		assert.match(readFileSync(request.logFile, "utf8"), /Welcome!/);
	});

	it("is asked to stop, and ended if it does not; nothing of it stays alive (D-116)", async () => {
		for (const hang of ["until cancelled", "for ever"] as const) {
			const stop = new AbortController();
			const request = requestIn(folder());
			const spent = { inputTokens: 1, outputTokens: 1, costUsd: 1 };
			const asked = setInterval(() => {
				if (existsSync(request.logFile) && readFileSync(request.logFile, "utf8").includes("usage_update")) stop.abort();
			}, 10);
			const outcome = await run({ say: ["x"], usage: spent, hang, stays: true }, request, stop.signal);
			clearInterval(asked);
			assert.equal(outcome.text, hang === "for ever" ? "x" : "xstopped as asked");
			assert.equal(outcome.result, "cancelled");
			assert.deepEqual(markedProcesses(request.mark), []);
		}
	});

	it("is ended after its turn if it does not exit by itself", async () => {
		const request = requestIn(folder());
		assert.equal((await run({ say: ["done"], stays: true }, request)).result, "ok");
		assert.deepEqual(markedProcesses(request.mark), []);
	});

	it("is ended after its turn if it does not stop printing", async () => {
		const request = requestIn(folder());
		assert.equal((await run({ say: ["done"], babbles: true }, request)).text, "done");
		assert.deepEqual(markedProcesses(request.mark), []);
	});

	it("is stopped at a cost limit", async () => {
		const outcome = await run(
			{ usage: { inputTokens: 1, outputTokens: 1, costUsd: 2 }, hang: "for ever" },
			requestIn(folder(), { maxCostUsd: 1 }),
		);
		assert.deepEqual([outcome.result, outcome.error], ["agent_error", "cost limit: it used $2 of $1"]);
	});

	it("names a program that cannot start (X-09)", async () => {
		const agent = (...argv: string[]) => acpAgent({ name: "mine", argv, isolate: false });
		assert.match((await agent("no-such-agent").problem()) ?? "", /no-such-agent/);
		assert.match((await agent().problem()) ?? "", /mine has no command/);
		const outcome = await agent("no-such-agent").run(requestIn(folder()), new AbortController().signal);
		assert.match(outcome.error ?? "", /cannot start no-such-agent/);
	});
});
