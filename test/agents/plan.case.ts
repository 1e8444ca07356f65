// A plan, with each of the four real CLIs: who asks and is not answered goes on in the same session, and what comes out is a PRD.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { chosenClis } from "./clis.ts";
import { drive } from "./drive.ts";
import { PLANNED } from "./model/turn.ts";

describe("a plan", () => {
	for (const cli of chosenClis())
		it(`${cli.name} writes one, and goes on in its session after a question`, async () => {
			const driven = await drive({ cli, args: ["plan", "Greet louder", "--yes"] });
			assert.equal(driven.code, 0, driven.said.slice(-3000));
			assert.deepEqual(
				driven.attempts.map(({ step, result }) => [step, result]),
				[
					["step-001", "ok"],
					["step-001", "ok"],
				],
			);
			const heard = driven.asked.map(({ question }) => question?.prompt ?? "").findLast((prompt) => prompt.includes("You asked:")) ?? "";
			assert.match(heard, /How loudly\?[\s\S]*Nobody answers\. Decide it yourself/);
			assert.equal(heard.split("Turn the idea below into a plan").length, 3, "it has heard both prompts");
			const { userStories } = JSON.parse(readFileSync(join(driven.repo, "prd.json"), "utf8")) as { userStories: { id: string }[] };
			assert.deepEqual(
				userStories.map(({ id }) => id),
				PLANNED.map(({ id }) => id),
			);
			assert.deepEqual(driven.left, ["?? prd.json"]);
		});
});
