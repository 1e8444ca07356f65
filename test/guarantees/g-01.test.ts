// G-01: no run ends completed, and no story passes, unless every check of the run passed on exactly the tree that is delivered. A red check
// goes back to whoever wrote last, at least once.
import assert from "node:assert/strict";
import type { Checkout } from "../../src/engine/testing/memory-checkout.suite.ts";
import { alsoIn } from "./also-in.ts";
import type { Path } from "./paths.ts";
import { walk } from "./walk.ts";

const CLUE = "clue-4711";

walk("G-01 a check that stays red: nothing is completed", ({ path }) => {
	let asked = 0;
	const test = () => ({ exitCode: ++asked, output: CLUE });
	return {
		options: { checks: { test } },
		holds: (h, state) => {
			assert.notEqual(state.status, "completed");
			assert.deepEqual(
				state.stories.filter((story) => story.status === "completed").map((story) => story.id),
				[],
			);
			assert.ok(asked > 1, `the check ran ${asked} times, so nobody got it back`);
			if (path.workspace === "worktree") assert.deepEqual(h.site.subjects(path.branch), ["first"]);
		},
	};
});

walk("G-01 a check that is mended: completed, and what is delivered is what passed", ({ path, mayWrite }) => {
	const [file, text] = path.change;
	const green = new Set<string>();
	const told = path.told ?? ((turn) => turn.prompt);
	return {
		options: {
			checks: {
				test: (files, checkout) => {
					if (files.read(file) !== text) return { exitCode: 1, output: CLUE };
					green.add(treeOf(path, checkout.look()));
					return 0;
				},
			},
		},
		play: async (turn, usual) => {
			const said = await usual();
			if (mayWrite(turn) && told(turn).includes(CLUE)) turn.files.write(file, text);
			return said;
		},
		holds: (h, state) => {
			assert.equal(state.status, "completed", state.reason ?? "");
			assert.ok(green.has(treeOf(path, new Map(Object.entries(h.site.show(path.branch))))), "no check passed on the delivered tree");
		},
	};
});

const treeOf = ({ records }: Path, tree: ReturnType<Checkout["look"]>): string =>
	JSON.stringify([...tree].filter(([name]) => !records?.test(name)).sort(([a], [b]) => (a < b ? -1 : 1)));

alsoIn("G-01", "test/scenario/checks.test.ts");
