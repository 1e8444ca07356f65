// Which failed checks count, which passes are reused, and how a failure is said.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { RunState, Scope } from "../model.ts";
import { failedIn, isAccepted } from "./accepted.ts";
import { failedChecks, failureText, failureWithOutput } from "./failure-text.ts";
import { howToCheck } from "./how-to-check.ts";
import { failedFirst, stillFails } from "./order.ts";
import { hasPassed, passKeyOf } from "./passed.ts";

const check = (name: string, exitCode: number | null, more: object = {}) => ({
	name,
	command: `run ${name}`,
	exitCode,
	output: "out",
	...more,
});

test("G-01 a pass counts again for the same check, command and tree only, and never where the tree is unknown", () => {
	const ran = { name: "test", command: "npm test", tree: "t1" };
	assert.equal(passKeyOf(ran), '["test","npm test","t1"]');
	assert.equal(passKeyOf({ name: "test", command: "npm test" }), null);
	const state = { passed: [passKeyOf(ran)] } as unknown as RunState;
	assert.equal(hasPassed(state, ran), true);
	for (const other of [{ name: "lint" }, { command: "npm run test" }, { tree: "t2" }])
		assert.equal(hasPassed(state, { ...ran, ...other }), false, JSON.stringify(other));
	assert.equal(hasPassed(state, { name: "test", command: "npm test" }), false);
	assert.equal(hasPassed({} as RunState, ran), false);
	assert.equal(hasPassed({ passed: [null] } as unknown as RunState, { name: "test", command: "npm test" }), false);
});

test("T-31 a person accepts one check with its command; any other failure still counts, and so does one that did not end", () => {
	const scope = { accepted: [{ name: "smoke", command: "run smoke" }] } as unknown as Scope;
	assert.equal(isAccepted(scope, check("smoke", 1)), true);
	assert.equal(isAccepted(scope, { name: "smoke", command: "other" }), false);
	assert.equal(isAccepted(scope, { name: "test", command: "run smoke" }), false);
	for (const none of [undefined, {} as Scope]) assert.equal(isAccepted(none, check("smoke", 1)), false);
	const all = [check("smoke", 1), check("lint", 0), check("test", 2), check("slow", null)];
	assert.deepEqual(
		failedIn(scope, all).map(({ name }) => name),
		["test", "slow"],
	);
	assert.deepEqual(
		failedIn(undefined, all).map(({ name }) => name),
		["smoke", "test", "slow"],
	);
});

test("G-16 a failed check is said in one sentence: its command and how it ended; several are one after the other", () => {
	assert.equal(failedChecks({}), null);
	assert.equal(failedChecks({ checks: [check("a", 0)] }), null);
	assert.equal(
		failedChecks({ checks: [check("a", 1), check("b", 0), check("c", null)] }),
		"check a failed: `run a` exited 1; check c failed: `run c` could not be run to its end",
	);
	assert.equal(failureText(check("a", 127)), "check a failed: `run a` exited 127 (there is no such command)");
	assert.equal(failureText(check("a", 126)), "check a failed: `run a` exited 126 (that cannot be executed)");
	assert.equal(failureText(check("a", 1, { said: true })), "a: out");
});

test("G-16 with its output it has the end of it", () => {
	assert.equal(failureWithOutput(check("a", 3)), "a: `run a` exited 3\nout");
	assert.equal(failureWithOutput(check("a", null)), "a: `run a` did not end\nout");
	const long = failureWithOutput(check("a", 3, { output: `begin${"x".repeat(5000)}end` }));
	assert.equal(long.length, "a: `run a` exited 3\n".length + 2000);
	assert.ok(long.endsWith("xend") && !long.includes("begin"));
});

test("T-12 checks that failed last run first, and while one still fails the rest need not; what a person accepted is not among them", () => {
	const failing = [check("test", 1), check("smoke", 1), check("asked", 1, { signal: "broken" }), check("told", 1, { said: true })];
	const scope = { failing, accepted: [{ name: "smoke", command: "run smoke" }] } as unknown as Scope;
	const all = ["lint", "test", "smoke", "asked", "told"].map((name) => ({ name, command: `run ${name}` }));
	const names = (some: readonly { name: string }[]) => some.map(({ name }) => name);
	const order = failedFirst(scope, all);
	assert.deepEqual([names(order.first), names(order.rest)], [["test"], ["lint", "smoke", "asked", "told"]]);
	const none = failedFirst(undefined, all);
	assert.deepEqual([none.first, none.rest], [[], all]);
	assert.equal(stillFails(scope, [check("test", 1)]), true);
	assert.equal(stillFails(scope, [check("test", 0)]), false);
	assert.equal(stillFails(scope, [check("smoke", 1)]), false);
	assert.equal(stillFails(scope, []), false);
});

test("G-16 those who have to pass the checks are told every command; without one they are told to look for it", () => {
	assert.equal(howToCheck({ build: "npm run build", test: "npm test", lint: "" }), "Build with `npm run build`. Test with `npm test`.");
	for (const none of [{}, { build: "", test: "" }])
		assert.equal(howToCheck(none), "No build or test command is known: look for the repository's own way.");
});
