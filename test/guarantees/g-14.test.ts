// G-14: an account that is out of money is one failure of the run, not of every story; afterwards the run goes on.
import assert from "node:assert/strict";
import { fails } from "../../src/engine/testing/cast.suite.ts";
import { alsoIn } from "./also-in.ts";
import { goOn, walk } from "./walk.ts";

walk("G-14 out of credit: one session finds out, the run stops, and a resume completes it", ({ path, driver, isWriter }) => {
	// An agent that comes for its step has an account of its own.
	if (driver === "pulled") return null;
	let asked = 0;
	return {
		play: (turn, usual) =>
			isWriter(turn) && turn.story !== "US-2" && ++asked === 1 ? fails("out_of_credit", "your credit is used up") : usual(),
		holds: async (h, state) => {
			assert.notEqual(state.status, "completed");
			assert.match(state.reason ?? "", /your credit is used up/);
			assert.equal(asked, 1);
			if (path.resumes === false) return;
			const last = await goOn(h);
			assert.equal(last.status, "completed", last.reason ?? "");
		},
	};
});

alsoIn("G-14", "test/cli/limits.test.ts");
