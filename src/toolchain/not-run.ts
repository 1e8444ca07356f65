// Why tests did not run at all: the command does not exist, a file cannot be parsed, an import is missing. Such a
// failure says nothing about the code, so it is not a RED, unless only things that the task will create are missing.

export interface TestRun {
	readonly command: string;
	readonly exitCode: number | null;
	readonly output: string;
}

/** Whether the task creates this name or, with a slash or an ending, this module. */
export type Creates = (name: string, kind: "name" | "module") => boolean;

// biome-ignore lint/suspicious/noControlCharactersInRegex: colours begin with a control character
const COLOUR = /\u001b\[[0-9;]*m/g;
/** TAP and pytest put marks before what others print. */
const QUOTED = /^(?:# |E {1,3})/gm;
const [NOT_EXECUTABLE, NOT_FOUND, NOTHING_COLLECTED] = [126, 127, 5];

/** Each test runner's own words for a file that it could not load. A test that throws such an error while it runs prints none of them. */
const NOT_LOADED = [
	// Node: the loader, not a test, is at the top of the stack.
	/SyntaxError: [^\n]*\n(?:[^\n]*\n){0,2}?\s+at (?:compileSourceTextModule|wrapSafe|new Script|checkSyntax|internalCompileFunction|ModuleJob|#asyncInstantiate|async ModuleLoader)/,
	/^[ \t]*(?:Error|Error \[ERR_MODULE_NOT_FOUND\]|code): ?(?:Cannot find (?:module|package) |'(?:ERR_)?MODULE_NOT_FOUND')/m,
	/ERR_MODULE_NOT_FOUND|code: 'MODULE_NOT_FOUND'/,
	/Test suite failed to run|Failed Suites|Transform failed with \d+ error|Unable to compile TypeScript/,
	/\berror TS\d{3,5}: /,
	// Python.
	/errors? during collection|ERROR collecting |Failed to import test module/,
	/^[ \t]*File "[^"\n]+", line \d+\n(?:[^\n]*\n){1,3}(?:Syntax|Indentation|Tab)Error: /m,
	// Go.
	/\[(?:build|setup) failed\]/,
	// Rust.
	/^error: could not compile `/m,
];

/** Missing names and modules, in the words of compilers and loaders. */
const MISSING: readonly (readonly [RegExp, "name" | "module"])[] = [
	[/does not provide an export named '([^'\n]+)'/g, "name"],
	[/Cannot find (?:module|package) '([^'\n]+)'/g, "module"],
	[/Could not resolve "([^"\n]+)"|Failed to resolve import "([^"\n]+)"/g, "module"],
	[/ModuleNotFoundError: No module named '([^'\n]+)'/g, "module"],
	[/ImportError: cannot import name '([^'\n]+)'/g, "name"],
	[/\berror TS2(?:304|305|339|551|552|614|724): [^\n]{0,300}?'(?:"[^"\n]*"\.)?([A-Za-z_$][\w$]*)'/g, "name"],
	[/\berror TS2307: Cannot find module '([^'\n]+)'/g, "module"],
	[/: undefined: (?:\w+\.)?(\w+)/g, "name"],
	[/: \S+ undefined \(type \S+ has no field or method (\w+)\)/g, "name"],
	[/error\[E04(?:05|12|22|23|24|25|31|32|33)\]: [^\n]{0,300}?`([^`\n]+)`/g, "name"],
	[/error\[E0(?:559|560|599|609)\]: no [^\n]{0,300}? `([^`\n]+)`|error\[E0560\]: [^\n]{0,300}?no field named `([^`\n]+)`/g, "name"],
];

/** Complaints that something is missing; any other complaint is a mistake in the tests. */
const COMPLAINT =
	/^(?:error(?:\[E\d+\])?: (?!could not compile|aborting due)|.*\berror TS\d+: |\S+\.go:\d+:\d+: |.*\b(?:Syntax|Indentation|Tab)Error: )[^\n]*/gm;

/** Why the tests did not run, for their author; null if they ran. */
export function whyNotRun({ command, exitCode, output }: TestRun, creates: Creates): string | null {
	if (exitCode === null) return "the test command did not end by itself";
	if (exitCode === NOT_EXECUTABLE || exitCode === NOT_FOUND) return `the test command cannot be run (exit ${exitCode})`;
	if (exitCode === NOTHING_COLLECTED && /\bpytest\b/.test(command)) return "the test command found no tests";
	const text = output.replace(COLOUR, "").replace(QUOTED, "");
	if (!NOT_LOADED.some((pattern) => pattern.test(text))) return null;
	const missing = missingIn(text);
	const foreign = missing.filter(({ name, kind }) => !creates(name, kind));
	if (foreign.length > 0)
		return `the tests could not be loaded: ${foreign.map(({ name }) => name).join(", ")} is not there, and the spec does not create it`;
	const [mistake] = (text.match(COMPLAINT) ?? []).filter((line) => !saysMissing(line));
	if (mistake !== undefined) return `the tests could not be loaded: ${mistake.trim().slice(0, 300)}`;
	return missing.length > 0 ? null : "the tests could not be loaded";
}

interface MissingName {
	readonly name: string;
	readonly kind: "name" | "module";
}

function missingIn(text: string): MissingName[] {
	const found = new Map<string, MissingName>();
	for (const [pattern, kind] of MISSING)
		for (const match of text.matchAll(pattern)) {
			const name = match.slice(1).find((group) => group !== undefined);
			if (name !== undefined) found.set(`${kind} ${name}`, { name, kind });
		}
	return [...found.values()];
}

const saysMissing = (line: string): boolean => MISSING.some(([pattern]) => line.search(pattern) !== -1);
