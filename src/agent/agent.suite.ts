// What every implementation of the agent contract must do. An implementation brings a way to make an agent that behaves as
// told; the suite looks at outcome and log only.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import type { Agent, AgentOutcome, AgentRequest } from "../agent.ts";

export interface Behaviour {
	/** Its final message. */
	readonly say?: string;
	readonly usage?: { readonly inputTokens: number; readonly outputTokens: number; readonly costUsd: number };
	/** It fails. */
	readonly fail?: boolean;
	/** It hangs silently after its message. */
	readonly hang?: boolean;
}

/** Also for the tests of an implementation. */
export function agentRequest(dir: string, over: Partial<AgentRequest> = {}): AgentRequest {
	return {
		prompt: "do it",
		cwd: dir,
		env: { PATH: process.env["PATH"] ?? "" },
		mark: `agent-${process.pid}-${Math.random()}`,
		timeoutMs: 30_000,
		stallMs: null,
		logFile: join(dir, "logs", "S-1", "step-001.jsonl"),
		model: null,
		readOnly: false,
		secrets: [],
		who: { run: "r", story: "S-1", step: "step-001", type: "coding", role: "developer", attempt: 1, sharedDir: dir },
		...over,
	};
}

export function logLines(file: string): Record<string, unknown>[] {
	const lines = readFileSync(file, "utf8").split("\n");
	assert.equal(lines.pop(), "", "the log ends with a line end");
	return lines.map((line) => JSON.parse(line));
}

export function agentSuite(name: string, make: (behaviour: Behaviour) => Agent | Promise<Agent>): void {
	describe(`agent contract: ${name}`, () => {
		const root = mkdtempSync(join(tmpdir(), "pawl-agent-suite-"));
		after(() => rmSync(root, { recursive: true, force: true }));
		const folder = (): string => mkdtempSync(join(root, "case-"));
		const run = async (behaviour: Behaviour, over: Partial<AgentRequest> = {}, signal?: AbortSignal): Promise<AgentOutcome> =>
			(await make(behaviour)).run(agentRequest(folder(), over), signal ?? new AbortController().signal);

		it("has no problem where it can run", async () => {
			assert.equal(await (await make({})).problem(), null);
		});

		it("ends ok with its final message and its usage", async () => {
			const outcome = await run({ say: "All is done.", usage: { inputTokens: 7, outputTokens: 3, costUsd: 0.5 } });
			assert.equal(outcome.result, "ok");
			assert.equal(outcome.error, null);
			assert.match(outcome.text, /All is done\./);
			assert.deepEqual(outcome.usage, { inputTokens: 7, outputTokens: 3, costUsd: 0.5 });
		});

		it("leaves unknown usage unknown", async () => {
			assert.deepEqual((await run({ say: "x" })).usage, { inputTokens: null, outputTokens: null, costUsd: null });
		});

		it("ends a failure with one line for a person", async () => {
			const outcome = await run({ say: "x", fail: true });
			assert.equal(outcome.result, "agent_error");
			assert.match(outcome.error ?? "", /^[^\n]+$/);
		});

		it("ends in time when it hangs (D-41)", async () => {
			const late = await run({ say: "x", hang: true }, { timeoutMs: 200 });
			assert.equal(late.result, "timeout");
			assert.match(late.error ?? "", /timed out after 200ms/);
			assert.equal((await run({ say: "x", hang: true }, { stallMs: 200 })).result, "stalled");
		});

		it("ends as cancelled when it is told to, also before it began", async () => {
			const stop = new AbortController();
			const dir = folder();
			const agent = await make({ say: "x", hang: true });
			const outcome = await agent.run(
				agentRequest(dir, { onProgress: () => stop.abort() }),
				AbortSignal.any([stop.signal, AbortSignal.timeout(500)]),
			);
			assert.equal(outcome.result, "cancelled");
			assert.equal((await run({ say: "x" }, {}, AbortSignal.abort())).result, "cancelled");
		});

		it("appends to the log, in lines of JSON, attempt by attempt", async () => {
			const request = agentRequest(folder());
			const signal = new AbortController().signal;
			await (await make({ say: "one" })).run(request, signal);
			await (await make({ say: "two" })).run({ ...request, who: { ...request.who, attempt: 2 } }, signal);
			const lines = logLines(request.logFile);
			assert.deepEqual(
				lines.filter((line) => line["type"] === "attempt").map((line) => line["attempt"]),
				[1, 2],
			);
			const all = JSON.stringify(lines);
			assert.ok(all.indexOf("one") >= 0 && all.indexOf("one") < all.indexOf("two"));
			assert.equal(lines.at(-1)?.["type"], "end");
		});

		it("keeps secrets out of the log (X-10)", async () => {
			const request = agentRequest(folder(), { secrets: ["hunter2-hunter2"] });
			await (await make({ say: "the word is hunter2-hunter2, really" })).run(request, new AbortController().signal);
			const log = readFileSync(request.logFile, "utf8");
			assert.match(log, /the word is \*\*\*, really/);
			assert.doesNotMatch(log, /hunter2/);
		});

		it("does not throw when the log cannot be written", async () => {
			const dir = folder();
			writeFileSync(join(dir, "file"), "");
			const outcome = await run({ say: "x" }, { logFile: join(dir, "file", "x.jsonl") });
			assert.equal(outcome.result, "agent_error");
			assert.match(outcome.error ?? "", /log/);
		});
	});
}
