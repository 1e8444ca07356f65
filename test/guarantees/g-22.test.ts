// G-22: refs are guarded: what a session does to refs that are not its own counts as a crossed boundary and is said; where a person may have
// done it, pawl asks. That the refs are as they were is the workspace's part, with real git.
import assert from "node:assert/strict";
import { alsoIn } from "./also-in.ts";
import { walk } from "./walk.ts";

walk("G-22 a session deletes a tag: its attempt does not count, and it is said", ({ isWriter }) => {
	let done = false;
	return {
		play: async (turn, usual) => {
			const said = await usual();
			if (!isWriter(turn) || done) return said;
			done = true;
			turn.checkout.refChanges.push({ what: "tag v1", change: "deleted", by: "session", kept: null, putBack: true });
			return said;
		},
		holds: async (h) => {
			assert.ok(done);
			const crossed = (await h.events()).flatMap((e) =>
				e.event === "route_taken" && e.signal === "boundary_violation" ? [e.reason ?? ""] : [],
			);
			assert.match(crossed[0] ?? "", /may move its own branch only, but deleted tag v1: put back/);
		},
	};
});

walk("G-22 somebody moved a branch, and nobody can tell who: the work does not simply go on", ({ isWriter }) => {
	let done = false;
	let after = 0;
	return {
		play: async (turn, usual) => {
			const said = await usual();
			if (done) after++;
			if (!isWriter(turn) || done) return said;
			done = true;
			turn.checkout.refChanges.push({ what: "branch release", change: "moved", by: "unclear", kept: null, putBack: false });
			return said;
		},
		holds: async (h, state) => {
			assert.ok(done);
			const said = JSON.stringify(await h.events());
			assert.ok(/somebody moved branch release, and pawl cannot tell/.test(said), "nobody says what happened");
			assert.ok(state.status === "waiting" || after > 0, "it neither asked nor tried again");
		},
	};
});

alsoIn("G-22", "src/workspace/refs/sessions.test.ts", "test/scenario/bad-trees.test.ts");
