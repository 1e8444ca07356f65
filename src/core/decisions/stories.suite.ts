// Stories: which starts next and where, what ends them, when the run is over, and what is asked before it ends.
import type { Each, Route } from "../definition.ts";
import { definitionOf, failedCheck, linear, outcomeOf, plan, stories, storyOf, type TypePart } from "../testing/builders.suite.ts";
import { type Setup, World } from "../testing/world.suite.ts";
import { type Scenarios, untold } from "./tell.suite.ts";

const failStory: Route = { action: "fail", target: "story" };
const bad = { signal: "bad" };
const each = (more: Partial<Each> = {}, setup: Setup = {}, types: Record<string, TypePart> = {}, rest = {}) =>
	new World(stories({ work: { on: { bad: failStory } }, ...types }, more, rest), setup);
const prove: TypePart = { kind: "action", proves: true, on: { checks_failed: { action: "next" } } };
const red = { checks: [failedCheck()] };
const MERGE: TypePart = { kind: "action", action: "merge", internal: true, on: { merged: { action: "next" } } };
const merged = (w: World, story: string, ...commits: readonly string[]) => {
	w.until(`${story} merge`);
	const { scope, step, attempt } = w.job(`${story} merge`);
	for (const commit of commits) w.feed({ type: "merge_announced", scope, step, attempt, commit });
	w.end(`${story} merge`, { signal: "merged" });
	return w;
};

/** Two stories of group q and one of s are done; then A or B, which another needs, comes next. */
const weighed = (took: readonly [number, number, number], groups: Readonly<Record<"A1" | "B1", string | null>>) => {
	const first = (id: string, group: string) => storyOf(id, { priority: 0, group });
	const behind = (id: "A1" | "B1", needs: string) => {
		const group = groups[id];
		return storyOf(id, { dependsOn: [needs], ...(group === null ? {} : { group }) });
	};
	const w = each({}, { stories: [first("q1", "q"), first("q2", "q"), first("s1", "s"), "A", "B", behind("A1", "A"), behind("B1", "B")] });
	for (const [i, id] of ["q1", "q2", "s1"].entries()) {
		w.at += took[i] ?? 0;
		untold(w).end(`${id} work`);
	}
	return w;
};

