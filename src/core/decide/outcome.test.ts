// What an attempt brings besides its signal, where it counts and where it does not.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { ReportGrammar } from "../definition.ts";
import { failedCheck, linear, stories, storyOf, type TypePart } from "../testing/builders.suite.ts";
import { World } from "../testing/world.suite.ts";

const open = {
	open: true,
	notes: "whole",
	signals: [{ signal: "done", when: { STATUS: "done" } }],
	stories: "STORIES_JSON",
} as unknown as ReportGrammar;
const roles = { agent: { description: "", can: [], bounded: false, report: open } } as never;

test("a result that comes when its story has ended is paid for and kept as cancelled; nothing else of it counts", () => {
	const work: TypePart = { on: { hopeless: { action: "abort" } } };
	const definition = stories({ work }, {}, { abort: ["tidy"], types: { tidy: { scope: "run" } } });
	const w = new World(definition, { stories: ["A", "B"], options: { agents: 2 } });
	w.end("B work", { signal: "hopeless", error: "no way" });
	assert.equal(w.story("A").status, "failed");
	const usage = { costUsd: 2, inputTokens: 1, outputTokens: 1 };
	const events = w.end("A work", { usage, checks: [failedCheck()], remarks: ["odd"], kept: [{ name: "notes", text: "x" }] });
	assert.deepEqual(
		events.map((e) => e.event),
		["usage_recorded", "checks_recorded", "remarked", "step_cancelled"],
	);
	assert.deepEqual([w.find("A", "work").status, w.find("A", "work").error], ["cancelled", "the story had ended"]);
	assert.equal(w.state.totals.costUsd, 2);
	assert.equal(w.story("A").changed, false);
});

test("facts that an action brings are fields of its scope; without facts nothing is set", () => {
	const w = new World(stories({ work: {}, after: {} }), { stories: ["A"] });
	w.end("work", { facts: { pr_url: "https://example.org/1" } });
	assert.equal(w.scope("A").fields["pr_url"], "https://example.org/1");
	w.end("after", { facts: {} });
	assert.equal(w.all("fields_set").length, 1);
});

test("A-33 the fields of an open report reach the run and the story in lower case; the list of stories and pawl's own marks do not; a closed report sets none", () => {
	const definition = stories({ work: {}, after: {} }, {}, { roles });
	const w = new World(definition, { stories: ["A"] });
	w.end("work", { fields: { REPO: "here", STORIES_JSON: "[]" } });
	assert.deepEqual([w.scope().fields, w.scope("A").fields], [{ repo: "here" }, { repo: "here" }]);
	w.end("after", { fields: { STORIES_JSON: "[]" } });
	assert.equal(w.all("fields_set").length, 2, "nothing is left to set");
	const root = new World(linear({ work: {} }, { roles }));
	root.end("work", { fields: { REPO: "here" } });
	assert.equal(root.all("fields_set").length, 1, "a step of the run sets it once");
	const closed = new World(stories({ work: {} }), { stories: ["A"] });
	closed.end("work", { fields: { REPO: "here" } });
	assert.deepEqual([closed.scope().fields, closed.scope("A").fields], [{}, {}]);
});

test("A-50 a second list replaces the first before work on the stories begins, and is refused afterwards", () => {
	const each = { each: { steps: [{ type: "work" }] } };
	const definition = linear(
		{ plan: {}, again: {}, all: each, later: {}, work: { scope: "story" } },
		{ roles, steps: ["plan", "again", "all", "later"] },
	);
	const w = new World(definition);
	w.end("plan", { stories: [storyOf("A")] });
	w.end("again", { stories: [storyOf("B"), storyOf("C")] });
	assert.deepEqual(
		[w.stories(), w.all("stories_added").length, w.all("stories_replaced").length],
		[{ B: "in_progress", C: "unclaimed" }, 1, 1],
	);
	w.end("B work", { stories: [storyOf("D")] });
	assert.match(w.find("B", "work").error ?? "", /work on the stories has begun: the list stays as it is/);
	assert.deepEqual(w.stories(), { B: "failed", C: "in_progress" });
});

