// What the prompts of a run on an issue say beyond their own text: what may be written, by its paths; which checks are still to come; why a step
// runs again, where its text does not say it; names out of this very run for the examples.
import { join } from "node:path";
import { saysOnlyWhoWorked } from "../../core/decide/words.ts";
import { failingPart } from "../../core/failing-part.ts";
import { findingText } from "../../core/finding.ts";
import { readFindings } from "../../core/report/findings.ts";
import { startedWith } from "../../core/started-with.ts";
import { templateNames } from "../../core/template.ts";
import type { PromptContext } from "../../format.ts";
import { NO_ADDITIONS, type PromptAdditions } from "../../prompt/additions.ts";
import { detectToolchain, isTestFile, type Toolchain } from "../../toolchain/detect.ts";
import { currentSpecs, fieldOf, fixNames, pathList, runDirOf, specNames } from "./artifacts/context.ts";
import { isAboutCode } from "./artifacts/fixes.ts";
import { testsSeen } from "./artifacts/shown.ts";
import { listIssues } from "./tracker/tracker.ts";

const MOST_PATHS = 30;
/** Characters of what a check printed. */
const SHOWN = 3000;

export async function promptAdditions(of: PromptContext): Promise<PromptAdditions> {
	const toolchain = detectToolchain(of.state.input["worktree"] ?? "");
	const specs = currentSpecs(of);
	const files = [...new Set(specs.flatMap(({ spec }) => spec.files))];
	const seen = testsSeen(of);
	const entry = seen["entry"] ?? fieldOf(of, "entry");
	const found = codeFindings(of);
	const bounds = await bounded(of, files, toolchain);
	return {
		...NO_ADDITIONS,
		...(of.step.feedback === null ? {} : { reason: reasonOf(of, of.step.feedback) }),
		variables: {
			...(bounds === null
				? {}
				: { boundaries: `${bounds} Any other change in the working tree, committed or not, is undone and fails the step.` }),
			...(specs.length === 0 ? {} : { spec: pathList(runDirOf(of), specNames(of)) }),
			...(seen["expected"] === undefined ? {} : { expected: seen["expected"] }),
			tests_lead: entry === "" ? "" : "pawl ran the tests just now, on the code as it is:",
			code_lead: found === "" ? "" : "The final review also found this in the code. It is yours as well, whatever the tests say:",
			evidence: fieldOf(of, "evidence") || "(no test command ran)",
			changed_tests: fieldOf(of, "changed_tests") || "None.",
			fix_specs: fixSpecs(of),
			context_example: contextExample(of),
			checks_to_come: checksToCome(of),
			not_tested_list: notTested(fieldOf(of, "not_tested")),
			make_lead: fieldOf(of, "make_notes") === "" ? "" : "Whoever wrote the code says about it; it is a report, no evidence:",
			...diagnosed(of),
			code_file: files.find((path) => !/[*?[{]/.test(path) && !isTestFile(path, toolchain)) ?? "the file",
			test_run: specs.map(({ spec }) => spec.testCommand).find((command) => command !== null) ?? toolchain.test ?? "the test command",
			failure_example: failureExample(of, toolchain),
		},
		quoted: { make_notes: fieldOf(of, "make_notes"), tests_now: entry, code_findings: found, checks_now: checksPrinted(of) },
	};
}

/** What the step may write, by its paths; null if the workflow says it by globs that need no explanation, or forbids it. */
async function bounded(of: PromptContext, files: readonly string[], toolchain: Toolchain): Promise<string | null> {
	const { state, step } = of;
	const writes = state.definition.types[step.type]?.writes ?? "none";
	if (writes === "none" || writes === "any") return null;
	if (!("rule" in writes)) return `You may write in the run folder only: ${runDirOf(of)}.`;
	switch (writes.rule) {
		case "issue-file":
			return `In the working tree you may change only ${state.input["issue_file"] ?? "the issue"}.`;
		case "task-files":
			return `In the working tree you may change only ${files.length === 0 ? "the files that the spec lists under `## Files`" : listed(files)}, and no tests: neither test files nor tests beside the code.`;
		case "test-files": {
			const inline = toolchain.kinds.includes("rust") ? ", and the inside of `#[cfg(test)]` modules in `src/**/*.rs`" : "";
			return `In the working tree you may change only tests: ${listed(toolchain.testFiles)}${inline}.`;
		}
		case "changed-files":
			return `In the working tree you may change only files that this run has changed: ${listed(await changedSince(of))}.`;
		default:
			return null;
	}
}

const listed = (paths: readonly string[]): string =>
	paths
		.slice(0, MOST_PATHS)
		.map((path) => `\`${path}\``)
		.join(", ") + (paths.length > MOST_PATHS ? ` and ${paths.length - MOST_PATHS} more` : "");

async function changedSince({ state, repository, workspace }: PromptContext): Promise<readonly string[]> {
	const changed = await repository.changedPaths(startedWith(state).startCommit, workspace.branch).catch(() => []);
	return changed.filter((path) => !/^(?:TODO|\.workflow|\.pawl)(?:\/|$)/.test(path));
}

const notTested = (entries: string): string =>
	entries === ""
		? "No task was reported as NOT_TESTABLE. See for yourself that every criterion has a test."
		: `${entries}\n\nDoes the justification of each entry still hold, now that the code is there?`;

/** What a diagnosis is told about who asks for it, and about checks, which its reader cannot run. */
function diagnosed(of: PromptContext): Record<string, string> {
	const hint = fieldOf(of, "make_hint");
	const checks = of.state.root.failing ?? [];
	return {
		hint_line: hint === "" || hint === "none" ? "" : `Whoever reports it guesses: ${hint}. That is a hint, no more.`,
		checks_lead: checks.length === 0 ? "" : "The repository's own checks printed this when they ran last; the code may have changed since:",
	};
}

const checksPrinted = ({ state }: PromptContext): string =>
	(state.root.failing ?? []).map(({ command, output }) => `\`${command}\`\n${failingPart(output, SHOWN)}`).join("\n\n");

function fixSpecs(of: PromptContext): string {
	const names = fixNames(of);
	return names.length === 0 ? "" : `Specs of fixes that earlier reviews asked for:\n\n${pathList(runDirOf(of), names)}`;
}

/** With the ids of issues that are there. */
function contextExample({ state }: PromptContext): string {
	const id = state.input["issue_id"] ?? "";
	const all = listIssues(join(state.input["worktree"] ?? "", "TODO"));
	const [one, two] = "problem" in all ? [] : all.issues.filter((issue) => issue.id !== id && issue.status !== null);
	if (one === undefined) return "none";
	const first = `${one.id} (${one.status}) decided how amounts are rounded; ${id} has to do the same.`;
	return two === undefined ? first : `${first} ${two.id} (${two.status}) adds the command line; leave it out of ${id}.`;
}

function checksToCome({ state }: PromptContext): string {
	const checks = Object.entries(startedWith(state).checks);
	if (checks.length === 0) return "";
	const lines = checks.map(([name, command]) => `- ${name}: \`${command}\``);
	return `Before the change is committed, pawl runs the repository's own checks on all of it, tests included. What they find comes back, so run those that concern your files:\n\n${lines.join("\n")}`;
}

/** What the last review found in the code beside what it found in the tests: it has no fix spec, and must not be lost. */
function codeFindings(of: PromptContext): string {
	const found = readFindings(fieldOf(of, "review_findings")).filter(isAboutCode);
	return found.map((one) => `- ${findingText(one)}`).join("\n");
}

/** Variables that a prompt file uses to say why its step runs again. */
const TOLD = ["again", "why", "test_findings", "findings", "diagnosis", "make_report", "fix_list"] as const;

/** A route from another step is told by the prompt's own text, in better words; a reviewer reads what happened, not what a tool printed. */
function reasonOf({ state, step, promptText }: PromptContext, feedback: string): string {
	if (saysOnlyWhoWorked(feedback)) return "";
	const [, sender, words = ""] = /^([a-z_]+): ([\s\S]*)$/.exec(feedback) ?? [];
	if (sender === undefined || sender === step.type || state.definition.types[sender] === undefined)
		return feedback.replace(/what the rule [\w-]+ allows/g, "what its limits below allow");
	if (/^[a-z_]+$/.test(words.trim())) return "";
	const shown = templateNames(promptText);
	if (TOLD.some((name) => shown.includes(name) && (state.root.fields[name] ?? "") !== "")) return "";
	const [first = ""] = words.split("\n");
	return state.definition.types[step.type]?.writes === "none" ? `${sender}: ${first}` : feedback;
}

/** A line that a failing test prints here, for the example of a report. */
function failureExample(of: PromptContext, { kind }: Toolchain): string {
	if (fieldOf(of, "stubbed") === "yes") return "not yet implemented";
	const lines: Readonly<Record<string, string>> = {
		rust: "assertion `left == right` failed",
		python: "AssertionError: assert None == 5",
		go: "got 0, want 5",
	};
	return lines[kind ?? ""] ?? "expected 5, got undefined";
}
