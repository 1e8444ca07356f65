// What the checks of a merge see, and what a merge waits for.
import assert from "node:assert/strict";
import { test } from "node:test";
import { storyOf } from "../../core/testing/builders.suite.ts";
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

test("I9 a run that is stopped between two checks of a merge merges nothing; resumed, it runs both", async (t) => {
	let merges = 0;
	const ran: string[] = [];
	const onMerged =
		(name: string, then: () => Promise<void> = async () => {}) =>
		async (_: unknown, { branch }: { branch: string | null }) => {
			if (branch !== null) return 0;
			ran.push(name);
			await then();
			return 0;
		};
	const h = await harness(t, {
		...dynamic,
		stories: ["US-1"],
		options: {},
		checks: {
			first: onMerged("first", async () => {
				if (merges++ > 0) return;
				await h.post({ type: "stop", at: h.clock.now(), how: "pause" });
				await new Promise<void>((stopped) => h.clock.after(1_000, stopped));
			}),
			second: onMerged("second"),
		},
		cast: {
			...dynamic.cast,
			final_review: () => {
				h.site.user.files.write("of the user.txt", "mine\n");
				h.site.user.commitAll("mine");
			},
		},
	});
	assert.equal((await h.toHalt()).status, "paused");
	assert.deepEqual(h.site.subjects("main"), ["first", "mine"]);
	assert.equal((await h.toHalt()).status, "completed");
	assert.deepEqual(ran, ["first", "first", "second"]);
	assert.deepEqual(await violations(h), []);
});

test("I7 a run that is cancelled while base moves has that merge in its journal, and the story is done", async (t) => {
	const h = await harness(t, { ...dynamic, stories: ["US-1"], options: {} });
	const ended = await h.drive((boundary) => {
		if (boundary !== "announced merge") return "go";
		void h.post({ type: "stop", at: h.clock.now(), how: "cancel" });
		return { wait: 5_000 };
	});
	assert.equal(ended.how, "halted");
	const state = await h.state();
	assert.deepEqual([state.status, state.stories[0]?.status], ["cancelled", "completed"]);
	assert.deepEqual(h.site.subjects("main"), ["first", "feat(ralph): US-1 - Story US-1"]);
	assert.deepEqual(await violations(h), []);
});

test("a repair is checked first by what failed, and by nothing else while that fails", async (t) => {
	const ran: string[] = [];
	let tries = 0;
	const says = (name: string, answer: () => number) => () => {
		ran.push(name);
		return answer();
	};
	const h = await harness(t, {
		...dynamic,
		stories: ["US-1"],
		options: {},
		checks: { a: says("a", () => 0), b: says("b", () => (tries++ < 2 ? 1 : 0)), c: says("c", () => 0) },
		cast: { ...dynamic.cast, coding: ({ files }) => files.write("US-1.txt", `${tries}\n`) },
	});
	assert.equal((await h.toHalt()).status, "completed");
	assert.deepEqual(ran, ["a", "b", "c", "b", "b", "a", "c"]);
	assert.deepEqual(
		(await h.events()).flatMap((e) => (e.event === "checks_recorded" && e.step === "merge-1" ? e.checks.map((c) => c.reused) : [])),
		[true, true, true],
	);
});

test("G-07 G-16 a merge waits while the user's checkout of base is dirty, with fewer and fewer words in the journal, and goes on by itself", async (t) => {
	const h = await harness(t, {
		...dynamic,
		stories: ["US-1"],
		options: {},
		user: (site) => site.user.files.write("README.md", "being edited\n"),
	});
	h.clock.after(120_000, () => void h.site.user.commitAll("edited"));
	assert.equal((await h.toHalt()).status, "completed");
	const tries = (await h.events()).flatMap((e) => (e.event === "step_started" && e.role === "merge" ? [e.at] : []));
	const [first = 0, second = 0] = tries;
	const last = tries.at(-1) ?? 0;
	assert.equal(second - first, 2_000);
	assert.ok(tries.length <= 6, `${tries.length} tries in two minutes`);
	assert.ok(last - first > 60_000 && last - first < 140_000, String(last - first));
	assert.deepEqual(h.site.subjects("main").slice(1), ["edited", "feat(ralph): US-1 - Story US-1"]);
	assert.deepEqual(await violations(h), []);
});

test("G-07 a merge of a pulled run that waits for a clean checkout goes on when an agent asks again after the wait", async (t) => {
	const h = await harness(t, {
		...dynamic,
		stories: ["US-1"],
		options: {},
		pulled: true,
		user: (site) => site.user.files.write("README.md", "being edited\n"),
	});
	h.clock.after(120_000, () => void h.site.user.commitAll("edited"));
	assert.equal((await h.toHalt()).status, "completed");
	const tries = (await h.events()).filter((e) => e.event === "step_started" && e.role === "merge");
	assert.ok(tries.length > 1, "it had to wait");
	assert.deepEqual(h.site.subjects("main").slice(1), ["edited", "feat(ralph): US-1 - Story US-1"]);
	assert.deepEqual(await violations(h), []);
});

