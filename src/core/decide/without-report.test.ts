// What a question to a person says besides its reason.
import assert from "node:assert/strict";
import { test } from "node:test";
import { linear, stories, type TypePart } from "../testing/builders.suite.ts";
import { World } from "../testing/world.suite.ts";

const asks = { action: "wait", target: "person" } as const;
const reason = (w: World) => w.all("step_waiting").at(-1)?.reason;

test("G-16 of a judge that sent the work back as often as it may, a person reads how often it looked, what the other side said, and what each answer means", () => {
	const back = { action: "goto", target: "make", max: 1, exhausted: asks } as const;
	const judge: TypePart = { writes: "none", on: { bad: back } };
	const w = new World(stories({ make: {}, judge }), { stories: ["A"] });
	for (const notes of ["first try", "it is as the criterion wants it"]) {
		w.end("make", { notes });
		w.end("judge", { signal: "bad", error: "not good enough. " });
	}
	assert.equal(
		reason(w),
		"not good enough. judge has looked 2 times. What make said last: it is as the criterion wants it. If you approve, the work counts as it is; if you reject, the story fails; retried, it goes back to make",
	);
	const once = new World(linear({ make: {}, judge: { writes: "none", on: { bad: { ...back, max: 0 } } } }));
	once.end("make");
	once.end("judge", { signal: "bad", error: "no" });
	assert.equal(
		reason(once),
		"no. judge has looked once. If you approve, the work counts as it is; if you reject, the run fails; retried, it goes back to make",
	);
});

test("G-16 where a report is missing, a person reads what the run goes on without; where nothing is, only the reason", () => {
	const report = { notes: "text", keys: [], signals: [], wants: { done: ["REPO", "BRANCH"] } } as never;
	const ask = (part: TypePart, fields: Record<string, string>) => {
		const w = new World(linear({ plan: { report, on: { unreadable: asks }, ...part } }), { fields });
		w.end("plan", { signal: "unreadable", error: "no report" });
		return reason(w);
	};
	assert.equal(
		ask({}, { repo: "x" }),
		"no report. If you approve, the run goes on without what plan was asked for (BRANCH); if you reject, the run fails",
	);
	assert.equal(
		ask({}, {}),
		"no report. If you approve, the run goes on without what plan was asked for (REPO, BRANCH); if you reject, the run fails",
	);
	assert.equal(ask({}, { repo: "x", branch: "y" }), "no report");
	const story = new World(stories({ plan: { report, on: { unreadable: asks } } }), { stories: ["A"] });
	story.end("plan", { signal: "unreadable", error: "no report" });
	assert.match(reason(story) ?? "", /if you reject, the story fails$/);
});

test("G-16 where the stories are missing, a person reads that approving cannot help, and retried after a rejection the step runs again", () => {
	const report = { notes: "text", keys: [], signals: [], stories: "STORIES_JSON" } as never;
	const w = new World(stories({ work: {} }, {}, { steps: ["plan", "stories"], types: { plan: { report, on: { unreadable: asks } } } }));
	w.end("plan", { signal: "unreadable", error: "no report" });
	assert.match(
		reason(w) ?? "",
		/^no report\. Without its stories there is nothing to work on: if you approve, the run fails; .*retried, plan runs again$/,
	);
});

test("G-16 where nothing was changed, a person reads that approving settles the story without a change", () => {
	const w = new World(stories({ work: { expectsChange: true, on: { unreadable: asks } } }, { expectsChange: true }), { stories: ["A"] });
	w.end("work", { signal: "unreadable", error: "blocked", changed: false });
	assert.equal(reason(w), "blocked. If you approve, the story is settled without a change; if you reject, it fails");
});
