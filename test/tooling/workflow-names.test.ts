// The law that no code knows one workflow or one format from another, outside of `workflows/` and `src/format/`: by name, by field or by flag.
// What a workflow needs and the language lacks becomes a construct of the language; what a format needs, a part of its contract.
import assert from "node:assert/strict";
import { globSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { formats } from "../../src/format/all.ts";

const root = join(import.meta.dirname, "..", "..");

/** Those that must know: who lists the formats, the demo and the examples of the help, which show workflows, the keys of pawl.yml, what is made of formats. */
const KNOW = /^src\/(?:format\/|wiring\.ts|cli\/demo\/|cli\/help\.ts|config|library\/documents\.ts|text\/|toolchain\/)/;
/** Tests run the built-in workflows by their names. */
const TESTS = /\.(?:test|suite|child)\.ts$/;
/** Names that other programs read: branches, subjects of commits, variables of the environment. */
const READ_BY_OTHERS = /ralph\/|heads\\?\/ralph|feat\(ralph\)|ralph_agent_|RALPH_/g;

function found(pattern: RegExp, but: RegExp = /^$/): string[] {
	const files = globSync("src/**/*.ts", { cwd: root }).filter((file) => !KNOW.test(file) && !TESTS.test(file) && !but.test(file));
	assert.ok(files.length > 200);
	return files.flatMap((file) =>
		readFileSync(join(root, file), "utf8")
			.split("\n")
			.flatMap((line, i) => (pattern.test(line.replace(READ_BY_OTHERS, "")) ? [`${file}:${i + 1}: ${line.trim()}`] : [])),
	);
}

test("no file holds the name of a workflow", () => {
	const names = readdirSync(join(root, "workflows"));
	assert.ok(names.length >= 5);
	// `dynamic` and `plan` are English words too: only the name itself, in quotes, counts.
	const words = names.map((name) => (name === "dynamic" || name === "plan" ? `["'\`]${name}["'\`]` : `(?<![a-z])${name}(?![a-z])`));
	assert.deepEqual(found(new RegExp(words.join("|"), "i")), []);
});

/** Names of the language itself that a format has as well. */
// `issues` is also what zod calls the problems that it finds.
const LANGUAGE = ["request", "task", "issue", "issues", "criteria", "tasks", "progress", "promise"];

test("no file holds a name that a format brings", () => {
	const brought = formats.flatMap((format) => [
		...["readers", "evidence", "keepers", "writeRules", "controlFiles", "projections"].flatMap((kind) =>
			Object.keys(format[kind as "readers"] ?? {}),
		),
		// Those of a command of its own are plain words, such as --out.
		...Object.entries(format.flags ?? {}).flatMap(([name, { command }]) => (command === undefined ? [name] : [])),
		...Object.values(format.stateFiles ?? {}).map(({ folder }) => folder),
	]);
	const names = [...new Set(brought)].filter((name) => !LANGUAGE.includes(name));
	assert.ok(names.length > 12, names.join(" "));
	assert.deepEqual(found(new RegExp(`["'\`.](?:${names.join("|")})(?![\\w-])`)), []);
});

test("no file holds a key of a format's input, a field of its runs or a word of its files", () => {
	const words = [
		"prd",
		"task_doc",
		"state_dir",
		"progress_file",
		"folder_id",
		"run_dir",
		"issue_id",
		"start_iteration",
		"scheme",
		"supervisor",
	];
	const files = ["workflow_state", "agent-state", "openclaw", "STORIES_JSON", "control\\.json"];
	assert.deepEqual(found(new RegExp(`(?<![\\w-])(?:${[...words, ...files].join("|")})(?![\\w-])`), /^src\/definition\//), []);
	// The store has tables for other programs, by the names that those know.
	assert.deepEqual(found(/pipeline/i, /^src\/store\//), []);
});
