// G-01: in every workflow the repository's checks run between the last step that may write and the delivery.
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import type { Definition, StepType } from "../core/definition.ts";
import { linear } from "../core/testing/builders.suite.ts";
import { services } from "../wiring.ts";
import { withDelivery } from "./delivery.ts";
import { loadDefinition } from "./load.ts";
import { parseDefinition } from "./parse.ts";

const folder = fileURLToPath(new URL("../../workflows/", import.meta.url));

function own(text: string): Definition {
	const loaded = parseDefinition(text, { file: "workflow.yml", readPrompt: () => ({ text: "Do it." }) });
	assert.ok(loaded.ok, loaded.ok ? "" : JSON.stringify(loaded.problems));
	return loaded.definition;
}

const mayWrite = (d: Definition, type: StepType): boolean =>
	(["agent", "loop", "gate"].includes(type.kind) && type.writes !== "none") ||
	(type.each?.steps ?? []).some((step) => {
		const inner = d.types[step.type];
		return inner !== undefined && mayWrite(d, inner);
	});

function unproved(d: Definition): string[] {
	const wrong: string[] = [];
	for (const type of Object.values(d.types)) {
		const steps = (type.each?.steps ?? []).map((step) => d.types[step.type]);
		const writer = steps.findLastIndex((step) => step !== undefined && mayWrite(d, step));
		const proved = steps.slice(writer).some((step) => step?.proves || step?.checks.includes("*"));
		if (writer >= 0 && !proved) wrong.push(`a story of ${type.name} is done with what was not checked`);
	}
	let written = false;
	for (const { type: name } of d.steps) {
		const type = d.types[name];
		assert.ok(type);
		if (type.proves) written = false;
		if (type.delivers && written) wrong.push(`${name} delivers what was not checked`);
		if (mayWrite(d, type)) written = true;
	}
	return written ? [...wrong, "the run ends with what was not checked"] : wrong;
}

for (const name of readdirSync(folder))
	test(`G-01 ${name}: checks stand before all that is delivered`, async () => {
		const loaded = await loadDefinition(`${folder}${name}`, services.language);
		assert.ok(loaded.ok);
		assert.deepEqual(unproved(loaded.definition), []);
		for (const type of Object.values(loaded.definition.types))
			if (type.proves) assert.ok(type.routes["checks_failed"] && type.routes["checks_failed"].action !== "next", type.name);
		for (const type of Object.values(loaded.definition.types)) {
			const route = type.proves ? type.routes["checks_failed"] : undefined;
			const repairer = route?.action === "goto" ? loaded.definition.types[route.target ?? ""] : undefined;
			if (repairer) assert.notEqual(repairer.writes, "none", `${type.name}: ${repairer.name} may not repair anything`);
		}
	});

const HEAD = "name: t\ntitle: T\ninputs: {request: {reader: request, workspace: tree}}\nroles: {dev: {can: [run]}}\n";
const FAIL = 'on: {done: next, unreadable: fail run, "*": fail run}\n';

test("G-01 a workflow that names no check gets the checks at its end, and its last writer repairs", () => {
	const d = own(`${HEAD}steps: [work]\ntypes:\n  work: {role: dev}\n${FAIL}`);
	assert.deepEqual(
		d.steps.map((s) => s.type),
		["work", "final_checks"],
	);
	assert.equal(d.types["repair_checks"]?.role, "dev");
	assert.equal(d.types["final_checks"]?.routes["checks_failed"]?.target, "repair_checks");
});

test("G-01 a workflow in which nobody may write has nothing to check", () => {
	const d = own(`${HEAD}steps: [look]\ntypes:\n  look: {role: dev, writes: none}\n${FAIL}`);
	assert.deepEqual(
		d.steps.map((s) => s.type),
		["look"],
	);
});

test("G-01 I21 what is repaired goes past those again who had judged the work, and the text of its delivery is written anew", async () => {
	const publish = "publish: {action: forge.pull-request, delivers: true, signals: [done]}";
	const d = own(
		`${HEAD}steps: [work, look, describe, publish]\ntypes:\n  work: {role: dev}\n  look: {role: dev, writes: none}\n  describe: {role: dev, writes: none}\n  ${publish}\n${FAIL}`,
	);
	assert.equal(d.types["repair_checks"]?.routes["done"]?.target, "look");
	const two = own(
		`${HEAD}steps: [work, look, publish, more]\ntypes:\n  work: {role: dev}\n  look: {role: dev, writes: none}\n  more: {role: dev}\n  ${publish}\n${FAIL}`,
	);
	assert.equal(two.types[two.types["publish.checks"]?.routes["checks_failed"]?.target ?? ""]?.routes["done"]?.target, "look");
	assert.equal(two.types[two.types["final_checks"]?.routes["checks_failed"]?.target ?? ""]?.routes["done"]?.target, "back");
});

test("G-01 a way back to what delivers leads through the checks before it", () => {
	const d = own(
		`${HEAD}steps: [work, publish, review]\ntypes:\n  work: {role: dev}\n  publish: {action: forge.pull-request, delivers: true, signals: [done]}\n  review: {role: dev, writes: none, on: {done: {goto: mend, max: 1/run, exhausted: next}}}\n  mend: {role: dev, detour: true, on: {done: goto publish}}\n${FAIL}`,
	);
	assert.deepEqual(
		d.steps.map((s) => s.type),
		["work", "publish.checks", "publish", "review", "final_checks"],
	);
	assert.equal(d.types["mend"]?.routes["done"]?.target, "publish.checks");
});

test("I21 what a step of the run itself writes is checked, also where the stories have worktrees", () => {
	const text = (writes: string): string =>
		JSON.stringify({
			name: "both",
			inputs: { prd: { reader: "prd", workspace: "worktree" } },
			roles: { agent: { report: { notes: "summary" } } },
			types: {
				stories: { each: { steps: ["work", "merge"] } },
				work: { role: "agent", writes: "any" },
				merge: { action: "merge", internal: true, by: "engine", signals: ["merged", "checks_failed"], on: { merged: "next" } },
				after: { role: "agent", writes },
			},
			steps: ["stories", "after"],
			on: { done: "next", "unreadable|*": "fail run" },
		});
	assert.deepEqual(own(text("any")).types["final_checks"]?.when, []);
	assert.equal(
		own(text("none")).types["final_checks"]?.when.length,
		1,
		"only the stories wrote, and they were checked when they were merged",
	);
});

test("G-01 checks whose repairs all lead back to them need no second checks behind them; a repair that goes on does", async () => {
	for (const [name, wanted] of [
		["phased", ["final_checks"]],
		["gated", ["final_checks"]],
	] as const) {
		const loaded = await loadDefinition(`${folder}${name}`);
		assert.ok(loaded.ok);
		const { steps, types } = loaded.definition;
		assert.deepEqual([name, steps.map((step) => step.type).filter((type) => types[type]?.proves)], [name, wanted]);
	}
	const going = withDelivery({
		...linear({
			make: {},
			proof: { kind: "action", proves: true, on: { checks_failed: { action: "goto", target: "mend", max: 1 } } },
			mend: { detour: true, on: { done: { action: "next" } } },
			send: { kind: "action", delivers: true },
		}),
		steps: ["make", "proof", "send"].map((type) => ({ type })),
	});
	assert.deepEqual(
		going.steps.map((step) => step.type),
		["make", "proof", "send.checks", "send"],
	);
});
