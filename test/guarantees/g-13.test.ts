// G-13: a limit limits. A cost limit that a person set stops the run when it is reached, and after a session that does not say what it cost.
import assert from "node:assert/strict";
import type { Reply } from "../../src/engine/testing/cast.suite.ts";
import { alsoIn } from "./also-in.ts";
import { goOn, type LeftOut, type Scenario, type Walked, walk } from "./walk.ts";

const costs = (said: Reply, costUsd: number | null): Reply => ({
	...(typeof said === "object" ? said : { text: said ?? "Done." }),
	usage: { costUsd, inputTokens: null, outputTokens: null },
});
const LIMIT = 2;

/** The next walk has their rows. */
const unpriced: LeftOut = (_, driver) => (driver === "pulled" ? "nobody says what a session costs that pawl did not start" : null);

const costly = ({ path }: Walked): Scenario => {
	return {
		options: { options: { ...path.options.options, budgets: { cost: LIMIT } } },
		play: async (_, usual) => costs(await usual(), 1),
		holds: async (h, state) => {
			assert.equal(state.status, "stopped");
			assert.equal(state.totals.costUsd, LIMIT);
			if (path.resumes === false) return;
			const extended = await goOn(h, { type: "extend", at: h.clock.now(), budgets: { cost: 1000 } });
			assert.equal(extended.status, "completed", extended.reason ?? "");
		},
	};
};

walk("G-13 sessions that cost: none starts beyond the limit, and extended the run goes on", costly, unpriced);

walk("G-13 a session that does not say what it cost: the run stops after it and says what to set", ({ path, driver }) => ({
	options: { options: { ...path.options.options, agents: 1, budgets: { cost: LIMIT } } },
	play: async (_, usual) => costs(await usual(), null),
	holds: (h, state) => {
		assert.equal(state.status, "stopped");
		assert.match(state.reason ?? "", /prices.*--allow-unknown-cost/);
		assert.ok(h.prompts.length <= (driver === "resumed" ? 2 : 1), `${h.prompts.length} sessions`);
	},
}));

alsoIn("G-13", "test/cli/limits.test.ts");
