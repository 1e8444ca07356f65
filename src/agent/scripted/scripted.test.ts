import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import type { AgentOutcome, AgentRequest } from "../../agent.ts";
import { loadScript } from "./script.ts";
import { scriptedAgent } from "./scripted.ts";

const home = mkdtempSync(join(tmpdir(), "pawl-scripted-"));
after(() => rmSync(home, { recursive: true, force: true }));

const env = { PATH: process.env.PATH ?? "", HOME: home };
const never = new AbortController().signal;

interface Scratch {
	readonly work: string;
	readonly shared: string;
	readonly log: string;
}
let places = 0;
function scratch(): Scratch {
	const root = join(home, String(++places));
	const made = { work: join(root, "work"), shared: join(root, "shared"), log: join(root, "logs", "US-001", "step-005.jsonl") };
	mkdirSync(made.work, { recursive: true });
	mkdirSync(made.shared);
	return made;
}
function agent(text: string) {
	const loaded = loadScript(text, "s.yml");
	assert.ok(loaded.ok, loaded.ok ? "" : JSON.stringify(loaded.problems));
	return scriptedAgent({ name: "scripted", script: loaded.script });
}
function request(at: Scratch, over: Partial<AgentRequest> = {}, who: Partial<AgentRequest["who"]> = {}): AgentRequest {
	return {
		prompt: "Do it.",
		cwd: at.work,
		env,
		mark: `scripted-${process.pid}-${places}`,
		timeoutMs: 60_000,
		stallMs: null,
		logFile: at.log,
		model: null,
		readOnly: false,
		secrets: [],
		who: { run: "r1", story: "US-001", step: "step-005", type: "coding", role: "agent", attempt: 1, sharedDir: at.shared, ...who },
		...over,
	};
}
const run = (at: Scratch, actions: string, over: Partial<AgentRequest> = {}, signal = never): Promise<AgentOutcome> =>
	agent(`default:\n  do:\n${actions.trimEnd().replace(/^/gm, "    ")}\n`).run(request(at, over), signal);
const lines = (at: Scratch): Record<string, unknown>[] =>
	readFileSync(at.log, "utf8")
		.trimEnd()
		.split("\n")
		.map((line) => JSON.parse(line));
const git = (at: Scratch, ...args: string[]): string =>
	execFileSync("git", ["-c", "core.hooksPath=/dev/null", ...args], {
		cwd: at.work,
		encoding: "utf8",
		env: { ...env, GIT_CONFIG_NOSYSTEM: "1" },
	}).trim();

/** A zombie that nobody has reaped yet is dead, though a signal reaches it. */
function isAlive(pid: number): boolean {
	assert.ok(pid > 1);
	try {
		process.kill(pid, 0);
		return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
	} catch {
		return false;
	}
}

