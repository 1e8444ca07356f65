// RED and GREEN: the engine runs the test command of the specs that are worked on, and believes its exit code and its output. The
// command is one plain line of a known tool, inside the flake's shell if there is one.

import { globSync } from "node:fs";
import { join } from "node:path";
import { failingPart } from "../../../core/failing-part.ts";
import type { CheckResult } from "../../../core/input.ts";
import type { Action, StepContext } from "../../../format.ts";
import { packageTestScript } from "../../../toolchain/checks.ts";
import { commandProblem, wrappedCommand } from "../../../toolchain/command.ts";
import { detectToolchain } from "../../../toolchain/detect.ts";
import { whyNotRun } from "../../../toolchain/not-run.ts";
import { panicCoverage, readCargoTests } from "../../../toolchain/rust/panics.ts";
import { isStubbed } from "../../../toolchain/rust/stubs.ts";
import { currentSpecs, fieldOf, runDirOf, specsOf, withOf } from "./context.ts";
import { createdBy } from "./creates.ts";
import { writeArtifact } from "./folder.ts";
import { endOf, GREEN, printed, RED, saveChanges, TESTS_NOW, thereAlready } from "./shown.ts";

/** Characters of a command's output in a prompt. */
const SHOWN = 3000;
/** Enough for the whole output of a suite: what is searched for may be anywhere in it. */
const OUTPUT = 4 * 1024 * 1024;
const TIMEOUT_MS = 20 * 60_000;

/** Signals `red`, `not_red`, `structural_only`, and `already_green` where an earlier plan of the run built it already; with `expects: any`
 * only what was seen: `red` or `green`. */
export const red: Action = async (context) => {
	const results = await context.undisturbed(() => runAll(context, fieldOf(context, "stubbed") === "yes" ? NO_FAIL_FAST : ""));
	const [first] = results;
	const failing = results.filter((r) => r.exitCode !== 0);
	const text = told(context, RED, results);
	const seen = {
		notes: text,
		facts: { entry: text, expected: failing.length > 0 ? toFail(context) : TO_STAY_GREEN, ...printed(context, RED, results) },
		checks: [],
	};
	if (!first) return { signal: "not_red", error: "there is no test command to run", ...seen };
	if (withOf(context)["expects"] === "any") return { signal: failing.length > 0 ? "red" : "green", ...seen };
	if (fieldOf(context, "stubbed") === "yes") {
		const { facts, ...judged } = onStubs(context, results);
		return { ...judged, ...seen, facts: { ...seen.facts, ...facts } };
	}
	if (failing.length === 0 && fieldOf(context, "there_already") !== "") return { signal: "already_green", ...seen };
	if (failing.length === 0) return { signal: "not_red", error: `the tests pass before there is anything to test:\n${text}`, ...seen };
	const problem = failing.map((r) => whyNotRun(r, createdBy(context))).find((why) => why !== null);
	if (problem) return { signal: "not_red", error: `this is no failing test: ${problem}\n${told(context, RED, failing)}`, ...seen };
	const wanted = announced(fieldOf(context, "failure"));
	if (wanted !== "" && !failing.some((r) => says(r.output, wanted)))
		return {
			signal: "not_red",
			error: `the tests fail, but nothing in the output says ${JSON.stringify(wanted)}:\n${told(context, RED, failing)}`,
			...seen,
		};
	return { signal: "red", ...seen };
};

const TO_STAY_GREEN = "The tests pass on what is there, and must still pass when you are done.";

function toFail(context: StepContext): string {
	const failure = announced(fieldOf(context, "failure"));
	const how = failure === "" ? "" : ` with \`${failure}\``;
	return `Run the test command of the spec and the project's own test suite before you change anything: the new tests must fail${how}. If they fail in another way, or tests fail that have nothing to do with this, report INCOMPLETE and say so.`;
}

/** Without quotes and other decoration; empty if it only says that there is none. */
function announced(text: string): string {
	const bare = text.trim().replace(/^([*_`"']{1,3})([\s\S]*)\1$/, "$2");
	return /^(?:none|n\/a|-)?$/i.test(bare.trim()) ? "" : bare.trim();
}

/** Ignores white space: a test runner and an agent break lines differently. */
const flat = (text: string): string => text.replace(COLOUR, "").replace(/\s+/g, " ").trim();
// biome-ignore lint/suspicious/noControlCharactersInRegex: colours begin with a control character
const COLOUR = /\u001b\[[0-9;]*m/g;

/** The whole text or its first line, as the rest may be explanation. */
function says(output: string, wanted: string): boolean {
	const first = announced(wanted.split("\n").find((line) => line.trim() !== "" && !/^\s*(?:```|~~~)/.test(line)) ?? "");
	return flat(output).includes(flat(wanted)) || (first !== "" && flat(output).includes(flat(first)));
}

