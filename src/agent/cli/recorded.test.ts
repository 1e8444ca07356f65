// Every recorded session of the four CLIs, played back by a stand-in: how it ended, to the token and to the cent. In all of
// them one answer of the model was 1000 tokens of input, 200 more from the cache, and 50 of output.
import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { after, describe, it } from "node:test";
import type { AgentOutcome } from "../../agent.ts";
import { agentRequest } from "../agent.suite.ts";
import { fixture, replay } from "./replay.suite.ts";

const PRICES = { input: 1, output: 10, cached: 0.1 };
const DONE = "Done.\n\n## SUMMARY\n- status: ok\n- files: hello.txt\n";

/** How it ended; then answers paid for, cost for one of them, turns, tools; then the error. */
interface Recorded {
	readonly end: number | string;
	readonly result: AgentOutcome["result"];
	/** null: it did not say. */
	readonly answers: number | null;
	readonly turns: number | null;
	readonly tools: number;
	readonly text?: string | RegExp;
	readonly error?: RegExp;
	readonly retryAt?: number;
}

const ok = (answers: number, tools: number, over: Partial<Recorded> = {}): Recorded => ({
	...{ end: 0, result: "ok", answers, turns: answers, tools, text: DONE },
	...over,
});
const failed = (
	result: Recorded["result"],
	end: number | string,
	answers: number | null,
	error: RegExp,
	over: Partial<Recorded> = {},
): Recorded => ({
	...{ end, result, answers, turns: null, tools: 0, error },
	...over,
});

const CLAUDE: Readonly<Record<string, Recorded>> = {
	task: ok(2, 1),
	write: ok(2, 1),
	toolfail: ok(2, 1),
	denied: ok(2, 1),
	"denied-allow": ok(2, 1),
	"denied-dontask": ok(2, 1),
	e429x2: ok(2, 1),
	stalllong: ok(1, 0),
	resume: ok(1, 0, { text: "OK resumed" }),
	"noop-partial": ok(1, 0, { text: "OK" }),
	"rlheaders-oauth": ok(1, 0, { text: "OK" }),
	"drop-r2": failed("overloaded", 1, 0, /Connection dropped/, { turns: 1 }),
	e400: failed("context_too_long", 1, 0, /Prompt is too long/, { turns: 1 }),
	"e401-r2": failed("auth", 1, 0, /Invalid API key/, { turns: 1 }),
	"noop-nokey": failed("auth", 1, 0, /Not logged in/, { turns: 1 }),
	"e429-r2": failed("rate_limited", 1, 0, /exceed your rate limit/, { turns: 1 }),
	e429long: failed("rate_limited", 1, 0, /Quota exhausted/, { turns: 1 }),
	"rl429-oauth": failed("rate_limited", 1, 0, /5-hour limit/, { turns: 1, retryAt: 1_999_999_999_000 }),
	"e500-r2": failed("overloaded", 1, 0, /500 Internal server error/, { turns: 1 }),
	"e529-r2": failed("overloaded", 1, 0, /529 Overloaded/, { turns: 1 }),
	"e529-full": failed("overloaded", 1, 0, /529 Overloaded/, { turns: 1 }),
	"sseerr-r2": failed("overloaded", 1, 0, /Overloaded/, { turns: 1 }),
	"stallbefore-wd": failed("overloaded", 1, 0, /timed out/, { turns: 1 }),
	intstall: failed("agent_error", 0, 0, /./, { turns: 2, text: /^partial text/ }),
	"loop-turns": failed("agent_error", 1, 3, /maximum number of turns/, { turns: 4, tools: 3 }),
	"loop-budget": failed("agent_error", 1, 2, /maximum budget/, { turns: 2, tools: 2 }),
	"resume-bad": failed("agent_error", 1, 0, /No conversation found/, { turns: 0 }),
};

