// A repository with a tracker, a worktree on a branch and a crew of scripted roles that do their work well, for runs of `gated`. A test
// says only who does something else, and when.
import assert from "node:assert/strict";
import { realpathSync } from "node:fs";
import { join } from "node:path";
import { append, type FakeAgent, fakeAgent, type Rule, say, write } from "./fake-agent.ts";
import { type Ended, exited, pawl, type Started, startPawl } from "./pawl.ts";
import { git, list, read, repository, scratchFolder } from "./scratch.ts";

export const ISSUE = "GAL-39";
export const BRANCH = "feature/gal-39";
export const CRITERIA = ["`sum(2, 3)` gives 5", "`sum(-1, 1)` gives 0", "`sum(0, 0)` gives 0"] as const;
const RED = "sum is not there yet";

export interface IssueText {
	readonly status?: string;
	readonly depends?: readonly string[];
	readonly parent?: string;
}

export const issueText = (id: string, { status = "Todo", depends = [], parent = "" }: IssueText = {}): string => `---
id: ${id}
title: Add numbers (${id})
status: ${status}
category: Core
parent: ${parent}
labels: [feature]
depends-on: [${depends.join(", ")}]
---

# ${id}: Add numbers

A line of a person's own.

## Acceptance criteria

${CRITERIA.map((text) => `- [ ] ${text}`).join("\n")}

## Sub-issues
`;

const readme = (issues: Readonly<Record<string, IssueText>>): string =>
	`# TODO\n\n## Core\n\n${Object.entries(issues)
		.map(([id, { status = "Todo" }]) => `- [${id}](${id}.md): Add numbers (${id}), ${status}`)
		.join("\n")}\n`;

export const tracker = (issues: Readonly<Record<string, IssueText>>): Record<string, string> => ({
	"TODO/README.md": readme(issues),
	...Object.fromEntries(Object.entries(issues).map(([id, more]) => [`TODO/${id}.md`, issueText(id, more)])),
});

/** `sum` is not there; its test is a script that says so. */
export const SUMS = {
	"package.json": '{"name":"sums","version":"1.0.0","private":true,"type":"module"}\n',
	"src/sum.mjs": `export const sum = () => { throw new Error("${RED}"); };\n`,
	"src/other.mjs": "export const other = 1;\n",
};

export interface TaskText {
	readonly criteria?: readonly string[];
	readonly files?: readonly string[];
	readonly command?: string;
	readonly symbols?: string;
	readonly contracts?: string;
	readonly depends?: string;
}

export const taskText = (n: number, more: TaskText = {}): string => {
	const {
		criteria = CRITERIA,
		files = n === 1 ? ["src/sum.mjs"] : [`src/part${n}.mjs`],
		command = "node test/sum.test.mjs",
		symbols = "no",
	} = more;
	return `# Task ${n}: part ${n} of the sums

Part ${n} makes its criteria hold. words-of-task-${n}

## Acceptance criteria
${criteria.map((text) => `- ${text}`).join("\n")}

## Files
${files.join("\n")}

## Code context
src/sum.mjs exports \`sum\`. context-of-task-${n}

## Integration contracts
${more.contracts ?? "None."}

## Test design
Small integers. design-of-task-${n}

## Test command
${command}

${more.depends === undefined ? "" : `Depends on: ${more.depends}\n\n`}New symbols: ${symbols}
`;
};

export const PLAN = `# Plan: add numbers

## Goal
\`sum\` in src/sum.mjs adds its two arguments. words-of-the-plan

## Test design
Call it and compare.
`;

export const testText = (want = "5"): string =>
	`import { sum } from "../src/sum.mjs";\nlet got;\ntry { got = sum(2, 3); } catch {}\nif (got !== ${want}) { console.log("${RED}"); process.exit(1); }\n`;
export const CODE = "export const sum = (a, b) => a + b;\n";

export const done = say("STATUS: done");
export const ready = (more = ""): string => say(`STATUS: TESTS_READY\nESCALATE_TO_CHECK: false\n${more}FAILURE: ${RED}`);
export const complete = (more = ""): string => say(`STATUS: COMPLETE\nESCALATE: none\nNOTES: green${more}`);
export const incomplete = (hint = "none", notes = "stuck"): string => say(`STATUS: INCOMPLETE\nESCALATE: ${hint}\nNOTES: ${notes}`);
export const verdict = (word: string, ...findings: string[]): string =>
	say(`VERDICT: ${word}\nFINDINGS:${findings.length === 0 ? " none" : findings.map((f) => `\n- ${f}`).join("")}`);
