// What an agent is told about a report that cannot be taken, word for word.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { ReportGrammar } from "../definition.ts";
import { denialOf, lackingKeys } from "./denial.ts";
import { readGiven, signalsOf } from "./given.ts";
import { readReport } from "./report.ts";

const rule = (signal: string, when: Record<string, string>, more: object = {}) => ({ signal, when, ...more });
const grammar = (more: Partial<ReportGrammar> = {}): ReportGrammar => ({ notes: "text", keys: [], signals: [], ...more });
const values = (fields: Record<string, string>) => new Map(Object.entries(fields));

test("G-17 a report that says done and that something is wrong is asked which it means, with all that it said", () => {
	const signals = [rule("done", { VERDICT: "fine" }), rule("retry", { VERDICT: "again" })];
	const denies = { DECISION: "no|rejected", ISSUES: "*" };
	const asked = grammar({ signals, denies });
	const told = (fields: Record<string, string>, of = asked) => denialOf(of, values(fields));
	assert.deepEqual(told({ ISSUES: " - a\n\n- b " }), {
		problem:
			"the report contradicts itself: VERDICT says fine, but ISSUES says that something is wrong (`- a - b`): which is meant? Say VERDICT: again if it has to change, or VERDICT: fine without ISSUES if it may stay as it is",
	});
	assert.deepEqual(told({ DECISION: "no", ISSUES: "x" }), {
		signal: "retry",
		remark: "VERDICT says fine, but DECISION says no: it counts as retry",
	});
	assert.equal(told({ DECISION: "yes", ISSUES: "x" }), null, "a decision that agrees");
	assert.equal(told({ DECISION: "", ISSUES: "none" }), null);
	assert.equal(told({}), null);
	assert.equal(denialOf(grammar({ signals }), values({ ISSUES: "x" })), null, "nothing denies");
	const bare = grammar({ denies: { ISSUES: "*" } });
	assert.match(
		JSON.stringify(told({ ISSUES: "x" }, bare)),
		/STATUS says done, but ISSUES .* Say STATUS: retry if .*, or STATUS: done without ISSUES/,
	);
	const other = grammar({ signals: [rule("done", { A: "1" }), rule("again", { B: "2" })], denies: { ISSUES: "*" } });
	assert.match(JSON.stringify(told({ ISSUES: "x" }, other)), /Say A: again if/, "a rule that looks at another key");
	const long = (length: number) => JSON.stringify(told({ ISSUES: "x".repeat(length) }));
	assert.ok(long(600).includes(`(\`${"x".repeat(600)}\`)`));
	assert.ok(long(601).includes(`(\`${"x".repeat(600)}…\`)`));
	const only = grammar({ signals: [rule("done", { A: "1" })], denies: { DECISION: "no" } });
	assert.equal(told({ DECISION: "no" }, only), null, "there is nothing that it could count as");
});

test("G-17 of the keys that say what is wrong one is enough; any other that is wanted has to be there", () => {
	const wants = { done: ["A", "B"], retry: ["ISSUES", "C"] };
	const lacking = (signal: string, fields: Record<string, string>, feedback: string[] = ["ISSUES", "FEEDBACK"]) =>
		lackingKeys(grammar({ wants, feedback }), signal, values(fields)).join();
	assert.equal(lacking("done", { A: "1", B: "" }), "B");
	assert.equal(lacking("retry", { FEEDBACK: "x" }), "C");
	assert.equal(lacking("retry", { FEEDBACK: "x" }, []), "ISSUES,C");
	assert.equal(lacking("retry", { C: "x" }), "ISSUES");
	assert.equal(lacking("other", {}), "");
	assert.deepEqual(lackingKeys(grammar(), "done", values({})), []);
});

const REVIEW = grammar({
	keys: ["NOTES"],
	findings: "FINDINGS",
	signals: [
		rule("plan", { VERDICT: "block|stop*" }, { finding: "plan" }),
		rule("ok", { VERDICT: "fine *" }),
		rule("bad", { VERDICT: "bad" }),
	],
});
const give = (of: ReportGrammar, more: object = {}) => readGiven(of, { signal: null, summary: " s ", fields: {}, ...more });
const problems = (of: ReportGrammar, more: object = {}) => {
	const read = give(of, more);
	return read.ok ? [] : read.problems;
};
const report = (of: ReportGrammar, more: object = {}) => {
	const read = give(of, more);
	assert.ok(read.ok, read.ok ? "" : read.problems.join());
	return read.report;
};