const CODEX: Readonly<Record<string, Recorded>> = {
	task: ok(2, 1),
	"write-tmpd": ok(2, 1),
	toolfail: ok(2, 1),
	toolfailsb: ok(2, 1),
	"denied-gitdir": ok(2, 1),
	// What its sandbox refuses gives no event, so the second answer cannot be told from the first.
	"denied-tmpd": ok(2, 0, { turns: 1 }),
	"denied-ws": ok(2, 0, { turns: 1 }),
	e429x2: ok(2, 1),
	"dropmid1-fix": ok(2, 1),
	stalllong: ok(1, 0),
	// The total of the whole session; cli-agent.test.ts shows what is made of it.
	resume: ok(3, 0, { turns: 1, text: "OK resumed" }),
	drop: failed("overloaded", 1, null, /stream disconnected/),
	e400: failed("context_too_long", 1, null, /^prompt is too long: 250000 tokens > 200000 maximum$/),
	e401: failed("auth", 1, null, /401 Unauthorized/),
	e429: failed("rate_limited", 1, null, /429 Too Many Requests/),
	"e429-r1": failed("rate_limited", 1, null, /429 Too Many Requests/),
	rl429: failed("rate_limited", 1, null, /usage limit/),
	e500: failed("overloaded", 1, null, /high demand/),
	"e529-r1": failed("overloaded", 1, null, /Overloaded/),
	sseerr: failed("overloaded", 1, null, /Overloaded/),
	"stall-idle": failed("overloaded", 1, null, /idle timeout/),
	"resume-bad": failed("agent_error", 1, null, /no rollout found/),
	termtool: failed("agent_error", "TERM", null, /SIGTERM/, { turns: 1, tools: 1 }),
};

const OPENCODE: Readonly<Record<string, Recorded>> = {
	task: ok(2, 1),
	write: ok(2, 1),
	toolfail: ok(2, 1),
	"denied-deny": ok(2, 1),
	e429x2: ok(2, 1),
	"dropmid1-fix": ok(2, 1),
	stalllong: ok(1, 0),
	resume: ok(1, 0, { text: "OK resumed" }),
	"denied-ask": failed("permission", 0, 1, /rejected permission/, { turns: 1, tools: 1 }),
	e401: failed("auth", 1, null, /invalid x-api-key/),
	e429: failed("rate_limited", 1, null, /rate limit/, { retryAt: 1_794_710_162_153 }),
	"e529-full": failed("overloaded", 1, null, /Overloaded/),
	sseerr: failed("agent_error", "KILL", null, /SIGKILL/),
	termtool: failed("agent_error", "TERM", null, /SIGTERM/),
	// The recording lacks its end.
	"loop-steps": failed("agent_error", 0, 6, /ended before the session did/, { turns: 6, tools: 6 }),
};

const GEMINI: Readonly<Record<string, Recorded>> = {
	task: ok(2, 1),
	write: ok(2, 1),
	toolfail: ok(2, 1),
	denied: ok(2, 1),
	"denied-policy": ok(2, 1),
	e429x2: ok(2, 1),
	// What was said before an attempt of its own failed stays in the stream.
	stalllong: ok(1, 0, { text: /^partial text of an answer that wil\n?Done\..*hello\.txt\n$/s }),
	resume: ok(1, 0, { text: "OK resumed" }),
	"dropmid-set": failed("overloaded", 1, 0, /terminated/, { turns: 1 }),
	e400: failed("context_too_long", 144, 0, /^prompt is too long/),
	e401: failed("auth", 145, 0, /^invalid x-api-key$/),
	"e429-set": failed("rate_limited", 173, 0, /rate limit/),
	"e500-set": failed("overloaded", 244, 0, /Internal server error/),
	"sseerr-set": failed("overloaded", 0, 0, /without a finish reason/, { turns: 1 }),
	"loop-set": failed("agent_error", 53, 3, /max session turns/, { turns: 3, tools: 3 }),
	"resume-bad": failed("agent_error", 42, null, /No previous sessions/),
	"task-notrust": failed("permission", 55, null, /not running in a trusted directory/),
	"termstall-nr": failed("agent_error", 0, null, /ended before the session did/, { turns: 1 }),
};

const ALL = { claude: CLAUDE, codex: CODEX, opencode: OPENCODE, gemini: GEMINI };
/** US dollars for one answer: as the two report it; by the price table for the others. */
const COST = { claude: 0.00381, codex: 0.00152, opencode: 0.00152, gemini: 0.00152 };
const FROM = { claude: "reported", codex: "price table", opencode: "reported", gemini: "price table" };

