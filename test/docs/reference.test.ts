// The reference pages know every key that can be written, and every piece of YAML or JSON in them is one that pawl reads.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { parse } from "yaml";
import { keysAt } from "../../src/config/schema.ts";
import { parseConfig } from "../../src/config.ts";
import { FAILURES } from "../../src/core/definition.ts";
import { decideEdits } from "../../src/core/edit/edit.ts";
import { PROMPT_VARIABLES } from "../../src/core/template.ts";
import { loadDefinition } from "../../src/definition/load.ts";
import { knownKeys } from "../../src/definition/read/shape.ts";
import { readPrd } from "../../src/text/story-list.ts";
import { services } from "../../src/wiring.ts";
import { PAGES, PROJECT, page, spans } from "./pages.ts";

/** Of these names, those that stand in no code span of the page. */
function missing(path: string, names: readonly string[]): string[] {
	const said = new Set(spans(page(path)).flatMap(({ text }) => text.match(/[\w-]+/g) ?? []));
	return [...new Set(names)].filter((name) => !said.has(name));
}

describe("docs/configuration.md", () => {
	it("has every key of pawl.yml", () => {
		const paths = [[], ["agents", "x"], ["agents", "x", "prices"], ["agents", "x", "limits"], ["roles", "x"], ["limits"], ["notify"]];
		assert.deepEqual(missing("docs/configuration.md", paths.flatMap(keysAt)), []);
	});
});

describe("docs/workflow-reference.md", () => {
	it("has every key of the language", () => {
		const action = ["on", "x"];
		const type = ["types", "x"];
		const nested = [["gate"], ["gate", "members", "x"], ["each"], ["loop"], ["loop", "roles", "X"]].map((rest) => [...type, ...rest]);
		const paths = [[], ["inputs", "x"], ["limits"], ["budgets", "x"], ["roles", "x"], ["roles", "x", "report"], type, ...nested, action];
		assert.deepEqual(missing("docs/workflow-reference.md", paths.flatMap(knownKeys)), []);
	});

	it("has every failure and every variable of prompts", () =>
		assert.deepEqual(missing("docs/workflow-reference.md", [...FAILURES, ...PROMPT_VARIABLES]), []));
});

describe("examples in the documents", () => {
	it("are the files that they say they are", () => {
		const shown = PAGES.flatMap(({ path, blocks }) => blocks.filter((block) => block.file !== null).map((block) => ({ path, ...block })));
		assert.ok(shown.length > 0);
		for (const { file, text } of shown) assert.equal(text, readFileSync(join(PROJECT, "docs", file ?? ""), "utf8"), file ?? "");
	});

	it("of pawl.yml are read without a complaint", () => {
		const blocks = PAGES.flatMap(({ path, blocks }) =>
			blocks.filter((block) => block.language === "yaml" && /^# pawl\.yml/.test(block.text)).map((block) => ({ path, text: block.text })),
		);
		assert.ok(blocks.length >= 3);
		for (const { path, text } of blocks) assert.deepEqual(parseConfig(text).ok || parseConfig(text), true, path);
	});

	it("in YAML and JSON can be parsed", () => {
		for (const { path, blocks } of PAGES)
			for (const { language, text, line } of blocks)
				if (language === "yaml" || language === "json")
					assert.doesNotThrow(() => (language === "yaml" ? parse(text) : JSON.parse(text)), `${path}:${line}`);
	});

	it("of a prd.json and of an edit file in docs/dynamic.md are accepted", async () => {
		const [prd = "", edits = ""] = page("docs/dynamic.md").blocks.flatMap((block) => (block.language === "json" ? [block.text] : []));
		assert.deepEqual(readPrd(prd).ok || readPrd(prd), true);
		const loaded = await loadDefinition(join(PROJECT, "workflows", "dynamic"));
		assert.ok(loaded.ok);
		const types = loaded.definition.types["stories"]?.each?.steps ?? [];
		const steps = types.map(({ type }, index) => ({
			id: `step-${String(index + 1).padStart(3, "0")}`,
			type,
			status: index === 1 ? "in_progress" : index === 0 ? "completed" : "pending",
			description: type,
			restarts: 0,
		}));
		const scope = { id: "US-001", steps, nextNumber: 11, counters: {}, fields: {}, kept: [] } as unknown as Parameters<
			typeof decideEdits
		>[1];
		const decision = decideEdits({ operations: JSON.parse(edits) }, scope, scope.steps[1]!, loaded.definition);
		assert.deepEqual(decision.ok || decision, true);
	});
});

describe("docs/extensions.md", () => {
	const rows = page("docs/extensions.md").text.split(/^## /m).slice(1);
	const namesUnder = (heading: string): string[] =>
		[...(rows.find((section) => section.startsWith(heading)) ?? "").matchAll(/^\| `([^`]+)` \|/gm)].map(([, name = ""]) => name).sort();

	it("has all the code that a workflow can name, and nothing else", () => {
		for (const [heading, names] of [
			["Readers", services.names.readers],
			["Actions", services.names.actions],
			["Evidence", Object.keys(services.evidence)],
			["Keepers", services.names.keepers],
			["Write rules", services.names.writeRules],
			["Control files", services.names.inboxes],
			["Projections", services.names.projections],
		] as const)
			assert.deepEqual(namesUnder(heading), [...names].sort(), heading);
	});
});

describe("skills/pawl/SKILL.md", () => {
	const { text } = page("skills/pawl/SKILL.md");

	it("A-73 tells an agent of the pipeline, its stories, its cycles and of waking the planner by hand", () => {
		assert.match(text, /^---\nname: pawl\ndescription: \S.{80,1000}\n---\n\n# /);
		for (const step of ["plan", "implement", "verify", "test", "pr", "review"]) assert.ok(text.includes(`\`${step}\``), step);
		for (const part of [/by\nitself: nobody writes them/, /pawl step stories/, /cycles of five minutes/, /by hand[^:]*: first the planner/])
			assert.match(text, part);
	});

	it("names every tool of pawl mcp serve, and leaves every decision to the person", () => {
		const { text: mcp } = page("docs/mcp.md");
		const tools = [...mcp.slice(mcp.indexOf("## `pawl mcp serve`")).matchAll(/^\| (`\w+_\w+`(?:, `\w+_\w+`)*) \|/gm)].flatMap(
			([, names = ""]) => names.split(", "),
		);
		assert.equal(tools.length, 11);
		for (const tool of tools) assert.ok(text.includes(tool), tool);
		const [, person = ""] = text.split("## ");
		for (const command of ["approve", "reject", "answer", "retry", "skip", "undo", "extend"])
			assert.ok(person.includes(`\`pawl ${command}\``), command);
	});

	it("starts and resumes runs in the background: an agent that waits for hours does nothing else", () => {
		const lines = text.split("\n").filter((line) => /^pawl (run|resume) /.test(line));
		assert.equal(lines.length, 3);
		for (const line of lines) assert.match(line, / --detach\b/);
	});
});

describe("docs/feature-dev.md", () => {
	it("A-73 tells of the pipeline, of stories that it makes itself, how to list them, of the timer and of waking an agent by hand", () => {
		const { text } = page("docs/feature-dev.md");
		for (const step of ["plan", "implement", "verify", "test", "pr", "review"]) assert.ok(text.includes(`| \`${step}\``), step);
		for (const part of [/You need not write any/, /pawl step stories/, /every five minutes/, /wake one by hand, the planner first/])
			assert.match(text, part);
	});
});
