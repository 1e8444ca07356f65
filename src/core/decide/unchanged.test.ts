// A step that has to change something and says `done` although nothing differs: its report does not count.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Route } from "../definition.ts";
import { linear, stories, storyOf } from "../testing/builders.suite.ts";
import { World } from "../testing/world.suite.ts";

const again: Route = { action: "retry", max: 1, per: "step", exhausted: { action: "fail", target: "run" } };
const open = { notes: "text", keys: ["CHANGES"], signals: [], open: true } as const;
const work = { expectsChange: true as const, report: open, on: { unchanged: again } };

test("G-15 I7 a report of work that is not there is not taken: the step runs again and is told so, then its route decides", () => {
	const w = new World(linear({ work, look: {} }), {});
	w.end("work", { empty: true, fields: { CHANGES: "all of it" } });
	const step = w.find("@run", "work");
	assert.deepEqual([step.status, step.attempt], ["in_progress", 2]);
	assert.match(step.feedback ?? "", /says that it is done, but nothing was changed/);
	assert.equal(w.state.root.fields["changes"], undefined, "what it says to have changed is not handed on");
	w.end("work", { empty: true });
	assert.deepEqual([w.state.status, w.find("@run", "look").status], ["failed", "pending"]);
	assert.match(w.state.reason ?? "", /nothing was changed/);
});

test("G-15 what was changed counts, and so does any other answer than done", () => {
	const w = new World(linear({ work, look: {} }), {});
	w.end("work", { changed: true });
	assert.equal(w.find("@run", "work").status, "completed");
	const asked = new World(linear({ work: { ...work, on: { ...work.on, retry: { action: "wait", target: "person" } } } }), {});
	asked.end("work", { signal: "retry", empty: true });
	assert.equal(asked.find("@run", "work").status, "waiting");
});

test("a story that expects no change may leave none", () => {
	const w = new World(stories({ work }), { stories: [storyOf("A", { expectsChange: false })] });
	w.end("work", { empty: true });
	assert.equal(w.story("A").status, "completed");
});
