// G-02: a red or unusable base is found before the first session: setup and checks run once on base, in the kind of place where the work
// will happen. How a fresh worktree is made ready needs real git: `real-rows.ts` shows it for each driver.
import assert from "node:assert/strict";
import type { Turn } from "../../src/engine/testing/cast.suite.ts";
import { alsoIn } from "./also-in.ts";
import { walk } from "./walk.ts";

const RED = "test: `npm test` exited 1\nexpected-one-got-two-6612";

walk("G-02 a check that was red before the run began: whoever works is told which, and what it printed", ({ path, isWriter }) => {
	const told = path.told ?? ((turn: Turn) => turn.prompt);
	let sessions = 0;
	return {
		options: { input: { ...path.options.input, baseline: RED } },
		play: (turn, usual) => {
			if (isWriter(turn)) {
				sessions++;
				for (const line of RED.split("\n")) assert.ok(told(turn).includes(line), `${turn.type} is not told: ${line}`);
			}
			return usual();
		},
		holds: (_, state) => {
			assert.ok(sessions > 0);
			assert.equal(state.status, "completed", state.reason ?? "");
		},
	};
});

alsoIn("G-02", "test/scenario/checks.test.ts", "src/workspace/slot/fresh.test.ts");
