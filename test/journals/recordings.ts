// The runs that scripts/record-journals.ts records: every built-in workflow once to its end and once killed in the middle, each at another
// kind of point, and one whose steps agents come for. Agents go by step and attempt, so that a resume finds them as they were.
import type { Files, RecordingSite } from "./recording-site.ts";

export interface Recording {
	readonly name: string;
	/** Of the first commit. */
	readonly files: Files;
	/** The script of the agent `scripted`, or none. */
	readonly script?: object;
	/** A shell script beside the repository, for the agent `command`. */
	readonly agent?: string;
	/** A worktree that the user made, on this branch; the run is started there. */
	readonly branch?: string;
	/** Where pawl is killed (PAWL_CRASH_AT). */
	readonly cutAt?: string;
	/** Records it; the claim that is held afterwards, if any. */
	record(site: RecordingSite): string | null;
}

const README = { "README.md": "# A project\n" };
const USAGE = { usage: { input_tokens: 1000, output_tokens: 100, cost_usd: 0.01 } };
const says = (on: object, text: string): object => ({ on, do: [USAGE, { say: text }] });
const scripted = (steps: readonly object[], text = "STATUS: done\n"): object => ({ steps, default: { do: [USAGE, { say: text }] } });

/** Runs it; one that is killed there, or to the end. */
const runs =
	(...args: string[]) =>
	(site: RecordingSite): null => {
		site.pawl(["run", ...args], site.cutAt === undefined ? { exit: 0 } : { killed: true });
		return null;
	};

// ---- dynamic

const SKIPPED = ["step-003", "step-004", "step-007", "step-008", "step-009"];
const SUMMARY = "Worked on it.\n\n## SUMMARY\n- {type} of {story} is done\n";
const dynamic = scripted(
	[
		{
			on: { type: "planning" },
			do: [USAGE, { edit: SKIPPED.map((id) => ({ operation: "skip", target_step_id: id, reason: "a small change" })) }, { say: SUMMARY }],
		},
		{
			on: { type: "coding" },
			do: [
				USAGE,
				{ write: { path: "{story}.txt", content: "{story}\n" } },
				{ commit: "Add {story}.txt" },
				// Left to the engine.
				{ write: { path: "more/{story}.txt", content: "{story}\n" } },
				{ append_shared: { path: "scratch_{story}.md", content: "coded in {step}\n" } },
				{ say: SUMMARY },
			],
		},
	],
	SUMMARY,
);
const prd = JSON.stringify(
	{
		name: "recorded",
		userStories: ["US-1", "US-2", "US-3"].map((id, i) => ({
			id,
			title: `Add ${id}.txt`,
			description: `Write ${id}.txt`,
			acceptanceCriteria: ["it is there"],
			priority: i + 1,
			passes: false,
			notes: "",
			...(id === "US-3" ? { depends_on: ["US-1"] } : {}),
		})),
	},
	null,
	2,
);
const request = {
	files: README,
	script: dynamic,
	record: runs("dynamic", "Add a file", "--agent", "scripted", "--script", "../script.yml"),
};
const stories = (agents: number) => ({
	files: { ...README, "prd.json": `${prd}\n` },
	script: dynamic,
	record: runs("dynamic", "--prd", "prd.json", "--agents", String(agents), "--agent", "scripted", "--script", "../script.yml"),
});

// ---- pipelines

const story = (n: number): object => ({
	id: `US-00${n}`,
	title: `Title ${n}`,
	description: `Do part ${n}`,
	acceptanceCriteria: [`part ${n} is there`, "Typecheck passes"],
});
const plan = (branch: string): string =>
	`STATUS: done\nREPO: here\nBRANCH: ${branch}\nSTORIES_JSON: ${JSON.stringify([story(1), story(2)])}\n`;
const develops = (on: object, message: string): object => ({
	on,
	do: [
		USAGE,
		{ write: { path: "work/{story}-{step}-{attempt}.txt", content: "work\n" } },
		{ commit: message },
		{ append_shared: { path: "progress.txt", content: "learned in {story}\n" } },
		{ say: "STATUS: done\nCHANGES: changed {story}\nTESTS: none\nREGRESSION_TEST: make test\n" },
	],
});
const pipeline = (name: string, task: string, ...steps: object[]) => ({
	files: README,
	script: scripted(steps),
	record: runs(name, task, "--agent", "scripted", "--script", "../script.yml"),
});
const featureDev = pipeline(
	"feature-dev",
	"Add a status to profiles",
	says({ step: "plan" }, plan("feature/status")),
	develops({ step: "implement" }, "feat: {story}"),
	says({ step: "verify", story: "US-001", attempt: 1 }, "STATUS: retry\nISSUES: not yet\n"),
	says({ step: "pr" }, "STATUS: done\nPR_TITLE: Give profiles a status\nPR_BODY: Because.\n"),
);
const bugFix = pipeline(
	"bug-fix",
	"It crashes on an empty list",
	says({ step: "triage" }, "STATUS: done\nSEVERITY: high\nREPRODUCTION: run it\nEXPECTED: no crash\nAREA: lists\nBRANCH: fix/empty-list\n"),
	says({ step: "investigate" }, "STATUS: done\nCAUSE: off by one\nFIX_PLAN: <=\nTEST_PLAN: an empty list\nRISKS: none\n"),
	develops({ step: "fix" }, "fix: the last index"),
);
const securityAudit = pipeline(
	"security-audit",
	"Look at everything",
	says({ step: "scan" }, "STATUS: done\nFINDINGS:\n- high: a.ts:1 injection\nSCANNED: all\nNOT_SCANNED: none\n"),
	says({ step: "prioritize" }, `${plan("security/audit")}DEFERRED: none\n`),
	develops({ step: "fix" }, "fix: {story}"),
);

