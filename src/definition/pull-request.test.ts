import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { services } from "../wiring.ts";
import { loadDefinition } from "./load.ts";
import { PULL_REQUEST, withPullRequest } from "./pull-request.ts";

const WORKFLOWS = fileURLToPath(new URL("../../workflows", import.meta.url));

const REFUSED: Readonly<Record<string, RegExp>> = {
	gated: /the workflow gated delivers its work itself \(step \w+\) and opens no pull request/,
	plan: /the workflow plan changes no file: there is nothing to put into a pull request/,
};

async function asked(name: string) {
	const loaded = await loadDefinition(join(WORKFLOWS, name), services.language);
	assert.ok(loaded.ok);
	return { before: loaded.definition, after: withPullRequest(loaded.definition) };
}

test("every built-in workflow ends in one pull request, behind its checks; gated stops at its commit, plan changes nothing", async () => {
	for (const name of readdirSync(WORKFLOWS)) {
		const { before, after } = await asked(name);
		const refused = REFUSED[name];
		if (refused !== undefined) {
			assert.ok("problem" in after);
			assert.match(after.problem, refused);
			continue;
		}
		assert.ok(!("problem" in after), name);
		const at = after.steps.findIndex((step) => after.types[step.type]?.action === PULL_REQUEST);
		assert.equal(after.steps.filter((step) => after.types[step.type]?.action === PULL_REQUEST).length, 1, name);
		assert.equal(after.types[after.steps[at - 1]?.type ?? ""]?.proves, true, `${name}: nothing is checked right before`);
		assert.deepEqual(after.steps.slice(0, before.steps.length), before.steps, name);
		for (const signal of ["done", "refused", "empty", "unavailable"])
			assert.ok(after.types[after.steps[at]?.type ?? ""]?.routes[signal], `${name}: no route for ${signal}`);
	}
});

test("a workflow that has a type of that name keeps it", async () => {
	const { before } = await asked("dynamic");
	const { coding } = before.types;
	assert.ok(coding);
	const after = withPullRequest({ ...before, types: { ...before.types, pull_request: { ...coding, name: "pull_request" } } });
	assert.ok(!("problem" in after));
	assert.equal(after.types["pull_request"]?.kind, "agent");
	assert.equal(after.steps.at(-1)?.type, "asked.pull_request");
});
