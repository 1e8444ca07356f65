// Runs in which nothing fails, with each of the four real CLIs: a whole story of `dynamic` from its first step to its merge, and a session
// that a later step goes on with.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { STEP_TYPES } from "../support/pawl.ts";
import { git, list, put, scratchFolder } from "../support/scratch.ts";
import { type Cli, chosenClis } from "./clis.ts";
import { type Driven, drive } from "./drive.ts";
import { sum, type Tokens } from "./model/turn.ts";
import { twoSteps } from "./two-steps.ts";

const PRD = {
	project: "Stub",
	branchName: "main",
	userStories: [
		{
			id: "US-001",
			title: "Add a file",
			description: "There is a file US-001.txt.",
			acceptanceCriteria: ["US-001.txt is there"],
			priority: 1,
			passes: false,
		},
	],
};

const STEPS = STEP_TYPES.map((type, index) => ({ type, id: `step-${String(index + 1).padStart(3, "0")}` }));

describe("a run with a real CLI", () => {
	for (const cli of chosenClis())
		it(`${cli.name} brings a story of dynamic to its merge, with tokens and cost as the server charged them, and leaves nothing`, async () => {
			const folder = scratchFolder("prd");
			put(folder, { "prd.json": JSON.stringify(PRD, null, 2) });
			const checks = { lint: "true", test: "test -f README.md" };
			const driven = await drive({ cli, args: ["dynamic", "--prd", join(folder, "prd.json")], config: { checks } });
			assert.equal(driven.code, 0, driven.said.slice(-3000));
			assert.deepEqual(driven.left, []);

			assert.equal(git(driven.repo, "show", "main:US-001.txt"), "done");
			assert.equal(git(driven.repo, "rev-list", "--count", "main"), "2", "the story is one commit");
			assert.equal(git(driven.repo, "for-each-ref", "--format=%(refname)", "refs/heads"), "refs/heads/main");
			assert.deepEqual(list(driven.repo, ".pawl", "worktrees"), []);
			const prd = JSON.parse(readFileSync(join(folder, "prd.json"), "utf8")) as typeof PRD;
			assert.deepEqual(
				prd.userStories.map(({ passes }) => passes),
				[true],
			);

			assertAsked(driven);
			assertCharged(cli, driven, STEPS);
		});
	for (const cli of chosenClis())
		it(`${cli.name} goes on with the session of the step before, and is charged for what is new only`, async () => {
			const driven = await drive({ cli, args: [twoSteps("continue"), "Add a file"] });
			assert.equal(driven.code, 0, driven.said.slice(-3000));
			const heard = driven.asked.at(-1)?.question;
			assert.match(heard?.prompt ?? "", /^# coding .*^# review /ms);
			// Gemini tells it twice.
			assert.ok((heard?.results ?? 0) > 0, "it knows what its tool did");
			assertCharged(cli, driven, [
				{ type: "coding", id: "step-001" },
				{ type: "review", id: "step-002" },
			]);
			assert.deepEqual(driven.left, []);
		});
});

/** One session a step, one answer a session, two where a tool was used; and nothing else was asked for. */
function assertAsked({ asked }: Driven): void {
	const expected = STEP_TYPES.flatMap((type) => (type === "coding" ? [type, type] : [type]));
	assert.deepEqual(
		asked.map(({ step, path }) => step ?? path),
		expected,
	);
	assert.ok(asked.every(({ question }) => question?.stream));
}

function assertCharged(
	cli: Cli,
	{ attempts, asked, events }: Driven,
	steps: readonly { readonly type: string; readonly id: string }[],
): void {
	assert.deepEqual(
		attempts.map(({ step, result, error }) => ({ step, result, error })),
		steps.map(({ id }) => ({ step: id, result: "ok", error: null })),
	);
	for (const [index, attempt] of attempts.entries()) {
		const type = steps[index]!.type;
		const charged = chargedFor(asked.filter(({ step }) => step === type));
		assert.deepEqual(
			{ ...attempt.usage, cached: attempt.cachedTokens, tools: attempt.toolCalls, from: attempt.costFrom },
			{
				costUsd: dollars(cli, charged),
				inputTokens: charged.input + charged.cached,
				outputTokens: charged.output,
				cached: charged.cached,
				tools: type === "coding" ? 1 : 0,
				from: cli.reportsCost ? "reported" : "price table",
			},
			type,
		);
		assert.equal(attempt.turns, type === "coding" ? 2 : 1, type);
	}
	const total = chargedFor(asked);
	const finished = events.find(({ event }) => event === "run_finished")!;
	assert.equal(finished["input_tokens"], total.input + total.cached);
	assert.equal(finished["output_tokens"], total.output);
	assert.equal(finished["cost_usd"], Number(dollars(cli, total).toFixed(6)));
}

const chargedFor = (asked: Driven["asked"]): Tokens => sum(asked.flatMap(({ tokens }) => (tokens === null ? [] : [tokens])));

const dollars = ({ prices }: Cli, { input, cached, output }: Tokens): number =>
	Number(((input * prices.input + cached * prices.cached + output * prices.output) / 1e6).toFixed(9));