test("U-07 a report as data is refused with all that is wrong, word for word", () => {
	assert.deepEqual(problems(REVIEW, { signal: "x".repeat(70) }), [`there is no signal "${"x".repeat(60)}"; there are plan, ok, bad`]);
	assert.deepEqual(problems(REVIEW), ["nothing that decides: give `signal`, one of plan, ok, bad"]);
	assert.deepEqual(problems(REVIEW, { signal: "plan" }), [
		"plan needs more: VERDICT: block|stop* and a finding of the class plan in FINDINGS",
	]);
	const twice = grammar({ signals: [rule("a", { A: "1", B: "2" }), rule("a", { C: "3" }, { finding: "x" })] });
	assert.deepEqual(problems(twice, { signal: "a" }), ["a needs more: A: 1 and B: 2, or C: 3 and a finding of the class x in its findings"]);
	assert.deepEqual(problems(REVIEW, { signal: "ok", fields: { VERDICT: "bad" } }), ["the signal is ok, but the fields say bad"]);
	const all = { ...REVIEW, required: ["NOTES", "MORE"], wants: { ok: ["X", "Y"] } };
	assert.deepEqual(problems(all, { signal: "ok", fields: { NOTES: "  " } }), ["missing fields: NOTES, MORE", "missing fields: X, Y"]);
	assert.deepEqual(problems({ ...REVIEW, required: ["NOTES"] }, { signal: "ok", fields: { NOTES: "n" } }), []);
	const list = grammar({ stories: "STORIES_JSON" });
	assert.deepEqual(problems(list, { fields: { STORIES_JSON: "soon" } }), ["STORIES_JSON: there is no JSON list"]);
});

test("U-07 the fields of a report as data: as the grammar spells them, and those that stand for its signal", () => {
	assert.deepEqual(report(REVIEW, { signal: "ok" }).fields, { VERDICT: "fine" });
	assert.deepEqual(report(REVIEW, { signal: "ok", fields: { verdict: " fine, thanks " } }).fields, { VERDICT: "fine, thanks" });
	const found = report(REVIEW, { fields: { Verdict: "stop it", FINDINGS: "- [k] plan: x" } });
	assert.deepEqual([found.signal, found.findings.map(({ key }) => key)], ["plan", ["k"]]);
	const open = grammar({ keys: ["STATUS"], signals: [rule("done", { STATUS: "done" })], open: true });
	const read = give(open, {
		fields: { status: "done", other_2: " x ", a: "too short", "a b": "no name", [`k${"x".repeat(64)}`]: "too long" },
	});
	assert.ok(read.ok);
	assert.deepEqual([read.report.fields, read.ignored], [{ STATUS: "done", OTHER_2: "x" }, ["a", "a b", `k${"x".repeat(64)}`]]);
	const closed = give({ ...open, open: false }, { fields: { status: "done", other: "x" } });
	assert.deepEqual(closed.ok && closed.ignored, ["other"]);
	const twice = grammar({ signals: [rule("a", { A: "1" }), rule("a", { B: "2" })] });
	assert.deepEqual(report(twice, { signal: "a", fields: { B: "2" } }).fields, { B: "2" }, "which of two is meant is not known");
});

