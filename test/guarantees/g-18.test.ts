// G-18: the same finding is the same finding: a reviewer is shown the findings of earlier rounds with their keys.
import assert from "node:assert/strict";
import { alsoIn } from "./also-in.ts";
import { walk } from "./walk.ts";

const FINDING = "- [naming] code: README.md:1 says nothing about sums";

walk("G-18 the next round of a review knows what the round before found", ({ definition }) => {
	const gates = Object.values(definition.types).filter((type) => type.kind === "gate");
	if (gates.length === 0) return "the workflow has no gate";
	let rejected: { type: string; story: string } | null = null;
	return {
		play: async (turn, usual) => {
			if (turn.role !== "check" || rejected !== null) return usual();
			rejected = { type: turn.type, story: turn.story };
			return `VERDICT: ${definition.name === "gated" ? "NEEDS WORK" : "BAD"}\nFINDINGS:\n${FINDING}\n`;
		},
		holds: (h, state) => {
			assert.ok(rejected !== null);
			const { type, story } = rejected;
			const rounds = h.prompts.filter((one) => one.type === type && one.story === story && one.role === "check");
			assert.ok(rounds.length > 1, "there was no second round");
			assert.match(rounds[1]?.prompt ?? "", /<earlier_findings>[^<]*\[naming\]/);
			assert.match(rounds[1]?.prompt ?? "", /EARLIER:/, "nobody says how to answer for it");
			assert.equal(state.status, "completed", state.reason ?? "");
		},
	};
});

alsoIn("G-18", "src/core/finding.test.ts");
