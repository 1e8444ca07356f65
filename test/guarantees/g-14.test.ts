// G-14: an account that is out of money is one failure of the run, not of every story; afterwards the run goes on.
import assert from "node:assert/strict";
import { fails } from "../../src/engine/testing/cast.suite.ts";
import { alsoIn } from "./also-in.ts";
import { goOn, retried, walk } from "./walk.ts";

walk("G-14 out of credit: one session finds out, the run stops, and a resume completes it", ({ path, driver, isWriter }) => {
	let asked = 0;
	// An agent that comes for its step has an account of its own: what it says is the reason of that attempt, and the next one goes on.
	if (driver === "pulled")
		return {
			play: (turn, usual) => (isWriter(turn) && ++asked === 1 ? fails("out_of_credit", "your credit is used up") : usual()),
			holds: async (h, state) => {
				const reasons = (await h.events()).flatMap((e) =>
					e.event === "route_taken" && e.signal === "agent_error" ? [e.reason ?? ""] : [],
				);
				assert.match(reasons.join("\n"), /your credit is used up/);
				if (path.resumes === false) return;
				const last = state.status === "failed" ? await retried(h) : state;
				assert.equal(last.status, "completed", last.reason ?? "");
				assert.ok(asked > 1);
			},
		};
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
