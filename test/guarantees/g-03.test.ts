// G-03: nobody else's commits are ever taken off a branch: what is put back is what the attempt did. How git tells them apart is the
// workspace's part, with real git; that everything else leaves them alone is walked here.
import assert from "node:assert/strict";
import { fails } from "../../src/engine/testing/cast.suite.ts";
import type { Harness } from "../../src/engine/testing/harness.suite.ts";
import { alsoIn } from "./also-in.ts";
import { retried, walk } from "./walk.ts";

/** In the checkout that the user is in, which is the session's own where the path works in the tree. */
const commits = ({ site }: Harness, name: string): string => site.user.commitAsPerson(name, "mine\n");

walk(
	"G-03 a person commits while an attempt is at work, and while none is: both stay when it is put back",
	({ path, driver, isWriter }) => {
		let at: Harness | null = null;
		let committed = false;
		return {
			begin: (h) => {
				at = h;
			},
			killed: (h) => void commits(h, "after-the-kill.txt"),
			play: (turn, usual) => {
				if (!isWriter(turn) || committed || at === null) return usual();
				committed = true;
				const [file] = path.change;
				turn.files.write(file.replace("mended", "half"), "half\n");
				// The roles of gated may not commit.
				if (path.name !== "gated") turn.checkout.commitAll("half of it");
				commits(at, "mine.txt");
				return fails("agent_error", "it gave up");
			},
			holds: async (h, state) => {
				assert.ok(committed);
				if (state.status === "failed" && path.resumes !== false) await retried(h);
				const base = h.site.show("main");
				const user = path.workspace === "tree" ? h.site.show(path.branch) : base;
				for (const name of ["mine.txt", ...(driver === "resumed" ? ["after-the-kill.txt"] : [])]) {
					assert.equal(user[name], "mine\n", `${name} was taken off the branch`);
					assert.equal(h.site.user.files.read(name), "mine\n", `${name} is gone from the checkout`);
				}
				// What a worker of ralph committed stays, however its iteration ends: the next one continues from it.
				if (path.name !== "ralph") assert.equal(h.site.show(path.branch)["half.txt"], undefined);
			},
		};
	},
);

alsoIn("G-03", "src/workspace/refs/sessions.test.ts", "src/workspace/refs/unwatched.test.ts", "test/pipelines/pulled-tree.test.ts");
