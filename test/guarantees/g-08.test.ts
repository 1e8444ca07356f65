// G-08: boundaries hold for pulled steps, members of gates and iterations of loops exactly as for sessions that pawl starts.
import assert from "node:assert/strict";
import { alsoIn } from "./also-in.ts";
import { walk } from "./walk.ts";

walk("G-08 one that may only look writes: nothing of it is delivered, and it is said", ({ path, definition, isReader }) => {
	let crossed = false;
	return {
		play: (turn, usual) => {
			if (isReader(turn) && !crossed) {
				crossed = true;
				turn.files.write("sneaky.txt", "x\n");
				// What may be written is said for a loop as a whole; a role of it may still be one that cannot commit.
				if (definition.name === "own-loop") turn.checkout.commitAll("sneaky");
			}
			return usual();
		},
		holds: async (h) => {
			assert.ok(crossed, "the reader was never asked");
			assert.equal(h.site.show(path.branch)["sneaky.txt"], undefined);
			assert.equal(h.site.user.files.read("sneaky.txt"), null);
			const said = [...h.warnings, JSON.stringify(await h.events())].join("\n");
			assert.ok(/sneaky\.txt|may not commit/.test(said), "nobody says it");
		},
	};
});

alsoIn("G-08", "test/pipelines/pulled-prd.test.ts");