/** Signals `green`, `failing`, and `idle` if the tests fail and the one who says that all is implemented changed nothing. Runs all specs of the run
 * so far: a fix must not break an earlier one. */
export const green: Action = async (context) => {
	const results = await context.undisturbed(() => runAll(context, "", true));
	const failing = results.filter((r) => r.exitCode !== 0);
	const tests = { ...(await saveChanges(context)), code_changed: "" };
	if (results.length === 0) return { signal: "green", notes: "there is no test command to run", facts: tests };
	const seen = {
		notes: told(context, GREEN, results),
		facts: { ...tests, ...testsNow(context, results), ...printed(context, GREEN, results) },
	};
	if (failing.length === 0) return { signal: "green", ...seen, facts: { ...seen.facts, there_already: thereAlready(context) } };
	const error = `the tests do not pass: ${ends(failing)}`;
	if (fieldOf(context, "code_changed") === "no")
		return { signal: "idle", error: `make reported COMPLETE and changed no file, but ${error}`, ...seen };
	return { signal: "failing", error, ...seen };
};

/** What the tests say about the code as it is now, for whoever goes on with it. */
function testsNow(context: StepContext, results: readonly CheckResult[]): Record<string, string> {
	const isRed = results.some((r) => r.exitCode !== 0);
	// What passes needs no explanation.
	const brief = results.map((r) => (r.exitCode === 0 ? { ...r, output: "" } : r));
	return { entry: told(context, GREEN, brief).replace(/\n+(?=\n\n|$)/g, ""), expected: isRed ? TO_PASS : TO_STAY_GREEN };
}

const TO_PASS = "The tests fail, as printed above. They must pass when you are done.";

/** Runs the tests on code that a step left without finishing it, and keeps what they say for the prompt that is about to be made. */
export async function lookAtTests(context: StepContext): Promise<Record<string, string>> {
	const results = await context.undisturbed(() => runAll(context, "", true));
	const facts = results.length === 0 ? {} : { ...testsNow(context, results), ...printed(context, GREEN, results) };
	writeArtifact(runDirOf(context), TESTS_NOW, `${JSON.stringify(facts, null, "\t")}\n`);
	return facts;
}

/** The tests that existed before the task: they need not reach a stub. */
export const knownTests: Action = async (context) => {
	const results = await context.undisturbed(() => runAll(context, NO_FAIL_FAST));
	const names = results.flatMap((r) => readCargoTests(r.output).tests.map((t) => t.name));
	return {
		signal: hasStubs(context) ? "stubbed" : "nothing_new",
		facts: { known_tests: [...new Set(names)].slice(0, 5000).join("\n"), accepted_tests: "" },
	};
};

/** After a new plan the functions may already have bodies, so tests have no `todo!()` to reach. */
function hasStubs(context: StepContext): boolean {
	const { path: cwd } = context.workspace;
	const globs = currentSpecs(context).flatMap(({ spec }) => spec.files);
	const sources = globs.flatMap((glob) => globSync(glob, { cwd })).filter((path) => path.endsWith(".rs"));
	return [...new Set(sources)].some((path) => isStubbed(join(cwd, path)));
}

const NO_FAIL_FAST = " --no-fail-fast";

interface OnStubs {
	readonly signal: string;
	readonly error: string | null;
	readonly facts: Readonly<Record<string, string>>;
}

/** A test that starts the program cannot show on which `todo!()` it ends. It counts if it fails and a reviewer accepted it; that holds as long as it
 * has its name. */
