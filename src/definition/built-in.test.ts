// The built-in workflows load without a word of complaint, and can be looked at.
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import type { Definition } from "../core/definition.ts";
import { services } from "../wiring.ts";
import { loadDefinition } from "./load.ts";
import { formatProblem } from "./problem.ts";
import { mermaid } from "./view/mermaid.ts";
import { showDefinition } from "./view/show.ts";

const folder = fileURLToPath(new URL("../../workflows/", import.meta.url));

async function load(name: string): Promise<Definition> {
	const loaded = await loadDefinition(`${folder}${name}`, services.language);
	assert.ok(loaded.ok, loaded.ok ? "" : loaded.problems.map(formatProblem).join("\n"));
	assert.deepEqual(loaded.warnings, []);
	return loaded.definition;
}

for (const name of readdirSync(folder))
	test(`${name} loads, and is shown in 80 columns and as a flowchart`, async () => {
		const definition = await load(name);
		assert.equal(definition.name, name);
		for (const line of showDefinition(definition).split("\n")) assert.ok(line.length <= 80, line);
		assert.match(mermaid(definition), /^flowchart TD\n/);
	});