const dir = mkdtempSync(join(tmpdir(), "pawl-recorded-"));
after(() => rmSync(dir, { recursive: true, force: true }));
const run = (cli: string, scenario: string, end: number | string): Promise<AgentOutcome> =>
	replay(dir, cli, scenario, end, { prices: PRICES }).run(agentRequest(mkdtempSync(join(dir, "case-"))), new AbortController().signal);

for (const cli of ["claude", "codex", "opencode", "gemini"] as const) {
	describe(`recorded sessions of ${cli} (D-73)`, () => {
		for (const [scenario, wanted] of Object.entries(ALL[cli])) {
			it(`${scenario}: ${wanted.result}`, async () => {
				const from = Date.now();
				const outcome = await run(cli, scenario, wanted.end);
				const { answers } = wanted;
				const { usage, details } = outcome;
				assert.deepEqual(
					{ result: outcome.result, turns: details?.turns, tools: details?.toolCalls },
					{ result: wanted.result, turns: wanted.turns, tools: wanted.tools },
				);
				// A wait that is over by now ends now.
				if (wanted.retryAt === undefined || wanted.retryAt > Date.now()) assert.equal(outcome.retryAt, wanted.retryAt ?? null);
				else assert.ok(outcome.retryAt !== null && outcome.retryAt >= from);
				const counted = (each: number): number | null => (answers === null ? null : answers * each);
				assert.deepEqual([usage.inputTokens, details?.cachedTokens, usage.outputTokens], [counted(1200), counted(200), counted(50)]);
				const cost = counted(COST[cli]);
				assert.equal(usage.costUsd, cost === null ? null : Number(cost.toFixed(9)));
				assert.equal(details?.costFrom, answers === null ? "unknown" : FROM[cli]);
				if (wanted.error === undefined) assert.equal(outcome.error, null);
				else assert.match(outcome.error ?? "", wanted.error);
				if (wanted.text instanceof RegExp) assert.match(outcome.text, wanted.text);
				else if (wanted.text !== undefined) assert.equal(outcome.text, wanted.text);
			});
		}
	});
}

describe("recorded sessions with a count of their own", () => {
	it("claude dropmid1-fix: what the lost answer cost is in its bill", async () => {
		const { result, usage, details } = await run("claude", "dropmid1-fix", 0);
		assert.deepEqual([result, usage, details?.cachedTokens], ["ok", { costUsd: 0.010695, inputTokens: 3600, outputTokens: 101 }, 600]);
	});

	it("claude termtool: only half of the usage is reported, so the cost is unknown", async () => {
		const { result, usage, details } = await run("claude", "termtool", 143);
		assert.deepEqual([result, usage], ["agent_error", { costUsd: null, inputTokens: 1200, outputTokens: null }]);
		assert.deepEqual([details?.costFrom, details?.toolCalls], ["unknown", 1]);
	});

	it("leaves no recording out", () => {
		const recorded = readdirSync(dirname(fixture("x", "y"))).filter((name) => name.endsWith(".jsonl"));
		const tested = Object.entries(ALL).flatMap(([cli, list]) => Object.keys(list).map((scenario) => basename(fixture(cli, scenario))));
		assert.deepEqual(recorded.toSorted(), [...tested, "claude.dropmid1-fix.jsonl", "claude.termtool.jsonl"].toSorted());
	});
});

describe("tool calls of recorded sessions", () => {
	it("have a name, what they were for, how long they took, and how they ended", async () => {
		const first = async (cli: string, scenario: string) => (await run(cli, scenario, 0)).details?.tools[0];
		assert.deepEqual(await first("claude", "write"), { name: "Write", target: "$REPO/note.txt", ms: 73, ok: true });
		assert.deepEqual(await first("claude", "toolfail"), { name: "Bash", target: "echo oops >&2; exit 3", ms: 60, ok: false });
		assert.deepEqual(await first("opencode", "write"), { name: "write", target: "$REPO/note.txt", ms: 101, ok: true });
		assert.deepEqual(await first("gemini", "write"), { name: "write_file", target: "$REPO/note.txt", ms: 57, ok: true });
		const codex = await first("codex", "toolfail");
		assert.deepEqual([codex?.name, codex?.target, codex?.ok], ["command_execution", "/bin/bash -lc 'echo oops >&2; exit 3'", false]);
	});
});
