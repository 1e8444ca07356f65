// A checkpoint that is restored, and a state that a person changed: what the journal knew by then still counts.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { World } from "../../../core/testing/world.suite.ts";
import { evidenceOf } from "../../../runs/look/criteria/evidence.ts";
import { type AgentState, readAgentState } from "../document.ts";
import { conflict, definition, passed, promptIn, SHA, seed, USUAL, world } from "../phased-world.suite.ts";
import { PHASES, phasesIn } from "../phases.ts";
import { AgentStateView } from "../view.ts";
import { adoptAgain } from "./known.ts";

const PROVEN = { ...USUAL, execute: { checks: [passed] } };

function snapshotsOf(w: World): string[] {
	const view = new AgentStateView();
	for (const event of w.events) view.apply(event);
	return [...view.snapshots.map(({ text }) => text), view.render()];
}

/** As `pawl resume` does with a file that somebody changed. */
function adopt(w: World, text: string, change: (state: AgentState) => void = () => {}): void {
	const read = readAgentState(text);
	assert.ok(read.ok);
	change(read.state);
	const phases = phasesIn(w.state.root.fields[PHASES]);
	const made = adoptAgain(JSON.stringify(read.state), read.state, "restored", w.events, { definition, phases });
	assert.ok(made.ok);
	w.jobs = [];
	w.feed({ type: "adopt", ...made.adopted });
}

const met = (w: World, story: string) =>
	evidenceOf(w.state, w.events)
		.get(story)
		?.map((one) => one.met);

test("S-51 G-16: a task that was completed before the checkpoint keeps its checks and its commits", async () => {
	const w = world().until("scan", PROVEN);
	const [first = ""] = snapshotsOf(w);
	adopt(w, first);
	assert.deepEqual(w.stories(), { "1.1": "completed", "2.1": "in_progress" });
	assert.equal(met(w, "1.1")?.[0], true);
	assert.deepEqual(met(w, "2.1"), [null, null], "what came after the checkpoint is given up");
	assert.deepEqual(
		w.scope("1.1").checked?.map(({ command, exitCode }) => [command, exitCode]),
		[["test -f a", 0]],
	);
	w.until("2.1 pre_task", USUAL);
	assert.match(await promptIn(w), new RegExp(`1\\.1: Job 1\\.1 \\(completed, commits ${SHA.first.slice(0, 12)}\\.\\.`));
	w.until("scan", USUAL);
});

test("S-51 G-15: a plan that was made after the checkpoint is no longer spoken of", async () => {
	const w = world().until("2.1 post_task", PROVEN);
	w.end("2.1 post_task", conflict("re_plan", "high"));
	w.until("2.1 replan", { save_point: { facts: { save_point: SHA.saved } } });
	w.end("2.1 replan", { stories: [seed("2.1", { criteria: ["Other"] })] });
	w.until("2.1 pre_task", USUAL);
	const [first = ""] = snapshotsOf(w);
	adopt(w, first);
	assert.deepEqual(w.state.replaced, []);
	w.until("2.1 pre_task", USUAL);
	const prompt = await promptIn(w);
	assert.match(prompt, /File exists `test -f a`/);
	assert.doesNotMatch(prompt, /planned anew during|why-74|in the tree already/);
});

test("S-45 G-16: a person who raises a bound in the middle of a task loses neither where it began nor that something was changed", () => {
	const w = world().until("2.1 execute", PROVEN);
	w.end("2.1 execute", { signal: "incomplete", changed: true, notes: "half" });
	const now = snapshotsOf(w).at(-1) ?? "";
	adopt(w, now, (state) => {
		state.safety_bounds.max_cost = "$40";
	});
	assert.deepEqual([w.scope("2.1").fields["start"], w.story("2.1").changed], [SHA.first, true]);
	assert.equal(met(w, "1.1")?.[0], true);
});

test("C-02: of a state from elsewhere the journal knows nothing", () => {
	const w = world().until("scan", PROVEN);
	const [first = ""] = snapshotsOf(w);
	const read = readAgentState(first);
	assert.ok(read.ok);
	const elsewhere = { ...read.state, orchestrator: { ...read.state.orchestrator, start_time: "2020-01-01T00:00:00.000Z" } };
	const made = adoptAgain(JSON.stringify(elsewhere), elsewhere, "", w.events, { definition, phases: [] });
	assert.ok(made.ok && made.adopted.known === undefined);
});