interface Claimed {
	readonly claim: string;
	readonly stepId: string;
	readonly workspace: string;
}

/** Agents come for its steps. The developer has taken the first story and half of its work lies there. */
function pulled(site: RecordingSite): string {
	const claim = (agent: string): Claimed => JSON.parse(site.pawl(["step", "claim", agent, "--lease", "1h"], { exit: 0 })) as Claimed;
	site.pawl(["workflow", "run", "feature-dev", "Add a status to profiles"], { exit: 0 });
	site.pawl(["step", "complete", claim("planner").claim], { exit: 0, stdin: plan("feature/pulled") });
	const developer = claim("developer");
	site.write(developer.workspace, { "half.txt": "half\n" });
	return developer.claim;
}

// ---- phased

const document = `# Recorded

Three small jobs.

${[["1.1", "1.2"], ["2.1"]]
	.map((tasks, p) => {
		const text = tasks.map(
			(id) => `### Task ${id}: Job ${id}\n\nDo it.\n\n- [ ] File exists \`test -f work/${id}.txt\`\n- [ ] Notes are written\n`,
		);
		return `## Phase ${p + 1}: Part ${p + 1}\n\n${text.join("\n")}`;
	})
	.join("\n")}`;
const phased = {
	files: { ...README, "tasks/demo.md": document },
	script: scripted([
		...["pre_task", "post_task", "on_demand"].map((type) => says({ type }, "ACTION: pass\n")),
		{
			on: { type: ["execute", "fix"] },
			do: [
				USAGE,
				{ write: { path: "work/{story}.txt", content: "{story}\n" } },
				{ commit: "Job {story}" },
				{ say: "STATUS: done\nCRITERIA:\n- file_exists: true\n- notes_are_written: true\nLEARNING: learned in {story}\n" },
			],
		},
		says({ type: "scan" }, "FINDINGS: none\n"),
	]),
	// The time for which nobody drove it must not use up its budget, however much later it is gone on with.
	record: runs("phased", "tasks/demo.md", "--yes", "--max-time", "900000h", "--agent", "scripted", "--script", "../script.yml"),
};

// ---- ralph

const DIR = "ralph/runs/demo";
const ralph = {
	files: {
		...README,
		[`${DIR}/PRD.md`]: "# PRD\n\nTwo files.\n",
		[`${DIR}/prd.json`]: `${JSON.stringify(
			{
				run_id: "demo",
				title: "A demo",
				stories: [1, 2].map((n) => ({
					id: `S${n}`,
					title: `Story ${n}`,
					size: "XS",
					passes: false,
					acceptance_criteria: [`\`test -f s${n}.txt\` exits 0`],
					notes: "",
				})),
			},
			null,
			2,
		)}\n`,
		[`${DIR}/PROMPT.md`]: `# demo

Read ${DIR}/PRD.md, ${DIR}/prd.json and ${DIR}/progress.md first.
Pick the next story with passes=false. Implement, test and commit it. Set passes=true only when its criteria are met.
Append a progress entry. When all stories pass, end your final message with this line:

<promise>ALL STORIES PASS</promise>
`,
		[`${DIR}/progress.md`]: "# Progress\n",
		[`${DIR}/orchestration.json`]: `${JSON.stringify({ scheme: "W2R", cursor: 0, queue: [], final_review_pending: false }, null, 2)}\n`,
	},
	agent: `cat > /dev/null
echo '{"type":"usage","input_tokens":1000,"output_tokens":100,"cost_usd":0.01}'
if [ "$PAWL_ROLE" = worker ]; then
	n=1
	while [ -e "s$n.txt" ]; do n=$((n + 1)); done
	if [ "$n" -le 2 ]; then
		echo "$n" > "s$n.txt"
		sed -i '/"id": "S'$n'"/,/"passes"/s/"passes": false/"passes": true/' ${DIR}/prd.json
		printf '\\n- Story %s\\n---\\n' "$n" >> ${DIR}/progress.md
		git add -A && git commit -q -m "Story S$n"
	fi
	[ "$n" -lt 2 ] || echo '<promise>ALL STORIES PASS</promise>'