describe("a call", () => {
	it("without a matching rule says a short text with a SUMMARY and ends well", async () => {
		const at = scratch();
		const outcome = await agent("").run(request(at, { model: "m" }), never);
		assert.match(outcome.text, /\n## SUMMARY\n- coding \(step-005, attempt 1\) of US-001/);
		assert.deepEqual(
			{ ...outcome, text: "" },
			{
				result: "ok",
				error: null,
				text: "",
				usage: { costUsd: null, inputTokens: null, outputTokens: null },
				exitCode: 0,
				retryAt: null,
				sessionId: null,
				model: "m",
			},
		);
	});
	it("can be served: problem() is null", async () => assert.equal(await agent("").problem(), null));
	it("writes, appends and removes in the workspace and in the shared folder", async () => {
		const at = scratch();
		writeFileSync(join(at.work, "old.txt"), "old");
		const outcome = await run(
			at,
			`
- write: {path: "src/deep/{story}.txt", content: "one\\n"}
- append: {path: src/deep/US-001.txt, content: "two {attempt}\\n"}
- remove: {path: old.txt}
- remove: {path: never/was/there}
- shared: {path: notes/a.md, content: "for {type}"}
- append_shared: {path: notes/a.md, content: "!"}
`,
		);
		assert.equal(outcome.error, null);
		assert.equal(readFileSync(join(at.work, "src/deep/US-001.txt"), "utf8"), "one\ntwo 1\n");
		assert.equal(existsSync(join(at.work, "old.txt")), false);
		assert.equal(readFileSync(join(at.shared, "notes/a.md"), "utf8"), "for coding!");
	});
	it("writes the edit file of its story, filled in, and leaves no part of it beside", async () => {
		const at = scratch();
		await run(at, `- edit: [{operation: restart, target_step_id: "{step}", reason: wrong, new_description: right}]`);
		const folder = join(at.shared, "workflow_edits");
		assert.deepEqual(readdirSync(folder), ["US-001.json"]);
		assert.deepEqual(JSON.parse(readFileSync(join(folder, "US-001.json"), "utf8")), [
			{ operation: "restart", target_step_id: "step-005", reason: "wrong", new_description: "right" },
		]);
	});
	it("says all its texts as one message and adds up its usage", async () => {
		const outcome = await run(
			scratch(),
			`
- usage: {input_tokens: 1000, cost_usd: 0.25}
- say: first
- usage: {input_tokens: 200, output_tokens: 30, cost_usd: 0.5}
- say: second
`,
		);
		assert.equal(outcome.text, "first\nsecond");
		assert.deepEqual(outcome.usage, { costUsd: 0.75, inputTokens: 1200, outputTokens: 30 });
	});
	it("counts nth for each story, type and role of a run by itself", async () => {
		const at = scratch();
		const counting = agent(`default: {do: [say: "{run} {story} {type} {role} {nth}"]}`);
		const said = async (who: Partial<AgentRequest["who"]>) => (await counting.run(request(at, {}, who), never)).text;
		assert.equal(await said({}), "r1 US-001 coding agent 1");
		assert.equal(await said({ step: "step-011" }), "r1 US-001 coding agent 2");
		assert.equal(await said({ story: "US-002" }), "r1 US-002 coding agent 1");
		assert.equal(await said({ type: "review" }), "r1 US-001 review agent 1");
		assert.equal(await said({ role: "checker" }), "r1 US-001 coding checker 1");
		assert.equal(await said({ run: "r2" }), "r2 US-001 coding agent 1");
		assert.equal(await said({ attempt: 7 }), "r1 US-001 coding agent 3");
	});
	it("waits for a file that another story leaves in the shared folder", async () => {
		const at = scratch();
		const waiting = run(at, "- wait_for: {shared: flags/go}\n- say: went");
		const other = { ...at, log: `${at.log}.other` };
		await run(other, "- shared: {path: flags/go, content: x}");
		assert.equal((await waiting).text, "went");
	});
});

describe("failing", () => {
	it("as an agent that exits with a code", async () => {
		const outcome = await run(scratch(), `- say: so far\n- fail: {exit: 3, error: "{step} broke"}`);
		assert.deepEqual(
			[outcome.result, outcome.error, outcome.exitCode, outcome.text],
			["agent_error", "exit code 3: step-005 broke", 3, "so far"],
		);
		assert.deepEqual((await run(scratch(), "- fail: {}")).error, "exit code 1");
	});
	it("as a typed failure, with the time to try again", async () => {
		const before = Date.now();
		const limited = await run(scratch(), "- fail: {as: rate_limited, retry_after: 30s}");
		assert.equal(limited.result, "rate_limited");
		assert.ok(limited.retryAt !== null && limited.retryAt >= before + 30_000 && limited.retryAt <= Date.now() + 30_000);
		const auth = await run(scratch(), `- fail: {as: auth, error: "no key"}`);
		assert.deepEqual([auth.result, auth.error, auth.retryAt, auth.exitCode], ["auth", "no key", null, null]);
	});
	for (const [what, path] of [
		["an absolute path", join(home, "escape")],
		["a path with ..", "a/../../escape"],
		["a folder that is a link to elsewhere", "link/escape"],
		["a file that is a link to elsewhere", "filelink"],
		["a folder that is a link to nowhere yet", "dangling/escape"],
		["the workspace itself", "./"],
	] as const)
		it(`on ${what}: nothing is written outside, and it is agent_error with the place in the script`, async () => {
			const at = scratch();
			const outside = join(at.work, "..", "outside");
			mkdirSync(outside);
			writeFileSync(join(outside, "kept"), "kept");
			symlinkSync(outside, join(at.work, "link"));
			symlinkSync(join(outside, "kept"), join(at.work, "filelink"));
			symlinkSync(join(outside, "new"), join(at.work, "dangling"));
			for (const action of ["write", "append"]) {
				const outcome = await run(at, `- say: hi\n- ${action}: {path: "${path}", content: escaped}`);
				assert.equal(outcome.result, "agent_error");
				assert.match(outcome.error ?? "", new RegExp(`^default\\.do\\[1\\] ${action}: `));
			}
			assert.deepEqual(readdirSync(outside), ["kept"]);
			assert.equal(readFileSync(join(outside, "kept"), "utf8"), "kept");
			assert.equal(existsSync(join(at.work, "..", "escape")) || existsSync(join(home, "escape")), false);
		});
	it("removes a link, not its target", async () => {
		const at = scratch();
		mkdirSync(join(at.shared, "precious"));
		symlinkSync(join(at.shared, "precious"), join(at.work, "link"));
		assert.equal((await run(at, "- remove: {path: link}")).result, "ok");
		assert.deepEqual([existsSync(join(at.work, "link")), existsSync(join(at.shared, "precious"))], [false, true]);
		assert.equal((await run(at, "- remove: {path: ../shared}")).result, "agent_error");
	});
	it("on a FIFO instead of hanging", async () => {
		const at = scratch();
		execFileSync("mkfifo", [join(at.work, "pipe")]);
		assert.equal((await run(at, "- write: {path: pipe, content: x}")).result, "agent_error");
	});
	it("where the log cannot be written, never by a throw", async () => {
		const at = scratch();
		writeFileSync(join(at.work, "file"), "");
		const outcome = await run(at, "- say: x", { logFile: join(at.work, "file", "log.jsonl") });
		assert.equal(outcome.result, "agent_error");
	});
});

describe("ending from outside", () => {
	it("D-116: the step's time is up", async () => {
		const outcome = await run(scratch(), "- hang: true", { timeoutMs: 30 });
		assert.deepEqual([outcome.result, outcome.error, outcome.exitCode], ["timeout", "timed out after 30ms", null]);
		assert.equal((await run(scratch(), "- wait: 10m", { timeoutMs: 30 })).result, "timeout");
		assert.equal((await run(scratch(), "- wait_for: {file: never}", { timeoutMs: 30 })).result, "timeout");
	});
	it("silence for too long", async () => {
		const outcome = await run(scratch(), "- hang: true", { stallMs: 30 });
		assert.deepEqual([outcome.result, outcome.error], ["stalled", "no output for 30ms"]);
	});
	it("D-47: a cancelled call stops where it is and does nothing more", async () => {
		const at = scratch();
		const controller = new AbortController();
		const over = { onProgress: () => (lines(at).some((line) => line.action === "hang") ? controller.abort() : undefined) };
		const outcome = await run(at, "- write: {path: a, content: a}\n- say: so far\n- hang: true", over, controller.signal);
		assert.deepEqual([outcome.result, outcome.error, outcome.text], ["cancelled", "cancelled", "so far"]);
		assert.ok(existsSync(join(at.work, "a")));
	});
	it("a call that was cancelled before it began does nothing", async () => {
		const at = scratch();
		assert.equal((await run(at, "- write: {path: a, content: a}", {}, AbortSignal.abort())).result, "cancelled");
		assert.equal(existsSync(join(at.work, "a")), false);
	});
	it("limits longer than a timer can count do not end a call at once", async () => {
		const outcome = await run(scratch(), "- wait: 20ms\n- say: done", { timeoutMs: 2 ** 40, stallMs: 2 ** 40 });
		assert.equal(outcome.text, "done");
	});
	it("nothing that `run` started outlives the call", async () => {
		const at = scratch();
		const controller = new AbortController();
		const running = run(at, `- run: [sh, -c, "sleep 600 & echo $! > part; mv part child; wait"]`, {}, controller.signal);
		await run({ ...at, log: `${at.log}.other` }, "- wait_for: {file: child}");
		controller.abort();
		assert.equal((await running).result, "cancelled");
		assert.equal(isAlive(Number(readFileSync(join(at.work, "child"), "utf8"))), false);
	});
});

describe("processes", () => {
	it("run without a shell, in the workspace, with the environment of the request only", async () => {
		const at = scratch();
		const outcome = await run(at, `- run: [sh, -c, 'pwd; echo "$1"; env', sh, "{story} $HOME; x"]`, { env: { ...env, PAWL_ATTEMPT: "4" } });
		assert.equal(outcome.error, null);
		const printed = lines(at)
			.filter((line) => line.stream === "stdout")
			.map((line) => line.text)
			.join("\n");
		assert.match(printed, /work\n/);
		assert.match(printed, /US-001 \$HOME; x/);
		assert.match(printed, /PAWL_ATTEMPT=4/);
		assert.doesNotMatch(printed, /NODE_TEST_CONTEXT/);
	});
	it("fail the call with their exit code, or when they are not there", async () => {
		assert.match((await run(scratch(), `- run: [sh, -c, "exit 7"]`)).error ?? "", /run: sh ended with exit code 7/);
		const missing = await run(scratch(), "- run: [no-such-command-7731]");
		assert.equal(missing.result, "agent_error");
		assert.match(missing.error ?? "", /no-such-command-7731/);
	});
	it("commit everything, without hooks, signature or a configured identity", async () => {
		const at = scratch();
		git(at, "init", "-q");
		git(at, "config", "commit.gpgsign", "true");
		git(at, "config", "user.useConfigOnly", "true");
		writeFileSync(join(at.work, ".git/hooks/pre-commit"), "#!/bin/sh\nexit 1\n", { mode: 0o755 });
		const outcome = await run(at, `- write: {path: a, content: a}\n- write: {path: b/c, content: c}\n- commit: "--all of {story}"`);
		assert.equal(outcome.error, null);
		assert.equal(git(at, "log", "--format=%s by %an"), "--all of US-001 by pawl");
		assert.equal(git(at, "status", "--porcelain"), "");
	});
	it("use the configured identity, and continue if there is nothing to commit", async () => {
		const at = scratch();
		git(at, "init", "-q");
		git(at, "config", "user.name", "Ada");
		git(at, "config", "user.email", "ada@example.org");
		const outcome = await run(at, "- write: {path: a, content: a}\n- commit: one\n- commit: two\n- say: end");
		assert.deepEqual([outcome.result, outcome.text], ["ok", "end"]);
		assert.equal(git(at, "log", "--format=%s by %an"), "one by Ada");
	});
	it("a commit outside any repository is agent_error with git's own words", async () => {
		const outcome = await run(scratch(), "- commit: x", { env: { ...env, GIT_DIR: "/nonexistent" } });
		assert.equal(outcome.result, "agent_error");
		assert.match(outcome.error ?? "", /not a git repository/);
	});
});

describe("the log", () => {
	it("is JSON lines, appended: the attempt, its prompt, what was done and said, the end", async () => {
		const at = scratch();
		await run(at, "- write: {path: a, content: a}\n- say: |\n    hello\n    there\n- usage: {cost_usd: 0.1}");
		await run(at, "- fail: {error: no}");
		assert.deepEqual(
			lines(at)
				.filter(({ type }) => type !== "prompt")
				.map(({ type, action, text, result }) => [type, action ?? text ?? result].filter((part) => part !== undefined)),
			[["attempt"], ["action", "write"], ["text", "hello\nthere\n"], ["usage"], ["end", "ok"], ["attempt"], ["end", "agent_error"]],
		);
	});
	it("never holds a secret, also where a process prints it in pieces", async () => {
		const at = scratch();
		const secret = 'hunter2-"quoted"-hunter2';
		writeFileSync(join(at.work, "print.sh"), `printf 'a hunter2-"quo'; sleep 0.05; printf 'ted"-hunter2 z\\n'\n`);
		const outcome = await run(at, `- say: 'it is ${secret}'\n- run: [sh, print.sh]`, { secrets: [secret] });
		assert.equal(outcome.error, null);
		const text = lines(at)
			.map((line) => line.text ?? "")
			.join("");
		assert.doesNotMatch(text, /hunter2/);
		assert.match(text, /a \*\*\* z/);
	});
	it("tells the caller of its progress", async () => {
		const seen: number[] = [];
		const costs: (number | null)[] = [];
		await run(scratch(), "- usage: {cost_usd: 0.5}\n- say: x", {
			onProgress: ({ bytes, usage }) => {
				seen.push(bytes);
				costs.push(usage.costUsd);
			},
		});
		assert.ok(seen.every((bytes, index) => bytes > (seen[index - 1] ?? 0)));
		assert.equal(costs.at(-1), 0.5);
	});
});
