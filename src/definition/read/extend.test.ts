// `extends`: a workflow as the change of another, of either spelling.
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type TestContext, test } from "node:test";
import type { Definition } from "../../core/definition.ts";
import { pipelineOf } from "../../format/pipeline/pipeline.ts";
import { pipelineSpelling } from "../../format/pipeline/spelling.ts";
import { packagePath } from "../../package-root.ts";
import { loadDefinition } from "../load.ts";
import type { Loaded } from "../parse.ts";

type Files = Readonly<Record<string, string>>;

/** `files`: workflows of a repository, by path below `.pawl/workflows`. */
function workflows(t: TestContext, files: Files): string {
	const root = mkdtempSync(join(tmpdir(), "pawl-extends-"));
	t.after(() => rmSync(root, { recursive: true, force: true }));
	for (const [path, text] of Object.entries(files)) {
		const file = join(root, ".pawl", "workflows", path);
		mkdirSync(dirname(file), { recursive: true });
		writeFileSync(file, text);
	}
	return join(root, ".pawl", "workflows");
}

const load = (t: TestContext, name: string, files: Files): Promise<Loaded> =>
	loadDefinition(join(workflows(t, files), name), { spellings: [async () => pipelineSpelling] });

async function fine(t: TestContext, name: string, files: Files): Promise<Definition> {
	const loaded = await load(t, name, files);
	assert.ok(loaded.ok, JSON.stringify(loaded));
	assert.deepEqual(loaded.warnings, []);
	return loaded.definition;
}

async function problems(t: TestContext, text: string, more: Files = {}): Promise<string[]> {
	const loaded = await load(t, "mine", { "mine/workflow.yml": text, ...more });
	assert.ok(!loaded.ok);
	return loaded.problems.map(({ file, line, column, message }) => `${file.split("/").slice(-2).join("/")}:${line}:${column} ${message}`);
}

const storySteps = ({ types }: Definition): string[] => (types["stories"]?.each?.steps ?? []).map(({ type }) => type);
const builtIn = async (name: string): Promise<Definition> => {
	const loaded = await loadDefinition(packagePath("workflows", name), { spellings: [async () => pipelineSpelling] });
	assert.ok(loaded.ok);
	return loaded.definition;
};

const MINE = `name: mine
extends: dynamic
without: [prune_tests]
types:
  coding: {model: strong, timeout: 1h}
  security:
    prompt: Look for holes in the work of this story, and close them.
    after: review
on:
  timeout: {rollback: failures, retry: true, max: 1/step, exhausted: fail}
`;

test("a few lines change a prompt, a model, a route, and add and remove a step", async (t) => {
	const mine = await fine(t, "mine", { "mine/workflow.yml": MINE, "mine/prompts/planning.md": "Plan it our way.\n" });
	const was = await builtIn("dynamic");
	assert.deepEqual(
		storySteps(mine),
		storySteps(was).flatMap((name) => (name === "review" ? [name, "security"] : name === "prune_tests" ? [] : [name])),
	);
	assert.deepEqual([mine.types["coding"]?.model, mine.types["coding"]?.timeoutMs], ["strong", 3_600_000]);
	assert.equal(mine.types["coding"]?.description, was.types["coding"]?.description);
	assert.equal(mine.prompts["prompts/planning.md"], "Plan it our way.\n");
	assert.equal(mine.prompts["prompts/coding.md"], was.prompts["prompts/coding.md"]);
	assert.equal(mine.types["security"]?.role, "agent", "the parent's own");
	assert.equal(mine.types["planning"]?.routes["timeout"]?.action, "retry");
	assert.deepEqual(mine.types["planning"]?.routes["stalled"], was.types["planning"]?.routes["stalled"]);
	assert.deepEqual([mine.name, mine.title, mine.inputs], ["mine", was.title, was.inputs]);
	assert.notEqual(mine.hash, was.hash);
});

