// What a step must leave in the run's folder: a plan, the specs of a split, fix specs. The files count, not what the role says: a missing
// file is `not_written`, one that cannot be worked from is `unusable`, one with traces of thinking aloud is `unclean`.
import { rmSync } from "node:fs";
import { join } from "node:path";
import type { AgentAnswer, Amendment, StepContext } from "../../../format.ts";
import { commandProblem } from "../../../toolchain/command.ts";
import { detectToolchain, type Toolchain } from "../../../toolchain/detect.ts";
import { missingSymbols } from "../../../toolchain/rust/symbols.ts";
import { hygieneProblems } from "../spec/hygiene.ts";
import { readTask, type TaskSpec } from "../spec/task.ts";
import { fieldOf, namesIn, pathList, runDirOf, specNames, taskName, withOf } from "./context.ts";
import { readArtifact, snapshot } from "./folder.ts";

export const PLAN = "plan.md";
const MOST_TASKS = 50;
const UNTESTED =
	"This task goes without tests of its own: a reviewer agreed that it cannot be tested. What the project has must stay green.";

type Expectation = (context: StepContext, said: AgentAnswer, before: ReadonlyMap<string, string | null>) => Amendment;

export const expectations: Readonly<Record<string, Expectation>> = { issue, plan, tasks, spec, fixes, "sign-off": signOff };

/** Tells a person which file was expected, and where. */
function issue({ state, role }: StepContext, { signal }: AgentAnswer): Amendment {
	return signal === "missing" ? { error: `${role} found no issue in ${state.input["issue_file"] ?? "TODO/"}` } : {};
}

function plan(context: StepContext, said: AgentAnswer, before: ReadonlyMap<string, string | null>): Amendment {
	if (said.signal !== "done") return {};
	const dir = runDirOf(context);
	const text = readArtifact(dir, PLAN);
	if (text === null || text.trim() === "") return { signal: "not_written", error: `${join(dir, PLAN)} was not written` };
	if (withOf(context)["changed"] === "yes" && before.get(PLAN) === text)
		return { signal: "unchanged", error: `${join(dir, PLAN)} is as it was: it has to be revised, not only read again` };
	// Records about earlier plans no longer apply.
	const facts = withOf(context)["fresh"] === "yes" ? { kept_before: String(context.state.root.kept.length) } : {};
	return { ...clean([[PLAN, text]]), facts };
}

function tasks(context: StepContext, said: AgentAnswer): Amendment {
	if (said.signal !== "done") return {};
	const count = Number(/^\s*(\d{1,3})\b/.exec(said.fields["TASKS"] ?? "")?.[1] ?? 0);
	if (count < 1 || count > MOST_TASKS)
		return { signal: "unusable", error: `TASKS says ${said.fields["TASKS"] ?? "nothing"}, not how many tasks there are` };
	const dir = runDirOf(context);
	const names = Array.from({ length: count }, (_, i) => taskName(i + 1));
	const read = readAll(dir, names);
	if ("signal" in read) return read;
	for (const name of snapshot(dir).keys())
		if (/^task-\d+\.md$/.test(name) && !names.includes(name)) rmSync(join(dir, name), { force: true });
	const toolchain = detectToolchain(context.workspace.path);
	const facts = {
		...taskFacts(context, read.texts[0]?.[1] ?? "", toolchain),
		tasks: String(count),
		task_files: pathList(dir, names),
	};
	const wrong = unusable(read.texts, toolchain) ?? tangled(read.texts);
	return {
		...(wrong ?? clean(read.texts)),
		facts: { ...facts, not_tested: "", fix_keys: "", fix_files: "", all_specs: "", review_findings: "" },
	};
}

/** The specs that are worked on were revised: task 1, or the fix specs of a review. */
function spec(context: StepContext, said: AgentAnswer): Amendment {
	if (said.signal !== "done") return {};
	const dir = runDirOf(context);
	const current = specNames(context);
	const names = current.length > 0 ? current : [taskName(1)];
	const read = readAll(dir, names);
	if ("signal" in read) return read;
	const toolchain = detectToolchain(context.workspace.path);
	const task = read.texts.find(([name]) => name === taskName(1))?.[1];
	const facts = task === undefined ? {} : { ...taskFacts(context, task, toolchain), spec: pathList(dir, names) };
	return { ...(unusable(read.texts, toolchain) ?? clean(read.texts)), facts };
}

function fixes(context: StepContext, said: AgentAnswer): Amendment {
	if (said.signal !== "done") return {};
	const dir = runDirOf(context);
	const names = namesIn(context, "fix_files");
	const read = readAll(dir, names);
	if ("signal" in read) return read;
	const toolchain = detectToolchain(context.workspace.path);
	return { ...(unusable(read.texts, toolchain) ?? clean(read.texts)), facts: { spec: pathList(dir, names), all_specs: "" } };
}

