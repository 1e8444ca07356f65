// The evidence `criteria`, with commands that only pretend to run.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { AgentAnswer, StepContext } from "../../../format.ts";
import { criteria } from "./criteria.ts";

const look = async (texts: readonly string[], exits: Readonly<Record<string, number>>, signal = "done", said = "") => {
	const context = {
		state: { stories: [{ id: "1.1", criteria: texts }] },
		scope: "1.1",
		signal: new AbortController().signal,
		run: async (command: string, { name = "" } = {}) => ({ name, command, exitCode: exits[command] ?? 0, output: "" }),
	} as unknown as StepContext;
	const answer: AgentAnswer = { result: "ok", text: "", signal, fields: { CRITERIA: said }, stories: null, problem: null };
	return (await criteria(context, answer)).map((one) => [one.name, one.exitCode, one.signal ?? ""].join(" ").trim());
};

test("T-31: what cannot be run at all is the document's fault, what fails is the executor's", async () => {
	const texts = ["Tests pass `no-such --all`", "It builds `make`"];
	assert.deepEqual(await look(texts, { "no-such --all": 127, make: 2 }), ["tests_pass 127 criterion_broken", "it_builds 2"]);
	assert.deepEqual(await look(["`src/a.ts`"], { "src/a.ts": 126 }), ["src_a_ts 126 criterion_broken"]);
});

test("T-31: an executor that is not done may still make the script that a criterion runs, but no program of the machine", async () => {
	const texts = ["Smoke test `./scripts/smoke.sh`", "Also `bash scripts/x.sh`", "Tests pass `no-such`"];
	const exits = { "./scripts/smoke.sh": 127, "bash scripts/x.sh": 127, "no-such": 127 };
	assert.deepEqual(await look(texts, exits, "incomplete"), ["smoke_test 127", "also 127", "tests_pass 127 criterion_broken"]);
	assert.deepEqual(await look(texts.slice(0, 1), exits), ["smoke_test 127 criterion_broken"]);
});

test("T-31: a name in backticks is not run; the executor's word counts", async () => {
	const texts = ["`parseTags` is exported"];
	assert.deepEqual(await look(texts, { parseTags: 127 }, "done", "- parsetags_is_exported: true"), ["parsetags_is_exported 0"]);
	assert.deepEqual(await look(texts, {}, "done"), ["parsetags_is_exported 1"]);
});
