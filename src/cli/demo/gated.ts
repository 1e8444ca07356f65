// `pawl demo gated`: one issue through nine phases. Tests that pass before there is code are sent back; the code is only believed when
// pawl itself sees the tests pass.
import type { Demo } from "./description.ts";
import { signals } from "./happenings.ts";

const issue = (id: string, title: string, status: string, criteria: readonly string[]): string => `---
id: ${id}
title: ${title}
status: ${status}
category: Core
parent:
labels: [feature]
depends-on: []
---

# ${id}: ${title}

## Acceptance criteria

${criteria.map((text) => `- [${status === "Done" ? "x" : " "}] ${text}`).join("\n")}

## Sub-issues
`;

const TODO = `# TODO

## Core

- [GRE-6](GRE-6.md): Greet by name, Done
- [GRE-7](GRE-7.md): Greet in other languages, Todo
- [GRE-8](GRE-8.md): A command line for greet, Todo
`;

const GREET = `/** Greets \`name\`, or the world. */
export function greet(name = "world") {
	return \`Hello, \${name}!\`;
}
`;

const GREET_TEST = `import { greet } from "../src/greet.mjs";
import { check } from "./check.mjs";

check("greets by name", () => greet("Ada"), "Hello, Ada!");
check("greets the world", () => greet(), "Hello, world!");
`;

const CHECK = `/** Calls \`work\` and compares its result, or the message of what it threw. */
export function check(name, work, wanted) {
	let got;
	try {
		got = work();
	} catch (error) {
		got = error.message;
	}
	console.log(got === wanted ? \`ok - \${name}\` : \`not ok - \${name}: wanted "\${wanted}", got "\${got}"\`);
	if (got !== wanted) process.exitCode = 1;
}
`;

export const gated: Demo = {
	about: `One issue of a TODO folder, nine phases, five roles that may each write only
their own files. No model is asked; pawl runs the tests itself. You will see
tests sent back because they pass before there is any code, then RED, code that
does not make them pass, a diagnosis, and GREEN. Only then there is a commit.`,
	files: {
		"package.json": '{ "name": "greet", "version": "1.0.0", "private": true, "type": "module" }\n',
		"pawl.yml": "checks:\n  test: node test/greet.test.mjs\n",
		"src/greet.mjs": GREET,
		"test/check.mjs": CHECK,
		"test/greet.test.mjs": GREET_TEST,
		"TODO/README.md": TODO,
		"TODO/GRE-6.md": issue("GRE-6", "Greet by name", "Done", ["`greet(name)` greets; without a name it greets the world"]),
		"TODO/GRE-7.md": issue("GRE-7", "Greet in other languages", "Todo", [
			'`greet("Ada", "de")` gives Hallo, Ada!',
			"Any other language is refused by an error that names it",
		]),
		"TODO/GRE-8.md": issue("GRE-8", "A command line for greet", "Todo", ["`greet --lang de Ada` prints the greeting"]),
	},
	branch: "feature/gre-7",
	workflow: "gated",
	given: "GRE-7",
	script: "gated/demo.yml",
	typed: "git checkout -b feature/gre-7 && pawl run gated GRE-7",
	happenings: signals({ not_red: "not RED", red: "RED", failing: "not GREEN", production_logic: "diagnosis", green: "GREEN" }),
	look: [
		["git log --stat main..", "a commit of code, one of the tracker"],
		["cat .workflow/run-GRE-7/red.txt", "what the tests printed without code"],
		["cat .workflow/run-GRE-7/summary.md", "phase by phase"],
		["pawl status", "the run; also history, logs, cost, diff"],
		["pawl todo list", "the issues as they are now"],
	],
};
