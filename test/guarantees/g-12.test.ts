// G-12: no conflict marker reaches base: added lines that are markers fail the merge as a conflict. In the table, whatever makes a merge a
// conflict keeps the story off base until it is resolved.
import assert from "node:assert/strict";
import { alsoIn } from "./also-in.ts";
import { type LeftOut, type Scenario, type Walked, walk } from "./walk.ts";

const unmerged: LeftOut = ({ workspace }) => (workspace === "worktree" ? null : "nothing is merged");

const conflicts = ({ isWriter }: Walked): Scenario => {
	const shared = "shared.txt";
	let landed = false;
	let land = (): void => {};
	return {
		options: {
			stories: ["US-1"],
			options: {},
			files: { "README.md": "a project\n", [shared]: "1\n2\n3\n" },
		},
		begin: (h) => {
			land = () => {
				landed = true;
				h.site.user.files.write(shared, "1\n2 of a person\n3\n");
				h.site.user.commitAll("by a person");
			};
		},
		play: async (turn, usual) => {
			const said = await usual();
			if (turn.type === "rebase_resolve" || (isWriter(turn) && landed)) turn.checkout.mergeOurs("main");
			if (isWriter(turn)) turn.files.write(shared, "1\n2 of the story\n3\n");
			// A person is faster, while the story is under way.
			if (isWriter(turn) && !landed) land();
			return said;
		},
		holds: async (h, state) => {
			assert.equal(state.status, "completed", state.reason ?? "");
			const conflicts = (await h.events()).filter((e) => e.event === "route_taken" && e.signal === "conflict");
			assert.equal(conflicts.length, 1);
			assert.equal(h.site.show("main")[shared], "1\n2 of the story\n3\n");
			assert.equal(h.site.subjects("main").filter((subject) => subject.includes("US-1")).length, 1);
		},
	};
};

walk("G-12 a story that conflicts with base goes back to be resolved, and only then lands", conflicts, unmerged);

alsoIn("G-12", "src/workspace/merge/markers.test.ts");
