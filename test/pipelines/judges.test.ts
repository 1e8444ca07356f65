// How the built-in pipelines end the prompts of those who judge.
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import type { RunState, Step } from "../../src/core/model.ts";
import { loadDefinition } from "../../src/definition/load.ts";
import { pipelineSpelling } from "../../src/format/pipeline/spelling.ts";
import { ending } from "../../src/prompt/ending.ts";
import { PROJECT } from "../support/pawl.ts";

for (const name of ["feature-dev", "bug-fix", "security-audit"])
	test(`T-23 ${name}: a step that may send work back is told that both answers are good; nobody is told so who cannot`, async () => {
		const loaded = await loadDefinition(join(PROJECT, "workflows", name), { spellings: [async () => pipelineSpelling] });
		assert.ok(loaded.ok);
		const state = { definition: loaded.definition } as unknown as RunState;
		const said = (type: string) =>
			ending({ state, step: { type } as Step, role: undefined, template: "", about: "", testCommand: null, lintCommand: null });
		const judges = Object.values(loaded.definition.types).filter(({ prompt }) =>
			/^\s*STATUS:\s*retry\b/m.test(loaded.definition.prompts[prompt ?? ""] ?? ""),
		);
		assert.ok(judges.some(({ name: type }) => type === "verify"));
		for (const { name: type } of judges) {
			assert.match(said(type), /`STATUS: retry` with what is wrong if it is not: both are good answers/, type);
			assert.doesNotMatch(said(type), /counts as failed/, type);
		}
		assert.ok(Object.keys(loaded.definition.types).some((type) => /without that the step counts as failed/.test(said(type))));
	});