test("U-07 what is kept, said to be wrong, and said of earlier findings comes with a report as data too", () => {
	const keeps = grammar({ keys: ["LEARNED"], keep: { lessons: "LEARNED" }, earlier: "EARLIER", feedback: ["ISSUES"] });
	const full = report(keeps, { fields: { LEARNED: "one\n\ntwo\none", EARLIER: "- [k] open", ISSUES: "wrong" } });
	assert.deepEqual(
		full.kept,
		["one", "two"].map((text) => ({ name: "lessons", text })),
	);
	assert.deepEqual([full.earlier, full.notes], [[{ key: "k", open: true }], "s"]);
	const none = report(keeps);
	assert.deepEqual(["kept" in none, "earlier" in none, none.fields["FEEDBACK_TEXT"]], [false, false, "s"]);
	const wrong = { ...keeps, keys: ["ISSUES"] };
	assert.equal(report(wrong, { fields: { ISSUES: "wrong" } }).fields["FEEDBACK_TEXT"], "wrong");
	assert.equal("FEEDBACK_TEXT" in report(grammar()).fields, false);
});

test("R-07 a promise as data counts where one was asked for, and decides; without one the fields do", () => {
	const promises = grammar({ promise: "DONE", signals: [rule("go_on", { STATUS: "more" })] });
	assert.deepEqual(signalsOf(promises), ["go_on", "promise"]);
	assert.equal(report(promises, { signal: "promise" }).signal, "promise");
	assert.equal(report(promises, { signal: "go_on" }).signal, "go_on");
	assert.equal(report(grammar({ promise: "DONE" })).signal, "done");
});

test("G-17 a report as data is denied only if it is done", () => {
	const asked = grammar({
		keys: ["ISSUES"],
		signals: [rule("retry", { STATUS: "retry" }), rule("done", { STATUS: "done" })],
		denies: { ISSUES: "*" },
	});
	assert.equal(report(asked, { fields: { STATUS: "retry", ISSUES: "x" } }).signal, "retry");
	assert.match(problems(asked, { fields: { STATUS: "done", ISSUES: "x" } }).join(), /contradicts itself/);
});

