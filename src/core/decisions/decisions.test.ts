// What the core decides, word for word: each scenario of the `.suite.ts` files here, and in the `.txt` file of the same name what came of it. Whoever changes the core
// sees here in a second what else that changes. If it is meant, `node src/core/decisions/decisions.test.ts --write` writes the files anew, and the diff is reviewed.
import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { ANSWERS } from "./answers.suite.ts";
import { BUDGETS } from "./budgets.suite.ts";
import { EDITS } from "./edits.suite.ts";
import { GATES } from "./gates.suite.ts";
import { LOOPS } from "./loops.suite.ts";
import { PERSONS } from "./persons.suite.ts";
import { PLANS } from "./plans.suite.ts";
import { REPORTS } from "./reports.suite.ts";
import { RESUMES } from "./resumes.suite.ts";
import { ROUTES } from "./routes.suite.ts";
import { STORIES } from "./stories.suite.ts";
import { type Scenarios, tell } from "./tell.suite.ts";

const FILES: Readonly<Record<string, Scenarios>> = {
	answers: ANSWERS,
	budgets: BUDGETS,
	edits: EDITS,
	gates: GATES,
	loops: LOOPS,
	persons: PERSONS,
	plans: PLANS,
	reports: REPORTS,
	resumes: RESUMES,
	routes: ROUTES,
	stories: STORIES,
};
const HEAD = "=== ";

const pathOf = (name: string): string => join(import.meta.dirname, `${name}.txt`);
const textOf = (scenarios: Scenarios): string =>
	Object.entries(scenarios)
		.map(([name, play]) => `${HEAD}${name}\n${tell(play())}\n`)
		.join("\n");

function read(name: string): ReadonlyMap<string, string> {
	const text = existsSync(pathOf(name)) ? readFileSync(pathOf(name), "utf8") : "";
	const parts = text.split(new RegExp(`^${HEAD}`, "m")).slice(1);
	return new Map(parts.map((part) => [part.slice(0, part.indexOf("\n")), part.slice(part.indexOf("\n") + 1).trimEnd()]));
}

if (process.argv.includes("--write")) for (const [name, scenarios] of Object.entries(FILES)) writeFileSync(pathOf(name), textOf(scenarios));

for (const [name, scenarios] of Object.entries(FILES)) {
	const kept = read(name);
	for (const [scenario, play] of Object.entries(scenarios))
		test(`${name}: ${scenario}`, () => assert.equal(tell(play()), kept.get(scenario) ?? "(not recorded: run this file with --write)"));
	test(`${name}: every recorded scenario is still there`, () => assert.deepEqual([...kept.keys()], Object.keys(scenarios)));
}