else
	printf '# Review\\n\\nSTEERING_NEEDED: no\\nREASON: fine\\n' > ${DIR}/review.md
	printf 'STEERING_NEEDED: no\\nREASON: fine\\nSUGGESTED_ACTIONS: none\\nACCEPTED: yes\\n'
fi
`,
	record: runs("ralph", "demo", "--max-iterations", "8", "--agent-command", "sh ../agent.sh"),
};

// ---- gated

const ISSUE = "GAL-39";
const CRITERION = "`sum(2, 3)` gives 5";
const gated = {
	branch: "feature/gal-39",
	files: {
		...README,
		"package.json": '{"name":"sums","version":"1.0.0","private":true,"type":"module"}\n',
		"src/sum.mjs": 'export const sum = () => { throw new Error("sum is not there yet"); };\n',
		"TODO/README.md": `# TODO\n\n## Core\n\n- [${ISSUE}](${ISSUE}.md): Add numbers, Todo\n`,
		[`TODO/${ISSUE}.md`]: `---
id: ${ISSUE}
title: Add numbers
status: Todo
category: Core
parent:
labels: [feature]
depends-on: []
---

# ${ISSUE}: Add numbers

## Acceptance criteria

- [ ] ${CRITERION}

## Sub-issues
`,
	},
	script: scripted([
		says({ type: "context" }, "STATUS: FOUND\n"),
		{
			on: { type: "plan" },
			do: [
				USAGE,
				{
					write: {
						path: `.workflow/run-${ISSUE}/plan.md`,
						content: "# Plan\n\n## Goal\n`sum` adds its two arguments.\n\n## Test design\nCall it and compare.\n",
					},
				},
				{ say: "STATUS: done\n" },
			],
		},
		{
			on: { type: "split" },
			do: [
				USAGE,
				{
					write: {
						path: `.workflow/run-${ISSUE}/task-1.md`,
						content: `# Task 1: the sum

It adds.

## Acceptance criteria
- ${CRITERION}

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
`,
					},
				},
				{ say: "STATUS: done\nTASKS: 1\n" },
			],
		},
		says({ role: ["check", "simplify"] }, "VERDICT: ACCEPTABLE\nFINDINGS: none\n"),
		{
			on: { role: "test" },
			do: [
				USAGE,
				{
					write: {
						path: "test/sum.test.mjs",
						content:
							'import { sum } from "../src/sum.mjs";\nlet got;\ntry { got = sum(2, 3); } catch {}\nif (got !== 5) { console.log("sum is not there yet"); process.exit(1); }\n',
					},
				},
				{ say: "STATUS: TESTS_READY\nESCALATE_TO_CHECK: false\nFAILURE: sum is not there yet\n" },
			],
		},
		{
			on: { role: "make" },
			do: [
				USAGE,
				{ write: { path: "src/sum.mjs", content: "export const sum = (a, b) => a + b;\n" } },
				{ say: "STATUS: COMPLETE\nESCALATE: none\nNOTES: green\n" },
			],
		},
	]),
	record: runs("gated", ISSUE, "--agent", "scripted", "--script", "../script.yml"),
};

type Of = Omit<Recording, "name" | "cutAt">;
const finished = (name: string, of: Of): Recording => ({ ...of, name: `${name}.finished` });
const cut = (name: string, cutAt: string, of: Of): Recording => ({ ...of, name: `${name}.cut-off`, cutAt });

export const RECORDINGS: readonly Recording[] = [
	finished("dynamic-request", request),
	// The agent has committed its work, and its result is not in the journal.
	cut("dynamic-request", "before attempt_ended#3", request),
	finished("dynamic-prd", stories(2)),
	// Two stories are under way, in two worktrees.
	cut("dynamic-prd", "before attempt_ended#6", stories(2)),
	// The first story is on base, and the journal does not know it yet.
	cut("dynamic-prd-merge", "before attempt_ended#6", stories(1)),
	finished("feature-dev", featureDev),
	cut("feature-dev", "before attempt_ended#4", featureDev),
	{ ...featureDev, name: "feature-dev-pulled.half-way", record: pulled },
	finished("bug-fix", bugFix),
	// The step is completed, and the next one has not begun.
	cut("bug-fix", "after attempt_ended#3", bugFix),
	finished("security-audit", securityAudit),
	cut("security-audit", "start start_attempt#5", securityAudit),
	finished("phased", phased),
	cut("phased", "before attempt_ended#10", phased),
	finished("ralph", ralph),
	cut("ralph", "prepared#2", ralph),
	finished("gated", gated),
	// `resume: never`.
	cut("gated", "after attempt_ended#9", gated),
];
