// What the checks of a merge see, and what a merge waits for.
import assert from "node:assert/strict";
import { test } from "node:test";
import { BUILT_IN } from "../testing/built-in.suite.ts";
import { harness } from "../testing/harness.suite.ts";
import { violations } from "../testing/invariants.suite.ts";

const dynamic = BUILT_IN["dynamic"]!;

test("D-138 a merged tree that nobody has checked yet is checked as it will be on base: at its commit, on no branch", async (t) => {
	const seen: (string | null)[] = [];
	const h = await harness(t, {
		...dynamic,
		stories: ["US-1"],
		options: {},
		checks: {
			test: (files, checkout) => {
				if (files.read("of the user.txt") === null) return 0;
				assert.deepEqual(checkout.look(), checkout.committed());
				seen.push(checkout.branch);
				return 0;
			},
		},
		cast: {
			...dynamic.cast,
			final_review: () => {
				h.site.user.files.write("of the user.txt", "mine\n");
				h.site.user.commitAll("mine");
			},
		},
	});
	assert.equal((await h.toHalt()).status, "completed");
	assert.deepEqual(seen, [null]);
	assert.deepEqual(h.site.subjects("main"), ["first", "mine", "feat(ralph): US-1 - Story US-1"]);
});

test("a merge waits while the user's checkout of base is dirty, looks ever later, and goes on by itself", async (t) => {
	const h = await harness(t, {
		...dynamic,
		stories: ["US-1"],
		options: {},
		user: (site) => site.user.files.write("README.md", "being edited\n"),
	});
	h.clock.after(120_000, () => void h.site.user.commitAll("edited"));
	assert.equal((await h.toHalt()).status, "completed");
	const tries = (await h.events()).flatMap((e) => (e.event === "step_started" && e.role === "merge" ? [e.at] : []));
	const waits = tries.slice(1).map((at, n) => at - (tries[n] ?? 0));
	assert.deepEqual(waits.slice(0, 5), [2_000, 4_000, 8_000, 15_000, 15_000]);
	assert.deepEqual(h.site.subjects("main").slice(1), ["edited", "feat(ralph): US-1 - Story US-1"]);
	assert.deepEqual(await violations(h), []);
});
