// G-16: the person knows why: each failure, retry and wait has a reason in words about the work, made from the journal by one function that
// the terminal, `status`, `history`, the summary and notifications use.
import assert from "node:assert/strict";
import { fold } from "../../src/core/fold/apply.ts";
import { fails } from "../../src/engine/testing/cast.suite.ts";
import type { Harness } from "../../src/engine/testing/harness.suite.ts";
import { standingReasons, WhyReader } from "../../src/runs/look/why.ts";
import { alsoIn } from "./also-in.ts";
import { walk } from "./walk.ts";

const WHY = "the parser of dates was out of reach";

walk("G-16 whatever becomes of an attempt that fails, a person is told why", ({ isWriter }) => {
	let failed = 0;
	return {
		play: (turn, usual) => (isWriter(turn) && failed++ === 0 ? fails("agent_error", WHY) : usual()),
		holds: async (h, state) => {
			const said = await reasonsOf(h);
			assert.ok(
				said.some((reason) => reason.includes(WHY)),
				said.join("\n"),
			);
			if (state.status !== "completed") assert.notDeepEqual(standingReasons(await h.events(), state), []);
			for (const reason of said) assert.notEqual(reason, "");
		},
	};
});

async function reasonsOf(h: Harness): Promise<readonly string[]> {
	const events = await h.events();
	const reader = new WhyReader();
	return events.flatMap((event, n) => {
		const state = fold(events.slice(0, n + 1));
		const why = state === null ? null : reader.read(event, state);
		return why === null ? [] : [why.reason];
	});
}

alsoIn("G-16", "test/cli/notify.test.ts");
