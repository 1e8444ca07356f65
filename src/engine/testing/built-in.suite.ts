// A small successful run of each built-in workflow, for tests that need every workflow: files, input, and a cast that does its work.
// A test changes what it is about.
import { join } from "node:path";
import type { Cast, Part } from "./cast.suite.ts";
import type { HarnessOptions } from "./harness.suite.ts";

export type BuiltIn = Omit<HarnessOptions, "pulled">;

const README = { "README.md": "a project\n" };
const SUMMARY = "## SUMMARY\n- it is done\n";

/** One file per story; the agent commits one half and leaves the other half to the engine. */
const codes: Part = async ({ files, checkout, story, takes }) => {
	await takes(60_000);
	files.write(`${story}.txt`, `${story}\n`);
	checkout.commitAll(`work on ${story}`);
	files.write(`more/${story}.txt`, `${story}\n`);
	return SUMMARY;
};

const dynamic: BuiltIn = {
	workflow: "dynamic",
	mode: "prd",
	stories: ["US-1", "US-2"],
	options: { agents: 2 },
	files: README,
	checks: { lint: () => 0, test: (files) => (files.read("README.md") === null ? 1 : 0) },
	cast: { coding: codes, "*": SUMMARY },
};

const NOT_YET = "there is not enough of it yet";
const MORE = "work, and more\n";

const story = (n: number): object => ({
	id: `US-00${n}`,
	title: `Title ${n}`,
	description: `Do part ${n}`,
	acceptanceCriteria: [`criterion ${n}`],
});

const develops: Part = ({ files, checkout, story: id, type, prompt }) => {
	const file = `work/${id || type}.txt`;
	files.write(file, prompt.includes(NOT_YET) || files.read(file) === MORE ? MORE : "work\n");
	checkout.commitAll(`feat: ${id || type}`);
	return "STATUS: done\nCHANGES: a file\nTESTS: none\n";
};

/** Sends the first story back once. It decides by the files it finds, so that a killed process makes no difference. */
const verifies: Part = ({ files, story: id }) =>
	id === "US-001" && files.read(`work/${id}.txt`) === "work\n" ? `STATUS: retry\nISSUES: ${NOT_YET}\n` : "STATUS: done\n";

const plans = (branch: string): string =>
	`STATUS: done\nREPO: .\nBRANCH: ${branch}\nSTORIES_JSON: ${JSON.stringify([story(1), story(2)])}\n`;
const pipeline = (workflow: string, cast: Cast): BuiltIn => ({
	workflow,
	given: "Add a field",
	files: README,
	cast: { ...cast, "*": "STATUS: done\n" },
});

const DOCUMENT = `# Demo

What it is about.

## Phase 1: Part 1

### Task 1.1: Job 1.1

Do it.

- [ ] File exists \`test -f work/1.1.txt\`
- [ ] Notes are written

### Task 1.2: Job 1.2

Do it.

- [ ] File exists \`test -f work/1.2.txt\`

## Phase 2: Part 2

### Task 2.1: Job 2.1

Do it.

- [ ] File exists \`test -f work/2.1.txt\`
`;

const phased: BuiltIn = {
	workflow: "phased",
	given: "tasks/demo.md",
	checkouts: "disk",
	files: { ...README, "tasks/demo.md": DOCUMENT },
	cast: {
		planner: "STATUS: done",
		supervisor: "ACTION: pass",
		"task-executor": async ({ files, checkout, story: task, takes }) => {
			await takes(600_000);
			files.write(`work/${task}.txt`, `${task}\n`);
			checkout.commitAll("work");
			return "STATUS: done\nCRITERIA:\n- file_exists: true\n- notes_are_written: true\nLEARNING: files are easy\n";
		},
		"code-improvement-scanner": "FINDINGS: none",
	},
};

const FOLDER = "ralph/runs/demo";
const PROMISE = "<promise>ALL STORIES PASS</promise>";
const loopStory = (n: number): object => ({
	id: `S${n}`,
	title: `Story ${n}`,
	size: "XS",
	passes: false,
	acceptance_criteria: [`\`test -f s${n}.txt\` exits 0`],
	notes: "",
});
const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

/** Completes the next story; the last one gives the promise. */
const works: Part = async ({ files, checkout, takes }) => {
	await takes(60_000);
	const prd = files.read(`${FOLDER}/prd.json`) ?? "";
	const next = /"id": "S(\d)",[^}]*"passes": false/.exec(prd)?.[1];
	if (next === undefined) return PROMISE;
	files.write(`s${next}.txt`, "done\n");
	files.write(`${FOLDER}/prd.json`, prd.replace(new RegExp(`("id": "S${next}"[^}]*"passes": )false`), "$1true"));
	files.write(`${FOLDER}/progress.md`, `${files.read(`${FOLDER}/progress.md`) ?? ""}\n- Story ${next}\n---\n`);
	checkout.commitAll(`story ${next}`);
	return "Worked on it.";
};

