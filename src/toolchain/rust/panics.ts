// Reads the output of `cargo test` for one question: does every test reach a stub? A test that passes, or fails for another reason,
// never got to a `todo!()` and so says nothing about the stub. If the text does not agree with its own totals (it was cut, or lines
// were mixed), the answer is no.

export interface CargoTest {
	/** Which of the test programs, from 1; documentation tests are one. */
	readonly suite: number;
	readonly name: string;
	readonly result: "ok" | "failed" | "ignored";
	/** The position of the `todo!()` that it panicked on: `src/lib.rs:4:39`; null if it did not. */
	readonly todo: string | null;
}

export interface PanicCoverage {
	/** Every test panicked on a `todo!()`; or at least one passed; or at least one did not get there for another reason; or none ran. */
	readonly verdict: "covered" | "structural_only" | "not_on_todo" | "nothing_ran";
	readonly tests: readonly CargoTest[];
	/** The names of the tests that are the reason for another verdict. */
	readonly offending: readonly string[];
	/** Those that failed without reaching a `todo!()`. */
	readonly elsewhere: readonly string[];
	/** None passes, none is ignored, and the text has all of them. */
	readonly allFail: boolean;
}

interface Totals {
	passed: number;
	failed: number;
	ignored: number;
}

interface Suite {
	readonly results: Map<string, CargoTest["result"] | null>;
	readonly todos: Map<string, string>;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: colours begin with a control character
const COLOUR = /\u001b\[[0-9;]*m/g;
const RESULT = /^test ((?:(?! \.\.\. ).)+) \.\.\. (.*)$/;
const WORD = /^(ok|FAILED|ignored)(?:, .*)?(?: <[\d.]+s>)?$/;
const TOTALS = /^test result: \w+\. (\d+) passed; (\d+) failed; (\d+) ignored;/;
const PANIC = /^(?:.*? \.\.\. )?thread '([^']*)'(?: \(\d+\))? panicked at (.*)$/;
const TODO = /^not yet implemented(?:: |$)/;

/** The tests of all programs in the text, and its totals. */
export function readCargoTests(output: string): { readonly tests: readonly CargoTest[]; readonly totals: Readonly<Totals> } {
	const lines = output.replace(COLOUR, "").split(/\r?\n/);
	const totals: Totals = { passed: 0, failed: 0, ignored: 0 };
	const suites: Suite[] = [];
	let part: "results" | "details" | "names" | "over" = "results";
	/** Whose output is being read: of a section, or of a test whose result has not come yet. */
	let current: string | null = null;
	for (const [index, line] of lines.entries()) {
		const counted = TOTALS.exec(line);
		if (counted !== null) {
			totals.passed += Number(counted[1]);
			totals.failed += Number(counted[2]);
			totals.ignored += Number(counted[3]);
			part = "over";
			current = null;
			continue;
		}
		if (/^running \d+ tests?$/.test(line)) {
			suites.push({ results: new Map(), todos: new Map() });
			part = "results";
			current = null;
			continue;
		}
		const suite = suites.at(-1);
		if (suite === undefined || part === "over") continue;
		const section = /^---- (.+) (?:stdout|stderr) ----$/.exec(line)?.[1];
		if (line === "failures:") {
			part = part === "details" ? "names" : "details";
			current = null;
		} else if (part === "details" && section !== undefined) current = nameOf(section);
		else if (part === "names" && /^ {4}\S/.test(line)) suite.results.set(nameOf(line.trim()), "failed");
		else if (part === "results") current = resultIn(line, suite, current);
		const todo = todoAt(line, lines[index + 1]);
		if (todo !== null) {
			// A thread started by a test has no name, and a documentation test runs in the thread `main`.
			const owner = part === "results" && suite.results.has(todo.thread) ? todo.thread : (current ?? todo.thread);
			if (!suite.todos.has(owner)) suite.todos.set(owner, todo.position);
		}
	}
	const tests = suites.flatMap(({ results, todos }, index) =>
		[...results].map(([name, result]): CargoTest => ({ suite: index + 1, name, result: result ?? "ok", todo: todos.get(name) ?? null })),
	);
	return { tests, totals };
}

const nameOf = (text: string): string => text.replace(/ - should panic$/, "");

/** Notes a result, or returns the name of the test whose result comes later. */
function resultIn(line: string, { results }: Suite, waiting: string | null): string | null {
	const found = RESULT.exec(line);
	if (found !== null) {
		const name = nameOf(found[1] ?? "");
		const result = resultOf(found[2] ?? "");
		results.set(name, result);
		return result === null ? name : null;
	}
	const result = resultOf(line);
	if (waiting === null || result === null) return waiting;
	results.set(waiting, result);
	return null;
}

const resultOf = (text: string): CargoTest["result"] | null => {
	const word = WORD.exec(text)?.[1];
	return word === "ok" || word === "ignored" ? word : word === "FAILED" ? "failed" : null;
};

/** A panic on `todo!()` in this line and the next; before Rust 1.73 the message stood in the first. */
function todoAt(line: string, next: string | undefined): { readonly thread: string; readonly position: string } | null {
	const panic = PANIC.exec(line);
	if (panic === null) return null;
	const [, thread = "", rest = ""] = panic;
	const old = /^'(.*)', (\S+:\d+:\d+)$/.exec(rest);
	const message = old === null ? (next ?? "") : (old[1] ?? "");
	return TODO.test(message) ? { thread, position: old?.[2] ?? rest.replace(/:$/, "") } : null;
}

/** `except`: older tests that do not count here. The text must be the whole output of `cargo test --no-fail-fast`. */
export function panicCoverage(output: string, except: ReadonlySet<string> = new Set()): PanicCoverage {
	const { tests: all, totals } = readCargoTests(output);
	const tests = all.filter(({ name }) => !except.has(name));
	const left = (result: CargoTest["result"], total: number) =>
		total - all.filter((one) => except.has(one.name) && one.result === result).length;
	const passing = tests.filter(({ result }) => result === "ok").map(({ name }) => name);
	const reached = tests.filter(({ result, todo }) => result === "failed" && todo !== null);
	const others = tests.filter(({ result, todo }) => result === "ignored" || (result === "failed" && todo === null)).map(({ name }) => name);
	const elsewhere = tests.filter(({ result, todo }) => result === "failed" && todo === null).map(({ name }) => name);
	const noneIgnored = left("ignored", totals.ignored) === 0;
	const allFail = tests.length > 0 && left("ok", totals.passed) === 0 && noneIgnored && left("failed", totals.failed) === tests.length;
	const seen = { tests, elsewhere, allFail };
	const unnamed = left("ok", totals.passed) - passing.length;
	if (passing.length > 0 || unnamed > 0)
		return { verdict: "structural_only", ...seen, offending: passing.length > 0 ? passing : [`${unnamed} that the output does not name`] };
	if (tests.length === 0) return { verdict: "nothing_ran", ...seen, offending: [] };
	const complete = left("failed", totals.failed) === reached.length && noneIgnored;
	return { verdict: complete && others.length === 0 ? "covered" : "not_on_todo", ...seen, offending: others };
}
