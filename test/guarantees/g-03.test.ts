// G-03: nobody else's commits are ever taken off a branch: what is put back is what the attempt did. Work in the user's own tree, where a
// person and a session share one branch, needs real git.
import assert from "node:assert/strict";
import { fails } from "../../src/engine/testing/cast.suite.ts";
import { alsoIn } from "./also-in.ts";
import { retried, walk } from "./walk.ts";

walk("G-03 a person commits on base while an attempt fails and is put back: the commit stays", ({ path, isWriter }) => {
	if (path.workspace === "tree") return null;
	let mine = "";
	let commit = (): string => "";
	return {
		begin: (h) => {
			commit = () => {
				h.site.user.files.write("mine.txt", "mine\n");
				return h.site.user.commitAll("by a person");
			};
		},
		play: (turn, usual) => {
			if (!isWriter(turn) || mine !== "") return usual();
			mine = commit();
			turn.files.write("half.txt", "half\n");
			return fails("agent_error", "it gave up");
		},
		holds: async (h, state) => {
			if (state.status === "failed") await retried(h);
			assert.ok(h.site.git.ancestors(h.site.git.refs.get("refs/heads/main") ?? "").has(mine), "the commit of a person is gone");
			assert.equal(h.site.user.files.read("mine.txt"), "mine\n");
			assert.equal(h.site.show(path.branch)["half.txt"], undefined);
		},
	};
});

alsoIn("G-03", "src/workspace/refs/sessions.test.ts", "src/workspace/refs/unwatched.test.ts", "test/pipelines/pulled-tree.test.ts");
