// Every fault of a model server, with each of the four real CLIs: it ends as docs/agents/faults.md says, and nothing is left.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type Cli, chosenClis } from "./clis.ts";
import { drive } from "./drive.ts";
import { FAULTS, type FaultCase, FOLLOWS, SPENT, type Told } from "./faults.ts";
import { NEVER_ENDS, sum, type Tokens, tokensOf } from "./model/turn.ts";
import { twoSteps } from "./two-steps.ts";

/** A CLI must have asked before the time is up, and opencode takes half a minute to start on a busy machine. */
const SILENT_FOR: Readonly<Record<string, string>> = { claude: "20s", codex: "20s", opencode: "60s", gemini: "30s" };

/** How many refusals of a limit end one session; with one less it would not notice, with one more the next session would not either. */
const GIVES_UP_AFTER: Readonly<Record<string, number>> = { claude: 3, codex: 2, opencode: 6, gemini: 2 };

const clis = chosenClis();

// They wait far more than they work. Those that wait longest come first: opencode's own retries take more than a minute.
const cases = FAULTS.flatMap((fault) => clis.map((cli) => ({ cli, fault }))).sort((a, b) => weight(b) - weight(a));

function weight({ cli, fault }: { readonly cli: Cli; readonly fault: FaultCase }): number {
	if (cli.name !== "opencode") return 0;
	return fault.fault.times === undefined && ["overloaded", "rate_limited", "agent_error"].includes(fault.ends[cli.name] ?? "") ? 2 : 1;
}

describe("a fault of the model server", { concurrency: 4 }, () => {
	for (const { cli, fault } of cases) {
		const ends = fault.ends[cli.name]!;
		it(`${cli.name}, ${fault.name}: ${ends}`, async () => {
			const limit = fault.silent?.includes(cli.name) ? (SILENT_FOR[cli.name] ?? "60s") : "200s";
			const args = [twoSteps(), "Add a file", "--timeout", `coding=${limit}`, "--max-wait", "1ms"];
			const driven = await drive({ cli, args, fault: { step: "coding", ...fault.fault } });
			const [first] = driven.attempts;
			assert.equal(first?.result, ends, `${first?.error}\n${driven.said.slice(-2000)}`);
			assert.equal(driven.code, FOLLOWS[ends].code);
			assert.ok(
				driven.asked.some(({ step, tokens }) => step === "coding" && tokens === null),
				"no request met the fault",
			);
			if (ends === "ok")
				assert.deepEqual(
					driven.attempts.map(({ result }) => result),
					["ok", "ok"],
				);
			else assert.ok(first?.error, "it says why");
			assert.deepEqual(driven.left, []);
		});
	}
	for (const { cli, fault } of SPENT.flatMap((each) => clis.map((cli) => ({ cli, fault: each })))) {
		const told = fault.told[cli.name]!;
		it(`${cli.name}, ${fault.name} in the middle of a session: what it had cost is ${told}`, async () => {
			const limit = fault.silent?.includes(cli.name) ? (SILENT_FOR[cli.name] ?? "60s") : "200s";
			const args = [twoSteps(), "Add a file", "--timeout", `coding=${limit}`, "--max-wait", "1ms"];
			const driven = await drive({ cli, args, fault: { step: "coding", after: 1, ...fault.fault } });
			const [first] = driven.attempts;
			assert.equal(first?.result, fault.ends[cli.name], `${first?.error}\n${driven.said.slice(-2000)}`);
			const charged = driven.asked.flatMap(({ step, tokens }) => (step === "coding" && tokens !== null ? [tokens] : []));
			assert.deepEqual(charged, [tokensOf(1)], "one answer, then only the fault");
			const broken = driven.asked.filter(({ step, tokens }) => step === "coding" && tokens === null).length;
			// How many of them it had heard the beginning of is a matter of microseconds.
			const heard = told === "begun" ? Array.from({ length: broken + 1 }, (_, n) => [...charged, ...Array(n).fill(BEGUN)]) : [charged];
			const allowed = heard.map((answers) => usageOf(cli, told, answers));
			assert.deepEqual(first?.usage, allowed.find(({ outputTokens }) => outputTokens === first?.usage.outputTokens) ?? allowed[0]);
			// In the journal as well, and apart in the sum.
			assert.deepEqual(driven.events.find(({ event }) => event === "usage_recorded")?.["usage"], first?.usage);
			const finished = driven.events.find(({ event }) => event === "run_finished");
			const unknown = told === "unknown" || told === "input";
			if (driven.attempts.length === 1) assert.equal(finished?.["cost_usd"] === null, unknown);
			assert.deepEqual(driven.left, []);
		});
	}
	for (const cli of clis) {
		it(`${cli.name}: a run waits for a limit to be lifted and goes on`, async () => {
			const times = GIVES_UP_AFTER[cli.name]!;
			const fault = { step: "coding", kind: "status", status: 429, message: "Rate limit reached", retryAfter: 1, times } as const;
			const driven = await drive({ cli, args: [twoSteps(), "Add a file"], fault });
			assert.equal(driven.code, 0, driven.said.slice(-2000));
			assert.deepEqual(
				driven.attempts.map(({ result }) => result),
				["rate_limited", "ok", "ok"],
			);
			assert.ok(driven.events.some(({ event }) => event === "step_postponed"));
			assert.deepEqual(driven.left, []);
		});
		it(`${cli.name}: Ctrl-C ends what its tools started, also in other sessions`, async () => {
			const driven = await drive({ cli, args: [twoSteps(), NEVER_ENDS], interruptAt: "sleep 1000" });
			assert.equal(driven.code, 130, driven.said.slice(-2000));
			assert.deepEqual(driven.left, []);
		});
	}
});

/** Of an answer that breaks off, the beginning says how much was read for it, and one token. */
const BEGUN: Tokens = { ...tokensOf(0), output: 1 };

function usageOf({ prices }: Cli, told: Told, charged: readonly Tokens[]) {
	const { input, cached, output } = sum(charged);
	const dollars = (input * prices.input + cached * prices.cached + output * prices.output) / 1e6;
	return {
		costUsd: told === "unknown" || told === "input" ? null : Number(dollars.toFixed(9)),
		inputTokens: told === "unknown" ? null : input + cached,
		outputTokens: told === "unknown" || told === "input" ? null : output,
	};
}
