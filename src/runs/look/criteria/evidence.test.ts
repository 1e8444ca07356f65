// How acceptance criteria were shown, made from journals.
import assert from "node:assert/strict";
import { test } from "node:test";
import { RUN_SCOPE } from "../../../core/model.ts";
import { failedCheck, linear, stories, storyOf } from "../../../core/testing/builders.suite.ts";
import { World } from "../../../core/testing/world.suite.ts";
import { evidenceOf } from "./evidence.ts";

const CRITERIA = ["hello.txt says hello", "`npm run test` passes", "Typecheck passes", "npm run lint passes"];
const back = { action: "goto" as const, target: "make" };

function worldOf(judges: boolean): World {
	const types = {
		make: { checks: ["test"], on: { checks_failed: { action: "retry" as const } } },
		verify: { role: "verifier", on: { retry: back }, ...(judges ? { judges: [] } : {}) },
	};
	return new World(stories(types), { stories: [storyOf("US-1", { criteria: CRITERIA })] });
}

const shown = (world: World, scope = "US-1") =>
	evidenceOf(world.state, world.events)
		.get(scope)
		?.map(({ met, evidence }) => [
			met,
			evidence.map(({ kind, text, quote }) => (quote === null ? `${kind}: ${text}` : `${kind}: ${text}: ${quote}`)),
		]);

test("A-72: a criterion that nobody judged says so; a check shows only the criterion that names its command or itself", () => {
	const world = worldOf(false);
	assert.deepEqual(
		shown(world)?.map(([met]) => met),
		[null, null, null, null],
	);
	world.end("make", { checks: [failedCheck("test")] });
	assert.deepEqual(shown(world)?.[1], [false, ["command: `npm run test` exited 1"]]);
	const passed = (name: string, command: string) => ({ name, command, exitCode: 0, output: "" });
	world.end("make", { checks: [passed("test", "npm run test"), passed("typecheck", "tsc"), passed("style", "npm run lint")] });
	world.end("verify");
	assert.deepEqual(shown(world), [
		[null, []],
		[true, ["command: `npm run test` exited 0"]],
		[true, ["command: `tsc` exited 0"]],
		[true, ["command: `npm run lint` exited 0"]],
	]);
});

test("A-72: the verdict of a step that judges counts for every criterion, with what it wrote about it, until it judges again", () => {
	const world = worldOf(true);
	world.end("make");
	world.end("verify", { signal: "retry", error: "the file is empty" });
	assert.deepEqual(shown(world)?.[0], [false, ["verdict: verify (verifier) says retry: the file is empty"]], "an objection stands");
	world.end("make");
	world.end("verify", { notes: "VERIFIED:\n- hello.txt says hello: cat shows it, hello.txt:1\n- the rest too" });
	assert.deepEqual(shown(world), [
		[true, ["verdict: verify (verifier) says done: hello.txt says hello: cat shows it, hello.txt:1"]],
		[true, ["verdict: verify (verifier) says done"]],
		[true, ["verdict: verify (verifier) says done"]],
		[true, ["verdict: verify (verifier) says done"]],
	]);
});

test("A-72: a failure of the judge is no verdict; an agent's own word is called that", () => {
	const world = worldOf(true);
	const word = (exitCode: number, output: string) => ({
		name: "hello_txt_says_hello",
		command: "CRITERIA: x",
		exitCode,
		output,
		said: true as const,
	});
	// As an earlier version recorded it.
	const { said: _, ...old } = { ...word(1, "it does not hold yet"), command: "CRITERIA: hello_txt_says_hello" };
	world.end("make", { checks: [old] });
	assert.deepEqual(shown(world)?.[0], [false, ["word: it does not hold yet"]]);
	world.end("make", { checks: [word(0, "")] });
	world.end("verify", { signal: "agent_error", error: "it broke" });
	assert.deepEqual(shown(world), [
		[true, ["word: the agent says that it holds"]],
		[null, []],
		[null, []],
		[null, []],
	]);
});

test("O-75: a run without stories may have criteria too; a step judges all of them only where its condition holds, else those that are named", () => {
	const types = {
		green: {
			kind: "action" as const,
			judges: [{ field: "tasks", op: "is" as const, value: "1" }],
			on: { green: { action: "next" as const } },
		},
		rest: {},
	};
	for (const [tasks, named] of [
		["1", ""],
		["2", ""],
		["2", "a"],
	] as const) {
		const world = new World(linear(types), { fields: { tasks, judged_criteria: named } });
		const state = { ...world.state, input: { run_criteria: "a\nb" } };
		world.end("green", { signal: "green", notes: "`node test`: exit 0\nok 1" });
		const found = evidenceOf({ ...world.state, input: state.input }, world.events).get(RUN_SCOPE);
		assert.deepEqual(
			found?.map(({ criterion, met, evidence }) => [criterion, met, evidence.map(({ text }) => text)]),
			tasks === "1"
				? [
						["a", true, ["`node test`: exit 0"]],
						["b", true, ["`node test`: exit 0"]],
					]
				: [named === "a" ? ["a", true, ["`node test`: exit 0"]] : ["a", null, []], ["b", null, []]],
		);
	}
});