const ralph: BuiltIn = {
	workflow: "ralph",
	given: "demo",
	checkouts: "disk",
	files: {
		...README,
		[`${FOLDER}/PRD.md`]: "# PRD\n\nTwo files.\n",
		[`${FOLDER}/prd.json`]: json({ run_id: "demo", title: "A demo", stories: [loopStory(1), loopStory(2)] }),
		[`${FOLDER}/PROMPT.md`]: `# demo\n\nRead ${FOLDER}/PRD.md, ${FOLDER}/prd.json and ${FOLDER}/progress.md first.\nPick the next story with passes=false. Implement, test and commit it. Set passes=true only when its criteria are met.\nAppend a progress entry. When all stories pass, end your final message with this line:\n\n${PROMISE}\n`,
		[`${FOLDER}/progress.md`]: "# Progress\n",
		[`${FOLDER}/orchestration.json`]: json({ scheme: "W2R", cursor: 0, queue: [], final_review_pending: false }),
	},
	cast: {
		worker: works,
		reviewer: ({ files }) => {
			files.write(`${FOLDER}/review.md`, "# Review\n\nSTEERING_NEEDED: no\nREASON: it fits\n");
			return "STEERING_NEEDED: no\nREASON: it fits\nSUGGESTED_ACTIONS: none\nACCEPTED: yes";
		},
		steering: "Steered.",
	},
};

const ISSUE = "GAL-39";
const RED = "sum is not there yet";
const CRITERIA = ["`sum(2, 3)` gives 5", "`sum(0, 0)` gives 0"];
const WORKFLOW_DIR = `.workflow/run-${ISSUE}`;
const TASK = `# Task 1: the sums

Makes its criteria hold.

## Acceptance criteria
${CRITERIA.map((text) => `- ${text}`).join("\n")}

## Files
src/sum.mjs

## Code context
src/sum.mjs exports \`sum\`.

## Integration contracts
None.

## Test design
Small integers.

## Test command
node test/sum.test.mjs

New symbols: no
`;

/** The reader of issues asks git, which the test does not have: this is what git would answer. */
const gated: BuiltIn = {
	workflow: "gated",
	checkouts: "disk",
	reader: "none",
	files: {
		"package.json": '{"name":"sums","version":"1.0.0","private":true,"type":"module"}\n',
		"src/sum.mjs": `export const sum = () => { throw new Error("${RED}"); };\n`,
		"TODO/README.md": `# TODO\n\n## Core\n\n- [${ISSUE}](${ISSUE}.md): Add numbers, Todo\n`,
		[`TODO/${ISSUE}.md`]: `---\nid: ${ISSUE}\ntitle: Add numbers\nstatus: Todo\ncategory: Core\nparent:\nlabels: [feature]\ndepends-on: []\n---\n\n# ${ISSUE}: Add numbers\n\n## Acceptance criteria\n\n${CRITERIA.map((text) => `- [ ] ${text}`).join("\n")}\n\n## Sub-issues\n`,
	},
	user: (site) => site.switchTo("feature/gal-39"),
	inputOf: (root) => ({
		issue_id: ISSUE,
		issue_file: join(root, "TODO", `${ISSUE}.md`),
		run_dir: join(root, WORKFLOW_DIR),
		plan_file: join(root, WORKFLOW_DIR, "plan.md"),
		diff_file: join(root, WORKFLOW_DIR, "changes.diff"),
		worktree: root,
		repository: root,
		branch: "feature/gal-39",
		base_branch: "main",
		recovery_commands: "  git branch -D feature/gal-39",
	}),
	exclude: ["/.workflow/"],
	options: { base: "feature/gal-39" },
	actions: { "issue.preconditions": async () => ({ signal: "fit" }) },
	commands: (command, files) => {
		if (!command.includes("test/sum.test.mjs") || files.read("test/sum.test.mjs") === null) return undefined;
		return files.read("src/sum.mjs")?.includes("a + b") ? { exitCode: 0, output: "ok\n" } : { exitCode: 1, output: `${RED}\n` };
	},
	cast: {
		pm: "STATUS: FOUND",
		orchestrator: "STATUS: done",
		plan: ({ files }) => {
			files.write(`${WORKFLOW_DIR}/plan.md`, "# Plan: add numbers\n\n## Goal\n`sum` adds.\n\n## Test design\nCall it and compare.\n");
			return "STATUS: done";
		},
		split: ({ files }) => {
			files.write(`${WORKFLOW_DIR}/task-1.md`, TASK);
			return "STATUS: done\nTASKS: 1";
		},
		test: ({ files }) => {
			files.write("test/sum.test.mjs", 'import { sum } from "../src/sum.mjs";\n');
			return `STATUS: TESTS_READY\nESCALATE_TO_CHECK: false\nFAILURE: ${RED}`;
		},
		make: ({ files }) => {
			files.write("src/sum.mjs", "export const sum = (a, b) => a + b;\n");
			return "STATUS: COMPLETE\nESCALATE: none\nNOTES: green";
		},
		check: "VERDICT: ACCEPTABLE\nFINDINGS: none",
		simplify: "VERDICT: ACCEPTABLE\nFINDINGS: none",
	},
};

const plan: BuiltIn = {
	workflow: "plan",
	given: "Greet louder",
	checkouts: "disk",
	files: README,
	cast: { planner: `STATUS: done\nPRD_JSON: ${JSON.stringify({ name: "Louder", userStories: [story(1), story(2)] })}\n` },
};

/** Name → options; `dynamic` on a request counts as a separate workflow. */
export const BUILT_IN: Readonly<Record<string, BuiltIn>> = {
	dynamic,
	"dynamic, a request": { ...dynamic, mode: "request", given: "Add a file", stories: ["US-1"], options: {} },
	"feature-dev": pipeline("feature-dev", { plan: plans("feature/field"), implement: develops, verify: verifies }),
	"bug-fix": pipeline("bug-fix", { triage: "STATUS: done\nBRANCH: fix/it\n", fix: develops }),
	"security-audit": pipeline("security-audit", { prioritize: plans("security/audit"), fix: develops }),
	phased,
	ralph,
	gated,
	plan,
};