/** What was granted is in the manifest that the final reviewers see. */
function signOff(context: StepContext, said: AgentAnswer): Amendment {
	if (said.signal !== "signed") return {};
	const line = (text: string): string => text.replace(/\s+/g, " ").trim().slice(0, 2000) || "(no words)";
	const entry = `- task-1\n  test says: ${line(fieldOf(context, "untestable"))}\n  check signed off: ${line(said.fields["RATIONALE"] ?? "")}`;
	return { facts: { not_tested: entry, expected: UNTESTED } };
}

type Texts = readonly (readonly [name: string, text: string])[];

function readAll(dir: string, names: readonly string[]): { readonly texts: Texts } | { readonly signal: string; readonly error: string } {
	const texts: [string, string][] = [];
	for (const name of names) {
		const text = readArtifact(dir, name);
		if (text === null || text.trim() === "") return { signal: "not_written", error: `${join(dir, name)} was not written` };
		texts.push([name, text]);
	}
	return names.length === 0 ? { signal: "not_written", error: "nothing was asked for" } : { texts };
}

function unusable(texts: Texts, toolchain: Toolchain): Amendment | null {
	const problems = texts.flatMap(([name, text], i) => {
		const task = readTask(text);
		// Only the first one is worked on now; the others become issues.
		const command = i > 0 && /^task-\d+\.md$/.test(name) ? null : testProblem(task, toolchain);
		return [
			...task.problems.map((p) => `${name}${p.line > 0 ? `:${p.line}` : ""}: ${p.text}`),
			...reserved(task).map((path) => `${name}: ${path} under ## Files is not the implementation's to change`),
			...(command === null ? [] : [`${name}: ${command}`]),
		];
	});
	return problems.length === 0 ? null : { signal: "unusable", error: problems.slice(0, 20).join("\n") };
}

/** Tasks that wait for each other, for themselves, or for one that is not there. */
function tangled(texts: Texts): Amendment | null {
	const needs = new Map(texts.map(([, text], i) => [i + 1, readTask(text).dependsOn]));
	const problems: string[] = [];
	for (const [task, others] of needs)
		for (const other of others)
			if (!needs.has(other)) problems.push(`${taskName(task)}: it depends on task ${other}, which is not there`);
			else if (other === task) problems.push(`${taskName(task)}: it depends on itself`);
	const ring = ringIn(needs);
	if (problems.length === 0 && ring !== null) problems.push(`the tasks wait for each other: ${ring.map((n) => `task ${n}`).join(" → ")}`);
	return problems.length === 0 ? null : { signal: "unusable", error: problems.join("\n") };
}

function ringIn(needs: ReadonlyMap<number, readonly number[]>): number[] | null {
	const settled = new Set<number>();
	const walk = (task: number, way: readonly number[]): number[] | null => {
		if (way.includes(task)) return [...way.slice(way.indexOf(task)), task];
		if (settled.has(task)) return null;
		for (const other of needs.get(task) ?? []) {
			const ring = walk(other, [...way, task]);
			if (ring !== null) return ring;
		}
		settled.add(task);
		return null;
	};
	for (const task of needs.keys()) {
		const ring = walk(task, []);
		if (ring !== null) return ring;
	}
	return null;
}

const reserved = (task: TaskSpec): string[] => task.files.filter((path) => /^(?:\.workflow|\.pawl|TODO)(?:\/|$)/i.test(path));

function testProblem(task: TaskSpec, toolchain: Toolchain): string | null {
	if (task.testCommand === null) return toolchain.test === null ? "there is no ## Test command, and none is known here" : null;
	const problem = commandProblem(task.testCommand, toolchain.kinds);
	return problem === null ? null : `the test command cannot be used: ${problem}`;
}

function clean(texts: Texts): Amendment {
	const problems = texts.flatMap(([name, text]) => hygieneProblems(text).map((p) => `${name}:${p.line}: ${p.text}`));
	return problems.length === 0
		? {}
		: { signal: "unclean", error: problems.slice(0, 20).join("\n"), remarks: [`not clean: ${problems[0]}`] };
}

function taskFacts(context: StepContext, text: string, toolchain: Toolchain): Record<string, string> {
	const dir = runDirOf(context);
	const task = readTask(text);
	const rust = toolchain.kinds.includes("rust") && task.files.some((path) => path.endsWith(".rs"));
	return {
		task_file: join(dir, taskName(1)),
		spec: join(dir, taskName(1)),
		task_title: task.title.replace(/^task\s*\d+\s*[:.\-–—]*\s*/i, "").trim() || "the task",
		stack: rust ? "rust" : (toolchain.kind ?? "unknown"),
		// Whatever the spec says: tests cannot be compiled against names that are not there.
		new_symbols: task.newSymbols === true || (rust && missingSymbols(text, context.workspace.path).length > 0) ? "yes" : "no",
		stubbed: "no",
		testable: "yes",
	};
}
