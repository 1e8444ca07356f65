// G-12: no conflict marker reaches base: added lines that are markers fail the merge as a conflict, and where nothing is merged they fail the
// checks of what is delivered. Whatever makes a merge a conflict keeps the story off base until it is resolved.
import assert from "node:assert/strict";
import type { Turn } from "../../src/engine/testing/cast.suite.ts";
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

const givenUp = (walked: Walked): Scenario | string => {
	if (!Object.values(walked.definition.types).some(({ checks }) => checks.includes("on-base")))
		return "no step of the workflow looks whether a story is on top of base";
	const resolves = conflicts(walked);
	const turns: string[] = [];
	return {
		...resolves,
		play: async (turn, usual) => {
			if (turn.type !== "rebase_resolve") {
				turns.push(turn.type);
				return resolves.play?.(turn, usual) ?? usual();
			}
			turns.push(`rebase_resolve${turn.prompt.includes("is not on top of main: it lacks") ? ", told" : ""}`);
			// The first one says that it has rebased, and has not.
			return turns.includes("rebase_resolve, told") ? (resolves.play?.(turn, usual) ?? usual()) : usual();
		},
		holds: async (h, state) => {
			await resolves.holds(h, state);
			const first = turns.indexOf("rebase_resolve");
			assert.deepEqual(turns.slice(first), ["rebase_resolve", "rebase_resolve, told", "final_review"]);
		},
	};
};

walk("G-12 a conflict that was said to be resolved and was not goes back at once, with what is missing", givenUp, unmerged);

const merged: LeftOut = ({ workspace }) =>
	workspace === "worktree" ? "the merge looks for markers itself, with real git: src/workspace/merge/markers.test.ts" : null;

const committed = ({ path, mayWrite }: Walked): Scenario => {
	const [file, text] = path.change;
	const told = path.told ?? ((turn: Turn) => turn.prompt);
	let isTold = false;
	return {
		play: async (turn, usual) => {
			const said = await usual();
			if (!mayWrite(turn)) return said;
			if (told(turn).includes("conflict marker")) isTold = true;
			turn.files.write(file, isTold ? text : `<<<<<<< HEAD\n${text}=======\n${text}>>>>>>> theirs\n`);
			return said;
		},
		holds: (h, state) => {
			assert.equal(state.status, "completed", state.reason ?? "");
			assert.ok(isTold, "nobody was told");
			assert.equal(h.site.show(path.branch)[file], text);
		},
	};
};

walk("G-12 markers in what would be delivered: whoever wrote last is told where they are, and only then it is", committed, merged);

alsoIn("G-12", "src/workspace/merge/markers.test.ts");
