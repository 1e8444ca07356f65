// A report that cannot be read, with each of the four real CLIs: it is asked for again in the same session, with a short message. The model
// hears its whole session, pawl charges only what is new, and nothing of the session stays.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { chosenClis } from "./clis.ts";
import { drive } from "./drive.ts";
import { FORGETS, sum } from "./model/turn.ts";
import { verdictWorkflow } from "./verdict.ts";

describe("a report that cannot be read", () => {
	for (const cli of chosenClis())
		it(`${cli.name} is asked for it in the same session`, async () => {
			const driven = await drive({ cli, args: [verdictWorkflow(), FORGETS] });
			assert.equal(driven.code, 0, driven.said.slice(-3000));
			assert.deepEqual(
				driven.attempts.map(({ step, result }) => [step, result]),
				[
					["step-001", "ok"],
					["step-002", "ok"],
					["step-002", "ok"],
				],
			);
			const asked = driven.events.filter(({ event }) => event === "report_asked");
			assert.equal(asked.length, 1);
			assert.match(String(asked[0]?.["missing"]), /no VERDICT line/);

			const [first, second] = driven.asked.filter(({ step }) => step === "review");
			const heard = second?.question?.prompt ?? "";
			assert.ok(heard.startsWith(first?.question?.prompt.slice(0, 200) ?? "-"), "it knows what it was told before");
			assert.equal(heard.split("# review (step-").length, 2, "the prompt is not repeated");
			assert.match(heard, /could not be read[\s\S]*no VERDICT line[\s\S]*VERDICT: ACCEPTABLE/);

			const charged = sum([second?.tokens ?? { input: 0, cached: 0, output: 0 }]);
			assert.equal(driven.attempts[2]?.usage.inputTokens, charged.input + charged.cached);
			assert.equal(existsSync(join(driven.repo, ".pawl", "latest", "sessions", ".unread", "US-001")), false);
			assert.deepEqual(driven.left, []);
		});
});
