// How an agent is told to end, if its prompt does not say it.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { RunState, Step } from "../core/model.ts";
import { parse } from "../definition/marked.suite.ts";
import { ending } from "./ending.ts";

function endingOf(report: string, template = "Look at it."): string {
	const loaded = parse(
		`name: t\nsteps: [look]\ntypes: {look: {prompt: Look at it., writes: none, report: ${report}}}\n${report.includes("bad") ? "on: {bad|plan: fail}" : ""}\n`,
	);
	assert.ok(loaded.ok, JSON.stringify(loaded));
	const state = { definition: loaded.definition } as RunState;
	return ending({
		state,
		step: { type: "look", running: [] as Step["running"] } as Step,
		role: "agent",
		template,
		about: "A",
		testCommand: null,
		lintCommand: null,
	});
}

const VERDICT =
	"{notes: summary, signals: {done: {VERDICT: pass}, bad: {VERDICT: rework, FINDINGS: '*'}, plan: {VERDICT: replan}}, findings: FINDINGS, keys: [WHY]}";

test("G-15 whoever has to decide is told with which words, if the prompt does not say it", () => {
	const text = endingOf(VERDICT);
	assert.match(text, /^## How to end\n\nEnd your final message with these lines/);
	assert.match(text, /^- `VERDICT:` `pass` or `rework` or `replan`$/m);
	assert.match(text, /^- `WHY:` in your own words$/m);
	assert.match(text, /^- `FINDINGS:` one line for each finding, as `- \[short-key\] class: text`/m);
	assert.match(text, /After them comes a section `## SUMMARY`/);
});

test("a prompt that names a deciding key says the rest itself", () => {
	assert.match(
		endingOf(VERDICT, "End with VERDICT: pass or rework."),
		/^## How to end\n\nEnd your final message with a section `## SUMMARY`/,
	);
});

test("without a grammar there is only the summary", () => {
	assert.doesNotMatch(endingOf("{notes: summary}"), /these lines/);
});
