// Questions about a state, each with the states in which the answer differs.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Story } from "./model.ts";
import {
	droppedStories,
	expectsWork,
	failedByAccount,
	hasStoryTrees,
	isLastOfLine,
	isSameStory,
	sideBySide,
	startOfWork,
	storySlots,
} from "./query.ts";
import { linear, stories, storyOf, type TypePart } from "./testing/builders.suite.ts";
import { World } from "./testing/world.suite.ts";

const definition = stories(
	{ work: {} },
	{},
	{
		inputs: {
			tree: { reader: "request", workspace: "tree" },
			prd: { reader: "prd", workspace: "worktree" },
			own: { reader: "request", workspace: "branch" },
		},
	},
);
const world = (mode: string, agents: number, ...more: Parameters<typeof storyOf>[1][]) =>
	new World(definition, { stories: more.map((one, i) => storyOf(`S${i + 1}`, one)), options: { mode, agents } }).state;

test("T-18 stories run side by side with several agents, if some name another or each says that it needs none", () => {
	const free = { independent: true } as const;
	assert.equal(sideBySide(world("prd", 2, {}, { dependsOn: ["S1"] })), true);
	assert.equal(sideBySide(world("prd", 2, free, free)), true);
	assert.equal(sideBySide(world("prd", 2, free, {})), false, "one says nothing");
	assert.equal(sideBySide(world("prd", 2, free)), false, "one alone");
	assert.equal(sideBySide(world("prd", 1, free, free)), false, "one agent");
	assert.equal(sideBySide(world("prd", 2)), false, "none");
});

test("stories have worktrees of their own on worktrees, on a branch if they run side by side, and never in the tree", () => {
	const free = { independent: true } as const;
	assert.deepEqual([hasStoryTrees(world("prd", 1, {})), hasStoryTrees(world("tree", 2, free, free))], [true, false]);
	assert.deepEqual([hasStoryTrees(world("own", 2, free, free)), hasStoryTrees(world("own", 2, {}, {}))], [true, false]);
	assert.deepEqual(storySlots(world("own", 3, {})), [2, 3], "the first worktree is the run's");
	assert.deepEqual([storySlots(world("own", 1, {})), storySlots(world("prd", 2, {}))], [[1], [1, 2]]);
});

test("where work began is the first commit of the first step that had one, however often it ran", () => {
	const w = new World(stories({ merge: { kind: "action", action: "merge" }, work: { on: { bad: { action: "retry" } } } }), {
		stories: ["A"],
	});
	assert.equal(startOfWork(w.scope("A")), null);
	w.end("merge", { signal: "done" });
	w.end("work", { signal: "bad" });
	w.prepare(w.job("work"));
	assert.equal(startOfWork(w.scope("A")), "commit-of-step-001-1");
});

test("something has to come out of a run whose stories changed something, or whose own steps had to", () => {
	const w = new World(stories({ work: {} }), { stories: ["A", "B"] });
	assert.equal(expectsWork(w.state), false);
	w.end("A work", { changed: false });
	assert.equal(expectsWork(w.state), false, "it changed nothing");
	w.end("B work", { changed: true });
	assert.equal(expectsWork(w.state), true);
	const root = new World(linear({ look: {}, work: { expectsChange: true } }));
	root.end("look");
	assert.equal(expectsWork(root.state), false);
	root.end("work");
	assert.equal(expectsWork(root.state), true);
});

test("G-14 what failed for want of money or a login is found: of stories, of the run, and not where it cannot go on", () => {
	const fails: TypePart = { on: { bad: { action: "fail", target: "story" } } };
	const failed = (signal: string, resume: "yes" | "never" = "yes") => {
		const w = new World({ ...stories({ work: fails }), resume }, { stories: ["A", "B"], options: { agents: 2 } });
		w.end("A work", { signal });
		return { w, names: failedByAccount(w.state).stories.map(({ id }) => id) };
	};
	assert.deepEqual(failed("out_of_credit").names, ["A"]);
	assert.deepEqual(failed("auth").names, ["A"]);
	assert.deepEqual(failed("out_of_credit", "never").names, []);
	const other = failed("bad");
	other.w.end("B work", { signal: "bad" });
	assert.equal(other.w.state.status, "failed");
	assert.deepEqual(failedByAccount(other.w.state), { stories: [], root: null });
	const root = new World(linear({ work: {} }));
	assert.deepEqual(failedByAccount(root.state), { stories: [], root: null });
	root.end("work", { signal: "out_of_credit" });
	assert.equal(failedByAccount(root.state).root?.type, "work");
});

test("D-51 of a line of copies the last one counts", () => {
	const w = new World(stories({ work: {} }), { stories: ["A"] });
	w.end("work", "lost");
	const { steps } = w.scope("A");
	assert.deepEqual(
		steps.map((step) => isLastOfLine(steps, step)),
		[false, true],
	);
});

test("G-19 a story is the same by its id, or by its title and either its description or its criteria", () => {
	const one = { id: "1", title: "Tests", description: "of a", criteria: ["x"] };
	assert.equal(isSameStory(one, { ...one, title: "Other", description: "", criteria: [] }), true, "by its id");
	assert.equal(isSameStory(one, { ...one, id: "2", title: " Tests " }), true);
	assert.equal(isSameStory(one, { ...one, id: "2", criteria: [] }), true, "by its description");
	assert.equal(isSameStory(one, { ...one, id: "2", description: "of b" }), true, "by its criteria");
	assert.equal(isSameStory(one, { ...one, id: "2", description: "of b", criteria: [] }), false, "a title alone");
	assert.equal(isSameStory(one, { ...one, id: "2", title: "Other" }), false);
	const story = (id: string, title: string) => ({ id, title, description: title, criteria: [] }) as unknown as Story;
	const state = {
		stories: [story("1", "a"), story("9", "b")],
		replaced: [story("1", "a"), story("2", "b"), story("3", "c"), story("3", "c")],
	};
	assert.deepEqual(
		droppedStories(state as never).map(({ id }) => id),
		["3"],
		"kept, moved, and dropped once",
	);
	assert.deepEqual(droppedStories({ stories: [] } as never), []);
});
