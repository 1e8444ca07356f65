// The agent `command`: its contract, and its own features: stdin, environment, exit codes, known streams.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import type { AgentOutcome, AgentRequest } from "../../agent.ts";
import { markedProcesses } from "../../process.ts";
import { agentRequest, agentSuite, type Behaviour, logLines } from "../agent.suite.ts";
import { commandAgent } from "./command.ts";

function script({ say, usage, fail, hang }: Behaviour): string {
	const report = usage && { type: "usage", input_tokens: usage.inputTokens, output_tokens: usage.outputTokens, cost_usd: usage.costUsd };
	return [
		say === undefined ? "" : `echo '${say}'`,
		report === undefined ? "" : `echo '${JSON.stringify(report)}'`,
		hang === true ? "sleep 600" : "",
		fail === true ? "exit 1" : "exit 0",
	].join("\n");
}

for (const isolate of [true, false]) {
	agentSuite(`command, isolate ${isolate}`, (behaviour) =>
		commandAgent({ name: "command", argv: ["bash", "-c", script(behaviour)], isolate }),
	);
}

describe("the agent command", () => {
	const dir = mkdtempSync(join(tmpdir(), "pawl-command-test-"));
	after(() => rmSync(dir, { recursive: true, force: true }));
	const folder = (): string => mkdtempSync(join(dir, "case-"));
	const bash = (text: string, request: AgentRequest = agentRequest(folder())): Promise<AgentOutcome> =>
		commandAgent({ name: "command", argv: ["bash", "-c", text], isolate: true }).run(request, new AbortController().signal);

	it("gives the prompt on stdin and not in argv, and runs in the workspace (U-17)", async () => {
		const request = agentRequest(folder(), {
			prompt: "the $PROMPT 'itself'\n",
			env: { PATH: process.env["PATH"] ?? "", PAWL_STORY_ID: "S-1" },
		});
		const outcome = await bash(
			'cat; tr "\\0" " " < /proc/$$/cmdline | grep -c "PROM[P]T .its[e]lf"; pwd; echo $PAWL_STORY_ID $PAWL_MARK',
			request,
		);
		assert.equal(outcome.text, `the $PROMPT 'itself'\n0\n${request.cwd}\nS-1 ${request.mark}\n`);
	});

	it("takes a prompt of 1 MB, read or not", async () => {
		assert.equal((await bash("wc -c", agentRequest(folder(), { prompt: "x".repeat(1_000_000) }))).text.trim(), "1000000");
		assert.equal((await bash("exit 0", agentRequest(folder(), { prompt: "x".repeat(1_000_000) }))).result, "ok");
	});

	it("tells the exit code and the last line of stderr", async () => {
		const outcome = await bash("echo first >&2; echo 'what went wrong' >&2; echo >&2; exit 3");
		assert.deepEqual([outcome.result, outcome.error, outcome.exitCode], ["agent_error", "exit code 3: what went wrong", 3]);
	});

	it("tells the signal", async () => {
		assert.equal((await bash("kill -9 $$")).error, "exit code 137 (SIGKILL)");
	});

	it("leaves nothing alive after a timeout (D-116)", async () => {
		const request = agentRequest(folder(), { timeoutMs: 200 });
		const outcome = await bash("setsid sleep 600 & sleep 600", request);
		assert.match(outcome.error ?? "", /timeout.*timed out after 200ms/);
		assert.deepEqual(markedProcesses(request.mark), []);
	});

	it("does not take a failed stream for a pass, whatever the exit code says", async () => {
		const failed = {
			type: "result",
			subtype: "success",
			is_error: true,
			result: "API Error: 401 no key",
			session_id: "s",
			api_error_status: 401,
		};
		const outcome = await bash(`echo '${JSON.stringify(failed)}'; exit 0`);
		assert.deepEqual([outcome.result, outcome.error, outcome.sessionId], ["auth", "API Error: 401 no key", "s"]);
	});

	it("does not take a stream that breaks off for a pass", async () => {
		const outcome = await bash(`echo '{"type":"thread.started","thread_id":"t"}'; exit 0`);
		assert.equal(outcome.result, "agent_error");
	});

	it("logs stdout and stderr, and redacts its messages as well (X-10)", async () => {
		const request = agentRequest(folder(), { secrets: ["sesame-open"] });
		const outcome = await bash(`echo '{"a":1}'; echo plain; echo "not sesame-open" >&2; printf 'half sesame'; echo -open; exit 1`, request);
		assert.equal(outcome.error, "exit code 1: not ***");
		assert.equal(outcome.text, '{"a":1}\nplain\nhalf ***\n');
		const lines = logLines(request.logFile);
		assert.deepEqual(
			[lines[0]?.["type"], lines[1]?.["type"], lines.at(-1)?.["type"], lines.at(-1)?.["exitCode"]],
			["attempt", "prompt", "end", 1],
		);
		// The two streams are two pipes: only the order within each is certain.
		const fromStderr = (line: object): boolean => "stream" in line && line.stream === "stderr";
		assert.deepEqual(lines.slice(2, -1).filter(fromStderr), [{ type: "text", stream: "stderr", text: "not ***" }]);
		assert.deepEqual(
			lines.slice(2, -1).filter((line) => !fromStderr(line)),
			[{ a: 1 }, { type: "text", stream: "stdout", text: "plain" }, { type: "text", stream: "stdout", text: "half ***" }],
		);
	});

	it("names a program that cannot start (X-09)", async () => {
		const file = join(dir, "not-executable");
		writeFileSync(file, "");
		const agent = (...argv: string[]) => commandAgent({ name: "mine", argv, isolate: false });
		assert.match((await agent("no-such-agent", "x").problem()) ?? "", /no-such-agent/);
		assert.match((await agent(file).problem()) ?? "", /not-executable/);
		assert.match((await agent().problem()) ?? "", /mine has no command/);
		const outcome = await agent("no-such-agent").run(agentRequest(folder()), new AbortController().signal);
		assert.equal(outcome.result, "agent_error");
		assert.match(outcome.error ?? "", /cannot start no-such-agent/);
	});
});