test("A-51 what is wrong with a list of stories, word for word", () => {
	const listed = (key: string, open = false) =>
		grammar({ stories: key, signals: [rule("done", { STATUS: "done" })], ...(open ? { open, maxStories: 3 } : {}) });
	const told = (list: unknown, { key = "STORIES_JSON", open = false } = {}) => {
		const text = typeof list === "string" ? list : JSON.stringify(list);
		return (readReport(listed(key, open), `STATUS: done\n${key}: ${text}`).problem ?? "").replace(`${key}: `, "");
	};
	const story = { id: "A", title: "t", description: "", criteria: ["c"] };
	for (const [list, problem] of [
		[[], "the list of stories is empty"],
		[{}, "the stories are not a JSON list"],
		["soon", "there is no JSON list"],
		['[{"id": "A"}', "the JSON does not end"],
		['["]', "the JSON does not end"],
		["[".repeat(33), "the JSON is nested too deeply"],
		["[".repeat(32), "the JSON does not end"],
		[[story], ""],
		[[7], "story 1: it is not an object"],
		[[{ ...story, id: 7 }], "story 1: its id is not text"],
		[[{ ...story, id: `-${"x".repeat(90)}` }], `story 1: the id "-${"x".repeat(79)}" is not allowed`],
		[[{ ...story, title: "  " }], "story 1: it has no title"],
		[[{ ...story, title: 3 }], "story 1: it has no title"],
		[[{ ...story, description: null }], "story 1: it has no description"],
		[[{ ...story, criteria: [] }], "story 1: it has no acceptance criteria"],
		[[{ ...story, criteria: "c" }], "story 1: its acceptance criteria are not a list of texts"],
		[[{ ...story, criteria: [" "] }], "story 1: its acceptance criteria are not a list of texts"],
		[[{ ...story, depends_on: "B" }], "story 1: what it depends on is not a list of ids"],
		[[{}], "story 1: its id is not text; it has no title; it has no description; it has no acceptance criteria"],
		[[story, story], "story 2: the id A is used twice"],
		[[story, { ...story, id: "a" }], "story 2: the id a is used twice"],
	] as const)
		assert.equal(told(list), problem, JSON.stringify(list));
	assert.match(told("[1,]"), /^the JSON cannot be read: .+/);
	assert.equal(
		told(Array(12).fill(7)),
		`${Array.from({ length: 10 }, (_, i) => `story ${i + 1}: it is not an object`).join(". ")}, and 2 more`,
		"ten are told",
	);
	assert.ok(!told(Array(10).fill(7)).includes("more"));
	for (const key of ["TASKS_JSON", "TASK", "tasks"]) assert.equal(told([], { key }), "the list of tasks is empty", key);
	for (const key of ["TASKSET", "MY_TASKS"]) assert.equal(told([], { key }), "the list of stories is empty", key);
	const open = { open: true };
	const needing = (id: string, ...ids: string[]) => ({ ...story, id, depends_on: ids });
	assert.equal(told([needing("A", "B"), needing("B", "A")], open), "A, B depend on each other");
	assert.equal(told([needing("A", "X", "Y")], open), "A depends on X, which is not in the list. A depends on Y, which is not in the list");
	assert.equal(
		told(
			["A", "B", "C", "D"].map((id) => needing(id)),
			open,
		),
		"there are 4 stories, and 3 are the most that a run takes",
	);
	assert.equal(
		told(
			["A", "B", "C"].map((id) => needing(id)),
			open,
		),
		"",
	);
	assert.equal(
		told([needing("A", "B", "X"), needing("B", "A")], open),
		"A depends on X, which is not in the list",
		"one thing after the other",
	);
	assert.equal(told([{ ...needing("A", "X"), id: 7 }], open), "story 1: its id is not text");
	assert.equal(told([{ ...story, depends_on: 7 }], open), "story 1: what it depends on is not a list of ids");
	const again = (first: unknown, last: unknown) => {
		const [one, other] = [first, last].map((list) => (typeof list === "string" ? list : JSON.stringify(list)));
		const { stories, problem } = readReport(listed("S", true), `STATUS: done\nS: ${one}\nS: ${other}`);
		return problem ?? stories?.map(({ id }) => id).join();
	};
	const list = (...ids: string[]) => ids.map((id) => needing(id));
	assert.equal(again(list("A", "B"), list("B", "C")), "B,C", "a list that changed is the same list");
	assert.equal(again([7], list("A")), "A", "a list that was wrong does not count");
	assert.equal(again("see below", list("A")), "A");
	assert.equal(again(list("A"), "see above"), "A");
	assert.equal(again(list("A"), "[{"), "S: the JSON does not end");
	assert.equal(again("soon", "later"), "S: there is no JSON list");
	const both = `${JSON.stringify([story])}\nSTORIES_JSON: ${JSON.stringify([{ ...story, id: "B" }])}`;
	assert.equal(told(both, open).replace("STORIES_JSON: ", ""), "there are several lists with other stories in each: one list is wanted");
});

test("A-47 of two lists in a row the last one counts", () => {
	const list = (id: string) => `S: ${JSON.stringify([{ id, title: "t", description: "d", criteria: ["c"] }])}`;
	const { stories, problem } = readReport(grammar({ stories: "S" }), `${list("A")}\n${list("B")}`);
	assert.deepEqual([stories?.map(({ id }) => id), problem], [["B"], null]);
});

test("A-47 a story of a list: the words that are looked at first, its place where it has no priority", () => {
	const read = (list: unknown) =>
		readReport(grammar({ stories: "S", signals: [rule("done", { STATUS: "done" })] }), `STATUS: done\nS: ${JSON.stringify(list)}`).stories;
	const first = {
		id: "A",
		task: "B",
		title: "t",
		name: "n",
		description: "d",
		acceptanceCriteria: ["1"],
		acceptance_criteria: ["2"],
		criteria: ["3"],
	};
	const plain = { id: "C", title: "t", description: "d", criteria: ["3"] };
	assert.deepEqual(
		read([
			{ ...first, depends_on: ["x"], dependsOn: ["y"], priority: 0.5 },
			{ ...plain, priority: "1" },
			{ ...plain, id: "D", passes: true },
		]),
		[
			{ id: "A", title: "t", description: "d", criteria: ["1"], priority: 0.5, dependsOn: ["x"] },
			{ id: "C", title: "t", description: "d", criteria: ["3"], priority: 2, dependsOn: [] },
			{ id: "D", title: "t", description: "d", criteria: ["3"], priority: 3, dependsOn: [] },
		],
	);
});
