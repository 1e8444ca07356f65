// The workflows in docs/examples/ load without a warning and run to their end with their scripts; the agent that
// docs/configuration.md shows does a whole request.
import assert from "node:assert/strict";
import { chmodSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { loadDefinition } from "../../src/definition/load.ts";
import { formatProblem } from "../../src/definition/problem.ts";
import { services } from "../../src/wiring.ts";
import { scratch } from "../cli/scratch.ts";
import { PROJECT, page } from "./pages.ts";

const folder = join(PROJECT, "docs", "examples");
const names = readdirSync(folder).sort();

describe("docs/examples", () => {
	for (const name of names)
		it(`${name} loads`, async () => {
			const loaded = await loadDefinition(join(folder, name), services.language);
			assert.deepEqual((loaded.ok ? loaded.warnings : loaded.problems).map(formatProblem), []);
		});

	const repository = scratch({ "pawl.yml": "checks:\n  test: test ! -e broken && test ! -e src/broken\n", "src/a": "a\n" });
	for (const name of names)
		it(`${name} runs to its end`, async () => {
			const script = join(folder, name, "script.yml");
			const ended = await repository.pawl("run", join(folder, name), "Try the example", "--script", script, "--yes");
			assert.equal(ended.code, 0, ended.stderr + ended.stdout);
			assert.equal(repository.git("status", "--porcelain"), "");
		});
});

describe("docs/configuration.md", () => {
	it("shows an agent that works", async () => {
		const text = page("docs/configuration.md").blocks.find((block) => block.text.startsWith("#!/bin/sh"))?.text ?? "";
		const repository = scratch({ "agent.sh": text });
		chmodSync(join(repository.root, "agent.sh"), 0o755);
		repository.git("add", "-A");
		repository.git("commit", "-q", "-m", "Make it executable");
		const ended = await repository.pawl("--agent-command", "./agent.sh", "Say hello in a file");
		assert.equal(ended.code, 0, ended.stderr + ended.stdout);
		assert.equal(repository.git("show", "HEAD:hello.txt"), "hello");
	});
});
