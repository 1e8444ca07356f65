// G-23: merged is what the journal announced and base holds. A commit with our trailers that the journal did not announce counts for nothing.
import assert from "node:assert/strict";
import { alsoIn } from "./also-in.ts";
import { type LeftOut, type Scenario, type Walked, walk } from "./walk.ts";

const unmerged: LeftOut = ({ workspace }) => (workspace === "worktree" ? null : "nothing is merged");

const forges = ({ path }: Walked): Scenario => {
	return {
		play: (turn, usual) => {
			// Forged: it looks like the merge of the story.
			if (turn.type === path.writer)
				turn.checkout.commitAll(`feat(ralph): ${turn.story}\n\nPawl-Run: ${turn.run}\nPawl-Story: ${turn.story}\n`);
			return usual();
		},
		holds: async (h, state) => {
			assert.equal(state.status, "completed", state.reason ?? "");
			const announced = new Set((await h.events()).flatMap((e) => (e.event === "merge_announced" ? [e.commit] : [])));
			const base = h.site.git.ancestors(h.site.git.refs.get("refs/heads/main") ?? "");
			const landed = [...base].filter((id) => h.site.git.at(id).message.includes("\nPawl-Run: "));
			assert.equal(landed.length, state.stories.length);
			for (const commit of landed) assert.ok(announced.has(commit), "nobody announced it");
		},
	};
};

walk("G-23 every completed story is on base exactly once, by a commit that the journal announced", forges, unmerged);

alsoIn(
	"G-23",
	"src/workspace/merge/merge.test.ts",
	"src/workspace/merge/story-start.test.ts",
	"src/workspace/merge/merge-crash.long.test.ts",
);