export const diagnosis = (word: string, notes = "look there"): string => say(`DIAGNOSIS: ${word}\nNOTES: ${notes}`);
/** A role's nth call in a step type does this; in a gate both roles count. */
export const on = (type: string, nth: number | undefined, ...lines: string[]): Rule => ({
	when: { type, ...(nth === undefined ? {} : { nth }) },
	do: lines,
});
/** The how-many-th call of a role, whatever the step. */
export const turn = (role: string, nth: number, ...lines: string[]): Rule => ({ when: { role, turn: nth }, do: lines });
export const always = (role: string, ...lines: string[]): Rule => ({ when: { role }, do: lines });

export interface SiteOptions {
	readonly id?: string;
	readonly branch?: string;
	readonly tasks?: readonly string[];
	readonly issues?: Readonly<Record<string, IssueText>>;
	readonly files?: Readonly<Record<string, string>>;
	readonly repo?: string;
	readonly env?: Readonly<Record<string, string>>;
}

export function crew(id: string, tasks: readonly string[]): Rule[] {
	const dir = `.workflow/run-${id}`;
	const plan = [write(`${dir}/plan.md`, PLAN), append(`${dir}/plan.md`, "\nRevision $n."), done];
	const split = [
		...tasks.flatMap((text, i) => [write(`${dir}/task-${i + 1}.md`, text), append(`${dir}/task-${i + 1}.md`, "\nRevision $n.")]),
		say(`STATUS: done\nTASKS: ${tasks.length}`),
	];
	const fixes = `for file in $(grep -o '/[^ ]*/task-fix-[0-9]*\\.md' "$call/prompt" | sort -u); do printf '# Fix\\n\\nPut it right.\\n\\n## Files\\nsrc/sum.mjs\\n\\n## Test command\\nnode test/sum.test.mjs\\n\\nNew symbols: no\\n' > "$file"; done`;
	return [
		on("context", undefined, say("STATUS: FOUND")),
		...["plan", "revise_plan", "rework_plan"].map((type) => on(type, undefined, ...plan)),
		...["split", "revise_split", "revise_spec"].map((type) => on(type, undefined, ...split)),
		on("write_fixes", undefined, fixes, done),
		on("polish", undefined, append("src/sum.mjs", "// tidy"), done),
		on("sign_off", undefined, say("SIGN_OFF: yes\nRATIONALE: the justification holds")),
		on("diagnose", undefined, diagnosis("production_logic")),
		...["check", "simplify"].map((role) => always(role, verdict("ACCEPTABLE"))),
		always("test", write("test/sum.test.mjs", testText()), append("test/sum.test.mjs", "// $n"), ready()),
		always("make", write("src/sum.mjs", CODE), append("src/sum.mjs", "// $n"), complete()),
	];
}

export interface Filed {
	readonly id: string;
	readonly text: string;
	readonly label: string;
}

export interface IssueSite {
	/** It has no command line that prints anything. */
	readonly quick?: boolean;
	readonly repo: string;
	readonly tree: string;
	readonly dir: string;
	readonly agent: FakeAgent;
	run(...more: string[]): Promise<Ended>;
	runs(code: number, ...more: string[]): Promise<Ended>;
	start(...more: string[]): Started;
	cmd(...args: string[]): Promise<Ended>;
	/** One letter a dispatch: O orchestrator, C check, T test, M make; simplify and pm left out. */
	order(): string;
	prompts(type: string): string[];
	issue(id?: string): string;
	status(id?: string): string;
	filed(): Filed[];
	commits(): { readonly subject: string; readonly files: readonly string[] }[];
	/** A file as it is in a commit: HEAD, or HEAD~1. */
	show(commit: string, file: string): string;
	/** What is changed and not committed; the lines of `git status --porcelain`. */
	dirty(): string;
	summary(): string;
	/** Where the run's own files are. */
	shared(): string;
}