test("T-18 a person who gave several agents is told why they do not work side by side", () => {
	const each = { each: { steps: [{ type: "work" }], onlyDeclared: true } };
	const definition = (part: object) =>
		linear({ plan: {}, all: { ...each, ...part }, work: { scope: "story" } }, { roles, steps: ["plan", "all"] });
	const said = (agents: number, list: Parameters<typeof storyOf>[1][], part = {}) => {
		const w = new World(definition(part), { options: { agents } });
		w.end("plan", { stories: list.map((more, i) => storyOf(`S${i + 1}`, more)) });
		return w.all("remarked").map((e) => e.text);
	};
	const [text = "", ...more] = said(2, [{}, {}]);
	assert.match(text, /^the stories are worked on one after the other, although there are 2 agents: .*depends_on/);
	assert.deepEqual(more, []);
	assert.deepEqual(said(1, [{}, {}]), [], "one agent");
	assert.deepEqual(said(2, [{}]), [], "one story");
	assert.deepEqual(said(2, [{ independent: true }, { independent: true }]), [], "they say that they need no other");
	assert.deepEqual(said(2, [{}, {}], { each: { steps: [{ type: "work" }] } }), [], "the workflow runs all side by side");
});

test("a failed check with a signal of its own takes that route, if there is one; else that of checks_failed", () => {
	const on = { checks_failed: { action: "retry" }, broken: { action: "fail", target: "story" } } as const;
	const run = (...checks: object[]) => {
		const w = new World(stories({ work: { on } }), { stories: ["A"] });
		w.end("work", { checks: checks as never });
		return w.all("route_taken").at(-1)?.signal;
	};
	assert.equal(run(failedCheck()), "checks_failed");
	assert.equal(run({ ...failedCheck(), signal: "broken" }), "broken");
	assert.equal(run({ ...failedCheck(), signal: "unknown" }), "checks_failed");
	assert.equal(run({ ...failedCheck(), exitCode: 0, signal: "broken" }), "done");
});

test("a change is recorded once for the story that made it, and for no other; the run itself has none", () => {
	const w = new World(stories({ one: {}, two: {} }), { stories: ["A", "B"], options: { agents: 2 } });
	w.end("A one", { changed: true });
	w.end("A two", { changed: true });
	assert.deepEqual(
		w.all("change_recorded").map((e) => e.scope),
		["A"],
	);
	assert.deepEqual([w.story("A").changed, w.story("B").changed], [true, false]);
	const root = new World(linear({ work: {} }));
	root.end("work", { changed: true });
	assert.equal(root.all("change_recorded").length, 0);
});

test("a remark on an attempt is kept while the attempt is under way, and not when it is over", () => {
	const w = new World(stories({ work: {}, after: {} }), { stories: ["A"] });
	const { id: step } = w.find("A", "work");
	const remark = { type: "remark", scope: "A", step, attempt: 1, text: "waits for a seat" } as const;
	assert.deepEqual(
		w.feed(remark).map(({ at: _, ...event }) => event),
		[{ event: "remarked", scope: "A", step, attempt: 1, text: "waits for a seat" }],
	);
	assert.deepEqual(w.feed({ ...remark, attempt: 2 }), []);
	w.end("work", {});
	assert.deepEqual(w.feed(remark), []);
});

test("a step that waits for a usage limit starts at once when a person says that the limit is over; nothing else does", () => {
	const w = new World(stories({ work: { on: { rate_limited: { action: "wait", target: "time" } } } }), { stories: ["A"] });
	w.end("work", { signal: "rate_limited", error: "limit", retryAt: w.at + 3_600_000 });
	assert.equal(w.find("A", "work").status, "pending");
	const events = w.feed({ type: "wake" }).map(({ event }) => event);
	assert.deepEqual(events, ["step_postponed", "step_started"]);
	assert.equal(w.find("A", "work").attempt, 2);
	assert.deepEqual(w.feed({ type: "wake" }), [], "nothing waits");
});
