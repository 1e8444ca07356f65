// G-10: leftovers are never delivered in silence: whoever may write is told to commit or remove, and what is left uncommitted is named.
import assert from "node:assert/strict";
import { alsoIn } from "./also-in.ts";
import { walk } from "./walk.ts";

walk("G-10 what a writer leaves uncommitted is kept and named, and its prompt told it to tidy up", ({ path, isWriter }) => {
	let left = false;
	const prompts: string[] = [];
	return {
		play: async (turn, usual) => {
			const said = await usual();
			if (!isWriter(turn)) return said;
			prompts.push(turn.prompt);
			if (!left) turn.files.write("left-over.txt", "left\n");
			left = true;
			return said;
		},
		holds: async (h, state) => {
			assert.ok(left);
			const told = JSON.stringify([await h.events(), h.warnings]);
			assert.ok(told.includes("left-over.txt"), "nobody names it");
			// The roles of gated may not commit: what is not in the spec is no leftover but a boundary that was crossed.
			if (path.name === "gated") return;
			assert.equal(state.status, "completed", state.reason ?? "");
			assert.equal(h.site.show(path.branch)["left-over.txt"], "left\n");
			if (path.told === undefined)
				for (const prompt of prompts) assert.match(prompt, /commit what belongs to the work and remove the rest/i);
		},
	};
});

alsoIn("G-10", "src/workspace/tree/leftovers.test.ts");