function onStubs(context: StepContext, results: readonly CheckResult[]): OnStubs {
	const coverage = panicCoverage(results.map((r) => r.output).join("\n"), new Set(linesOf(context, "known_tests")));
	const { verdict, offending, elsewhere, allFail } = coverage;
	const accepted = fieldOf(context, "tests_reviewed") === "yes" ? elsewhere : linesOf(context, "accepted_tests");
	const facts = { accepted_tests: accepted.join("\n") };
	const strays = elsewhere.filter((name) => !accepted.includes(name));
	const which = (names: readonly string[]): string => names.slice(0, 20).join(", ");
	const others = strays.length === 0 ? "" : `; and these fail for another reason than a todo!(): ${which(strays)}`;
	switch (verdict) {
		case "covered":
			return { signal: "red", error: null, facts };
		case "structural_only":
			return {
				signal: "structural_only",
				error: `these pass on stubs, so they do not reach a todo!(): ${which(offending)}${others}`,
				facts,
			};
		case "nothing_ran":
			return { signal: "not_red", error: `no test ran, or it does not compile:\n${told(context, RED, results)}`, facts };
		case "not_on_todo": {
			if (allFail && elsewhere.length > 0 && strays.length === 0) return { signal: "red", error: null, facts };
			const names = which(offending.filter((name) => !accepted.includes(name))) || "some that the output does not name";
			return { signal: "not_red", error: `these fail for another reason than a todo!(): ${names}\n${told(context, RED, results)}`, facts };
		}
	}
}

const linesOf = (context: StepContext, field: string): string[] =>
	fieldOf(context, field)
		.split("\n")
		.filter((name) => name !== "");

async function runAll(context: StepContext, more = "", withTask = false): Promise<CheckResult[]> {
	const toolchain = detectToolchain(context.workspace.path);
	const untested = withTask && fieldOf(context, "not_tested") !== "";
	// Nobody wrote tests for a task without tests: its command can only show that nothing else breaks.
	const specs = untested ? [] : [...currentSpecs(context), ...(withTask ? specsOf(context, ["task-1.md"]) : [])];
	const asked = specs.map(({ spec }) => spec.testCommand ?? toolchain.test).filter((command) => command !== null);
	// Also the project's other tests, to find what an earlier run broke; `npm test` counts as the script that it runs.
	const script = packageTestScript(context.workspace.path);
	const suite = withTask && toolchain.test !== null && !(script !== null && asked.includes(script)) ? toolchain.test : null;
	const results: CheckResult[] = [];
	for (const command of new Set([...asked, ...(suite === null ? [] : [suite])])) {
		if (context.signal.aborted) break;
		// Written by an agent, so it is judged again right before it runs.
		const problem = command === toolchain.test ? null : commandProblem(command, toolchain.kinds);
		if (problem !== null) {
			results.push({ name: "test", command, exitCode: null, output: `not run: ${problem}` });
			continue;
		}
		const whole =
			more !== "" && /\bcargo test\b/.test(command) && !command.includes(more.trim())
				? command.replace(/\bcargo test\b/, `cargo test${more}`)
				: command;
		const result = await context.run(toolchain.wrapped ? wrappedCommand(whole) : whole, {
			name: "test",
			timeoutMs: TIMEOUT_MS,
			keepBytes: OUTPUT,
		});
		if (asked.includes(command) || !isNoSuite(result)) results.push(result);
	}
	return results;
}

/** Whether the guessed test command was wrong: the tool is missing, or it finds nothing to run. */
function isNoSuite({ command, exitCode }: CheckResult): boolean {
	const [notExecutable, notFound, nothingCollected] = [126, 127, 5];
	return exitCode === notExecutable || exitCode === notFound || (exitCode === nothingCollected && /\bpytest\b/.test(command));
}

/** The commands, how they ended and the part of their output that says why, without lines that an earlier one printed as well; `file` has all
 * of it. */
function told(context: StepContext, file: string, results: readonly CheckResult[]): string {
	const shown = new Set<string>();
	const parts = results.map((r) => {
		const lines = r.output.trimEnd().split("\n");
		const fresh = lines.filter((line) => line.trim() === "" || !shown.has(line));
		for (const line of lines) shown.add(line);
		const text = fresh
			.join("\n")
			.replace(/\n{3,}/g, "\n\n")
			.trim();
		const part = failingPart(text, SHOWN);
		const isWhole = part === text && fresh.length === lines.length;
		const rest = isWhole ? "" : `\n(The whole output is in ${join(runDirOf(context), file)})`;
		return `\`${r.command}\`: ${endOf(r)}\n${part}${rest}`;
	});
	return parts.join("\n\n");
}

/** Without the output, which its readers are shown elsewhere. */
const ends = (results: readonly CheckResult[]): string => results.map((r) => `\`${r.command}\`: ${endOf(r)}`).join(", ");