test("G-03 a merge waits for the run that works in the checkout of base, says for whom, and goes on by itself", async (t) => {
	const h = await harness(t, {
		...dynamic,
		stories: ["US-1"],
		options: {},
		user: (site) => {
			site.treeHolder = { repository: {}, run: "20260101-120000-abcd" };
		},
	});
	h.clock.after(120_000, () => {
		h.site.treeHolder = null;
	});
	assert.equal((await h.toHalt()).status, "completed");
	const waits = (await h.events()).filter((e) => JSON.stringify(e).includes("where run 20260101-120000-abcd works; the merge goes on"));
	assert.ok(waits.length > 0);
	assert.deepEqual(h.site.subjects("main").slice(1), ["feat(ralph): US-1 - Story US-1"]);
	assert.deepEqual(await violations(h), []);
});

test("D-142 stories that merge cleanly and break together: the checks on the merged tree send the second one back", async (t) => {
	const h = await harness(t, {
		...dynamic,
		// Each alone is fine.
		checks: {
			test: (files) => (files.read("US-1.txt") !== null && files.read("US-2.txt") !== null && files.read("both-ok") === null ? 1 : 0),
		},
		cast: {
			...dynamic.cast,
			coding: async ({ files, story, takes }) => {
				// Both are at work at the same time.
				await takes(60_000);
				files.write(files.read(`${story}.txt`) === null ? `${story}.txt` : "both-ok", `${story}\n`);
			},
		},
	});
	assert.equal((await h.toHalt()).status, "completed");
	const back = (await h.events()).filter((e) => e.event === "route_taken" && e.signal === "checks_failed");
	assert.equal(back.length, 1);
	assert.deepEqual(Object.keys(h.site.show("main")).sort(), ["README.md", "US-1.txt", "US-2.txt", "both-ok"]);
	assert.deepEqual(await violations(h), []);
});

test("X-19 a story that changes nothing fails without a commit, the others land; one that need not change anything completes", async (t) => {
	const h = await harness(t, {
		...dynamic,
		stories: ["US-1", "US-2", storyOf("US-3", { expectsChange: false })],
		cast: { ...dynamic.cast, coding: "## SUMMARY\n- nothing to do\n", "US-2 coding": ({ files }) => files.write("US-2.txt", "x\n") },
	});
	const state = await h.toHalt();
	assert.deepEqual(Object.fromEntries(state.stories.map((s) => [s.id, s.status])), {
		"US-1": "failed",
		"US-2": "completed",
		"US-3": "completed",
	});
	assert.deepEqual(h.site.subjects("main").slice(1), ["feat(ralph): US-2 - Story US-2"]);
	assert.deepEqual(await violations(h), []);
});

test("G-23 a merged story whose commit is gone from base at the end fails the run by name; brought back, a retry finds it", async (t) => {
	let merged = "";
	let of: Readonly<Record<string, string>> = {};
	const h = await harness(t, {
		...dynamic,
		stories: ["US-1", "US-2"],
		cast: {
			...dynamic.cast,
			// Both begin on the same base; the first is merged meanwhile.
			final_review: async ({ story, takes }) => {
				if (story !== "US-2") return;
				await takes(600_000);
				const { git } = h.site;
				merged = git.refs.get("refs/heads/main") ?? "";
				of = h.site.show("main");
				const [first] = git.at(merged).parents;
				git.refs.set("refs/heads/main", first ?? "");
				h.site.user.put(git.at(first ?? "").tree);
			},
		},
	});
	const ended = await h.toHalt();
	assert.equal(ended.status, "failed");
	assert.match(
		ended.reason ?? "",
		new RegExp(`^US-1 was merged into main as ${merged.slice(0, 12)}, and main no longer holds that commit`),
	);
	assert.deepEqual(h.site.subjects("main"), ["first", "feat(ralph): US-2 - Story US-2"]);
	for (const [path, text] of Object.entries(of)) h.site.user.files.write(path, text);
	h.site.user.commitAll("picked again, under another subject");
	await h.post({ type: "retry_story", at: h.clock.now(), story: null });
	assert.equal((await h.toHalt()).status, "completed");
	assert.deepEqual(
		(await h.events()).flatMap((e) => (e.event === "merges_looked_for" ? [e.missing.map((one) => one.story)] : [])),
		[["US-1"], []],
	);
});