export const STORIES: Scenarios = {
	"by priority, then in the order of the list": () =>
		each({}, { stories: [storyOf("A", { priority: 2 }), storyOf("B"), storyOf("C")], options: { agents: 2 } }),
	"in the order of the list, whatever the priority": () =>
		each({ order: "list" }, { stories: [storyOf("A", { priority: 2 }), storyOf("B")] }),
	"in the order of the list, one that needs another waits": () =>
		each({ order: "list" }, { stories: [storyOf("A", { dependsOn: ["B"] }), storyOf("B")] }),
	"of equal ones, the one with the longest chain behind it": () =>
		each(
			{},
			{
				stories: [
					storyOf("A"),
					storyOf("B"),
					storyOf("C", { dependsOn: ["B"] }),
					storyOf("D", { dependsOn: ["A"] }),
					storyOf("E", { dependsOn: ["C"] }),
				],
			},
		),
	"chains weigh what stories of their group took on average": () => {
		const w = weighed([10, 30, 25], { A1: "q", B1: "s" });
		return w;
	},
	"chains weigh what all stories took where nobody of their group is done": () => weighed([10, 30, 44], { A1: null, B1: "q" }),
	"a chain that is blocked weighs nothing": () => {
		const w = each(
			{},
			{
				stories: [
					storyOf("F", { priority: 0 }),
					"A",
					"B",
					storyOf("A1", { dependsOn: ["A", "F"] }),
					storyOf("A2", { dependsOn: ["A1"] }),
					storyOf("B1", { dependsOn: ["B"] }),
				],
			},
		);
		untold(w).end("F work", bad);
		return w;
	},
	"a story that was done before the run has taken no time": () =>
		each(
			{},
			{
				stories: [
					storyOf("P", { passes: true, group: "q" }),
					"A",
					"B",
					storyOf("A1", { dependsOn: ["A"], group: "q" }),
					storyOf("B1", { dependsOn: ["B"] }),
					storyOf("B2", { dependsOn: ["B1"] }),
				],
			},
		),
	"as many at once as the step says, in the slots of the run": () =>
		each({ concurrency: 2 }, { stories: ["A", "B", "C"], options: { agents: 3, slots: [4, 7, 9] } }),
	"a slot is free again when its story ends": () => {
		const w = each({}, { stories: ["A", "B", "C"], options: { agents: 2 } });
		w.end("B work");
		return w;
	},
	"where dependencies have to be declared, and are: side by side": () =>
		each({ onlyDeclared: true }, { stories: ["A", "B", storyOf("C", { dependsOn: ["A"] })], options: { agents: 2 } }),
	"where dependencies have to be declared, and are not: one after the other": () =>
		each({ onlyDeclared: true }, { stories: ["A", "B"], options: { agents: 2 } }),
	"where each says that it needs no other: side by side": () =>
		each(
			{ onlyDeclared: true },
			{ stories: [storyOf("A", { independent: true }), storyOf("B", { independent: true })], options: { agents: 2 } },
		),
	"where the run itself has a branch, the first worktree is its own": () =>
		each(
			{},
			{ stories: ["A", "B"], options: { agents: 3, mode: "issue" } },
			{},
			{ inputs: { issue: { reader: "issue", workspace: "branch" } } },
		),
	"where the run itself has a branch and only one worktree": () =>
		each(
			{},
			{ stories: ["A"], options: { agents: 1, mode: "issue" } },
			{},
			{ inputs: { issue: { reader: "issue", workspace: "branch" } } },
		),
	"one that needs what does not exist can never start": () =>
		each({}, { stories: [storyOf("A", { dependsOn: ["X"] }), storyOf("B", { dependsOn: ["A"] })] }),
	"no story at all": () => each(),
	"no story at all, where that is enough": () => each({ atLeast: 0 }),
	"a story that was done before": () => each({}, { stories: [storyOf("A", { passes: true }), "B"] }),
	"a story without steps": () => new World(stories({}, { steps: [] }), { stories: ["A", "B"] }),
	"stories that need a failed one are blocked, whatever their order": () => {
		const w = each({}, { stories: [storyOf("C", { dependsOn: ["B"] }), storyOf("B", { dependsOn: ["A"] }), "A"] });
		untold(w).end("A work", bad);
		return w;
	},
	"a failed story fails the run": () => {
		const w = each({ onFailure: "fail_run" }, { stories: ["A", "B"], options: { agents: 2 } });
		w.end("A work", { ...bad, error: "why" });
		return w;
	},
	"a failed story lets the others go on, and the run fails in the end": () => {
		const w = each({}, { stories: ["A", "B", storyOf("C", { dependsOn: ["A"] })] });
		w.end("A work", bad);
		untold(w).end("B work");
		return w;
	},
	"two lists of stories, one after the other": () => {
		const types: Record<string, TypePart> = {
			one: { scope: "run", each: { steps: plan("work") } },
			two: { scope: "run", each: { steps: plan("work") } },
			work: {},
		};
		const w = new World(definitionOf({ steps: ["one", "two"], types }), { stories: ["A"] });
		w.end("A work");
		return w;
	},
	"a step whose condition does not hold is skipped": () =>
		new World(
			linear({
				a: { when: [{ field: "x", op: "is", value: "1" }] },
				b: { when: [{ field: "x", op: "is_not", value: 1 }] },
				c: { when: [{ field: "y", op: "set" }] },
				d: {
					when: [
						{ field: "y", op: "unset" },
						{ field: "n", op: "above", value: 5 },
					],
				},
				e: {
					when: [
						{ field: "n", op: "below", value: 5 },
						{ field: "agents", op: "is", value: 1 },
					],
				},
			}),
			{ fields: { x: "2", y: "", n: "5" } },
		).play(),
	"conditions on what pawl itself knows": () => {
		const field = (name: string, value: string): TypePart => ({ when: [{ field: name, op: "is", value }] });
		const types = {
			a: field("mode", "prd"),
			b: field("workspace", "worktree"),
			c: field("story_trees", "true"),
			d: field("stories", "2"),
			e: field("changed", "true"),
			f: field("expects_change", "false"),
			g: field("given", "yes"),
		};
		return new World(stories(types), { stories: [storyOf("A", { expectsChange: false }), "B"], fields: { given: "yes" } }).play();
	},
	"everything waits for longer than the run may": () => {
		const w = each({}, { stories: ["A"], options: { maxWaitMs: 5_000 } });
		untold(w).end("A work", { signal: "rate_limited", retryAt: w.at + 5_001 });
		w.feed({ type: "resume" });
		return w;
	},
	"everything waits for as long as the run may": () => {
		const w = each({}, { stories: ["A"], options: { maxWaitMs: 5_000 } });
		untold(w).end("A work", { signal: "rate_limited", retryAt: w.at + 5_000 });
		w.at += 5_000;
		w.feed({ type: "advance" });
		return w;
	},
	"one waits for a time and another for a person": () => {
		const w = each({}, { stories: ["A", "B"], options: { agents: 2 } }, { work: { on: { bad: { action: "wait", target: "person" } } } });
		untold(w).end("A work", bad);
		w.end("B work", { signal: "rate_limited", retryAt: w.at + 5 });
		w.at += 5;
		w.feed({ type: "advance" });
		w.end("B work", bad);
		return w;
	},
	"checks that prove and failed run again, at most three times": () => {
		const w = untold(each({}, { stories: ["A"] }, { prove }));
		w.end("A work");
		for (let i = 0; i < 4; i++) w.end("A prove", red);
		return w;
	},
	"checks that prove and failed pass the second time": () => {
		const w = untold(each({}, { stories: ["A"] }, { prove, after: {} }));
		w.end("A work");
		w.end("A prove", red);
		w.end("A after");
		w.end("A prove", { checks: [{ ...failedCheck(), exitCode: 0 }] });
		return w;
	},
	"checks of the run that prove and failed": () => {
		const w = untold(new World(linear({ work: {}, prove })));
		w.end("work");
		for (let i = 0; i < 4; i++) w.end("prove", red);
		return w;
	},
	"a run that gives up does not prove anything": () => {
		const types: Record<string, TypePart> = { prove, work: { on: { bad: { action: "abort" } } }, tidy: { detour: true } };
		const w = untold(new World(linear(types, { abort: ["tidy"] })));
		w.end("prove", red);
		w.end("work", bad);
		w.end("tidy");
		return w;
	},
	"merged stories are looked for before the run ends": () => {
		const w = untold(each({}, { stories: ["A", "B"], options: { base: "main" } }, { merge: MERGE }));
		w.feed({ type: "merges_looked_for", missing: [] });
		merged(merged(w, "A", "a1", "a2"), "B");
		w.feed({ type: "advance" });
		w.feed({ type: "stop", how: "pause" });
		w.feed({ type: "resume" });
		w.feed({ type: "merges_looked_for", missing: [] });
		w.feed({ type: "merges_looked_for", missing: [] });
		return w;
	},
	"a story that was about to be merged and failed is not looked for": () => {
		const merge: TypePart = { ...MERGE, on: { merged: { action: "next" }, bad: failStory } };
		const w = untold(each({}, { stories: ["A", "B"] }, { merge }));
		merged(w, "A", "a1");
		w.until("B merge");
		const { scope, step, attempt } = w.job("B merge");
		w.feed({ type: "merge_announced", scope, step, attempt, commit: "b1" });
		w.end("B merge", bad);
		return w;
	},
	"a merged story is gone: the run fails, and a retry looks again": () => {
		const w = untold(each({}, { stories: ["A", "B"], options: { base: "main" } }, { merge: MERGE }));
		merged(w, "A", "aaaaaaaaaaaaaaaa");
		w.end("B work", bad);
		w.feed({ type: "merges_looked_for", missing: [{ story: "A", commit: "aaaaaaaaaaaaaaaa" }] });
		w.feed({ type: "retry_story", story: "B" });
		merged(w, "B", "b1");
		w.feed({ type: "merges_looked_for", missing: [{ story: "A", commit: "aaaaaaaaaaaaaaaa" }] });
		w.feed({ type: "retry_story", story: null });
		w.feed({ type: "merges_looked_for", missing: [] });
		return w;
	},
	"a merged story is gone from the branch of the run": () => {
		const inputs = { issue: { reader: "issue", workspace: "branch" as const } };
		const w = each({}, { stories: ["A"], options: { base: "main", mode: "issue" } }, { merge: MERGE }, { inputs });
		const { scope, step, attempt } = w.job("A work");
		w.feed({ type: "attempt_prepared", scope, step, attempt, commit: "c", log: null, branch: "topic" });
		w.feed({ type: "attempt_ended", scope, step, attempt, outcome: outcomeOf({ changed: true }) });
		w.jobs = w.jobs.filter((job) => job.type !== "work");
		untold(merged(w, "A", "abc"));
		w.feed({ type: "merges_looked_for", missing: [{ story: "A", commit: "abc" }] });
		return w;
	},
	"a merged story is gone, and nobody knows the name of base": () => {
		const w = untold(each({}, { stories: ["A"] }, { merge: MERGE }));
		merged(w, "A", "abc");
		w.feed({ type: "merges_looked_for", missing: [{ story: "A", commit: "abc" }] });
		return w;
	},
	"merges stand on each other": () => {
		const w = untold(each({}, { stories: ["A", "B"], options: { agents: 2 } }, { merge: MERGE }));
		w.end("A work");
		w.end("B work");
		const of = (name: string) => {
			const { scope, step, attempt } = w.job(name);
			return { scope, step, attempt };
		};
		const [a, b] = [of("A merge"), of("B merge")];
		w.feed({ type: "merge_stacked", ...a, commit: "a1", onto: "base" });
		w.feed({ type: "merge_stacked", ...b, commit: "b1", onto: "a1", behind: "A" });
		w.feed({ type: "merge_stacked", ...b, commit: "b1", onto: "a0", behind: "A" });
		w.feed({ type: "merge_stacked", ...b, attempt: 9, commit: "b1", onto: "a1" });
		w.feed({ type: "merge_unstacked", ...b, reason: "conflict" });
		w.feed({ type: "merge_unstacked", ...b, attempt: 9, reason: "conflict" });
		return w;
	},
	"steps named after their type, and internal ones": () =>
		new World(
			stories(
				{
					work: { on: { bad: { action: "insert", steps: plan("work", "work") } } },
					merge: { ...MERGE, on: { merged: { action: "insert", steps: plan("merge") } } },
				},
				{},
				{ ids: "named" },
			),
			{ stories: ["A"] },
		).play({ work: [bad, {}], merge: [{ signal: "merged" }, null] }),
	"only a route leads to a detour, although it is listed": () => {
		const types: Record<string, TypePart> = {
			all: { scope: "run", each: { steps: plan("work", "mend") } },
			work: {},
			mend: { detour: true },
		};
		return new World(definitionOf({ steps: ["all", "mend"], types }), { stories: ["A"] }).play();
	},
	"internal steps use no number": () =>
		new World(stories({ merge: { ...MERGE, on: { merged: { action: "insert", steps: plan("merge", "work") } } }, work: {} }), {
			stories: ["A"],
		}).play({ merge: [{ signal: "merged" }, null] }),
	"a step of a type that the workflow does not have": () => new World(linear({ work: {} }, { steps: ["work", "odd"] })).play(),
};