test("a pipeline can be extended too", async (t) => {
	const mine = await fine(t, "mine", {
		"mine/workflow.yml":
			"name: mine\nextends: bug-fix\nroles: {fixer: {model: strong}}\ntypes: {fix: {timeout: 2h}, lint: {command: lint, after: fix}}\n",
	});
	assert.equal(mine.roles["fixer"]?.model, "strong");
	assert.equal(mine.types["fix"]?.timeoutMs, 7_200_000);
	const steps = mine.steps.map(({ type }) => type);
	assert.equal(steps.indexOf("lint"), steps.indexOf("fix") + 1);
	assert.deepEqual(mine.types["lint"]?.routes["checks_failed"]?.target, "fix");
	const ids = (definition: Definition): string[] => (pipelineOf(definition)?.steps ?? []).map(({ id }) => id);
	assert.deepEqual(ids(mine), ids(await builtIn("bug-fix")));
	const fewer = await fine(t, "mine", { "mine/workflow.yml": "name: mine\nextends: bug-fix\nwithout: [investigate]\n" });
	assert.deepEqual(
		ids(fewer),
		ids(mine).filter((id) => id !== "investigate"),
		"the tables have no row that waits for ever",
	);
});

test("a workflow of the repository can extend the one whose name it takes, and be extended", async (t) => {
	const files = {
		"dynamic/workflow.yml": "name: dynamic\nextends: dynamic\ntypes: {coding: {model: fast}}\n",
		"mine/workflow.yml": "name: mine\nextends: dynamic\ntypes: {review: {model: fast}}\n",
		"third/workflow.yml": "name: third\nextends: ../mine\nworkspace: branch\n",
	};
	const third = await fine(t, "third", files);
	assert.deepEqual([third.types["coding"]?.model, third.types["review"]?.model], ["fast", "fast"]);
	assert.deepEqual(new Set(Object.values(third.inputs).map(({ workspace }) => workspace)), new Set(["branch"]));
});

test("mistakes are reported where they are written, and name what was meant", async (t) => {
	const extending = (text: string) => `name: mine\nextends: dynamic\n${text}\n`;
	assert.match(
		(await problems(t, extending("types: {codng: {model: fast}}")))[0] ?? "",
		/^mine\/workflow\.yml:3:9 `dynamic` has no step `codng`; did you mean `coding`\?/,
	);
	assert.match(
		(await problems(t, extending("types: {a: {prompt: Do it., after: reviw}}")))[0] ?? "",
		/:3:36 no list of `dynamic` has a step `reviw`; did you mean `review`\?/,
	);
	assert.match((await problems(t, extending("without: [prune]")))[0] ?? "", /has a step `prune`/);
	assert.match(
		(await problems(t, extending("types: {coding: {timeout: soon}}")))[0] ?? "",
		/^mine\/workflow\.yml:3:27 `soon` is not a duration/,
	);
	assert.match(
		(await problems(t, extending("without: [final_review]")))[0] ?? "",
		/^dynamic\/workflow\.yml:\d+:\d+ a story of `stories` has no step `final_review`/,
	);
	assert.match(
		(await problems(t, "name: mine\nextends: dynamik\n"))[0] ?? "",
		/^mine\/workflow\.yml:2:10 there is no workflow `dynamik`; did you mean `dynamic`\?/,
	);
	const broken = { "other/workflow.yml": "name: other\nsteps: [a]\n" };
	assert.match((await problems(t, "name: mine\nextends: other\n", broken)).join("\n"), /other\/workflow\.yml:1:1 `types` is missing/);
});

test("circles and long chains are refused", async (t) => {
	const round = { "other/workflow.yml": "name: other\nextends: mine\n" };
	assert.match(
		(await problems(t, "name: mine\nextends: other\n", round)).join("\n"),
		/`mine` extends this workflow, directly or through others/,
	);
	const chain = Object.fromEntries(
		Array.from({ length: 9 }, (_, i) => [`w${i}/workflow.yml`, `name: w${i}\nextends: ${i === 8 ? "dynamic" : `w${i + 1}`}\n`]),
	);
	assert.match((await problems(t, "name: mine\nextends: w0\n", chain)).join("\n"), /8th workflow in a row that extends another/);
	const short = Object.fromEntries(Object.entries(chain).filter(([name]) => /^w[3-8]/.test(name)));
	assert.ok((await load(t, "mine", { "mine/workflow.yml": "name: mine\nextends: w3\n", ...short })).ok);
});

test("a story's list can be replaced, and a step become another", async (t) => {
	const mine = await fine(t, "mine", {
		"mine/workflow.yml": "name: mine\nextends: dynamic\nstory: [coding, linting, final_review, merge]\ntypes: {linting: {command: lint}}\n",
	});
	assert.deepEqual(storySteps(mine), ["coding", "linting", "final_review", "merge"]);
	assert.deepEqual([mine.types["linting"]?.kind, mine.types["linting"]?.role], ["command", undefined]);
	assert.equal(mine.types["linting"]?.routes["checks_failed"]?.target, "coding", "the default");
});