export function issueSite(rules: readonly Rule[] = [], options: SiteOptions = {}): IssueSite {
	const { id = ISSUE, branch = BRANCH, tasks = [taskText(1)], issues = { [id]: {} }, files = SUMS, env = {} } = options;
	const repo = options.repo ?? repository({ ...files, ...tracker(issues) });
	const tree = join(realpathSync(scratchFolder("worktree")), "wt");
	git(repo, "worktree", "add", "-q", "--no-track", "-b", branch, tree, "main");
	const agent = fakeAgent([...rules, ...crew(id, tasks)]);
	const known = new Set(list(tree, "TODO"));
	const dir = join(tree, ".workflow", `run-${id}`);
	const args = (more: readonly string[]): string[] => ["run", "gated", id, "--agent-command", agent.command, ...more];
	const issue = (which = id): string => read(tree, "TODO", `${which}.md`);
	return {
		repo,
		tree,
		dir,
		agent,
		run: (...more) => pawl(args(more), { cwd: tree, env }),
		runs: async (code, ...more) => exited(await pawl(args(more), { cwd: tree, env }), code),
		start: (...more) => startPawl(args(more), { cwd: tree, env }),
		cmd: (...words) => pawl(words, { cwd: tree, env }),
		order: () => orderOf(agent),
		prompts: (type) => agent.of(type).map((call) => call.prompt),
		issue,
		status: (which = id) => front(issue(which), "status"),
		filed: () => filedIn(tree, known),
		commits: () =>
			git(tree, "log", "--reverse", "--name-only", "--format=%x01%s", "main..HEAD")
				.split("\x01")
				.filter((text) => text !== "")
				.map((text) => {
					const [subject = "", ...names] = text.trim().split("\n");
					return { subject, files: names.filter((name) => name !== "") };
				}),
		show: (commit, file) => git(tree, "show", `${commit}:${file}`),
		dirty: () => git(tree, "status", "--porcelain"),
		summary: () => read(dir, "summary.md"),
		shared: () => join(repo, ".pawl", "latest"),
	};
}

const LETTERS: Readonly<Record<string, string>> = { orchestrator: "O", check: "C", test: "T", make: "M" };
export const orderOf = (agent: FakeAgent): string =>
	agent
		.calls()
		.map((call) => LETTERS[call.env["PAWL_ROLE"] ?? ""] ?? "")
		.join("");

export const front = (text: string, key: string): string => new RegExp(`^${key}:[ \\t]*(.*)$`, "m").exec(text)?.[1]?.trim() ?? "";

export const filedIn = (tree: string, known: ReadonlySet<string>): Filed[] =>
	list(tree, "TODO")
		.filter((name) => name.endsWith(".md") && !known.has(name))
		.map((name) => {
			const text = read(tree, "TODO", name);
			return { id: name.slice(0, -3), text, label: front(text, "labels").replace(/[[\]]/g, "") };
		});

/** It ended well: one commit of code, one of the tracker, a clean tree. */
export function assertLanded(site: IssueSite, before = 1): void {
	const commits = site.commits();
	assert.equal(commits.length, before + 1, JSON.stringify(commits));
	const last = commits.at(-1);
	assert.match(last?.subject ?? "", /^chore\(todo\): /);
	assert.ok(last?.files.every((file) => file.startsWith("TODO/")));
	for (const commit of commits.slice(0, -1))
		assert.ok(
			commit.files.every((file) => !file.startsWith("TODO/") && !file.startsWith(".workflow")),
			commit.subject,
		);
	assert.equal(site.dirty(), "");
}

/** The failure handler did its work: nothing that looks done. */
export function assertGivenUp(site: IssueSite, ended: Ended): void {
	assert.equal(ended.code, 1, ended.all.slice(-3000));
	assert.equal(site.status(), "Todo");
	for (const text of site.quick === true
		? []
		: [
				`git worktree remove --force ${site.tree}`,
				`git branch -D ${BRANCH}`,
				`git worktree add -b ${BRANCH} ${site.tree} main`,
				`pawl run gated ${ISSUE}`,
			])
		assert.ok(ended.all.includes(text), `${text} in\n${ended.all.slice(-1500)}`);
	assert.deepEqual(
		site.commits().map((c) => c.subject),
		[`wip: ${ISSUE}, given up`],
	);
	assert.deepEqual(site.filed(), []);
}
