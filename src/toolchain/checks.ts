// Finds the checks that a repository already has, for `pawl init` and for runs without a pawl.yml. Reads file names and a few lines of
// some files; runs nothing, and treats a file that it cannot read as missing.
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";

export interface DetectedChecks {
	readonly lint?: string;
	readonly test?: string;
	/** The files that it was read from, for people: "pyproject.toml, Makefile"; empty if nothing was found. */
	readonly from: string;
}

interface Guess {
	readonly kind: "lint" | "test";
	readonly command: string;
	readonly from: string;
}

/** For each kind the first that exists: commands meant for agents, then those of the languages' own tools, then make. */
export function detectChecks(root: string): DetectedChecks {
	const repository = filesOf(root);
	const guesses = [forAgents, python, node, rust, go, make].flatMap((detector) => detector(repository));
	const lint = guesses.find((guess) => guess.kind === "lint");
	const test = guesses.find((guess) => guess.kind === "test");
	const from = [...new Set([lint, test].flatMap((guess) => (guess === undefined ? [] : [guess.from])))].join(", ");
	return { ...(lint === undefined ? {} : { lint: lint.command }), ...(test === undefined ? {} : { test: test.command }), from };
}

/** The checks of a run: those of pawl.yml, or the detected ones if it has none. */
export function checksOfRun(configured: Readonly<Record<string, string>>, root: string): Readonly<Record<string, string>> {
	if (Object.keys(configured).length > 0) return configured;
	const { lint, test } = detectChecks(root);
	return { ...(lint === undefined ? {} : { lint }), ...(test === undefined ? {} : { test }) };
}

/** `<test_path>` and the like are placeholders for agents; they are removed before the command is run. */
export function withoutPlaceholders(command: string): string {
	return command.replace(/\s*<[A-Za-z_][\w-]*>/g, "").trim();
}

export interface RepositoryFiles {
	readonly has: (path: string) => boolean;
	readonly read: (path: string) => string | null;
}

export const filesOf = (root: string): RepositoryFiles => ({
	has: (path) => isFile(join(root, path)),
	read: (path) => readText(join(root, path)),
});

type Detector = (repository: RepositoryFiles) => readonly Guess[];

const forAgents: Detector = ({ has }) => {
	const script = "bin/run_agent_tests.sh";
	return has(script) ? [{ kind: "test", command: `./${script} <test_path>`, from: script }] : [];
};

/** Lockfile → what runs a command in the environment that belongs to it. */
const PYTHON_RUNNERS: readonly (readonly [string, string])[] = [
	["uv.lock", "uv run "],
	["poetry.lock", "poetry run "],
	["Pipfile.lock", "pipenv run "],
];

const python: Detector = ({ has, read }) => {
	const project = read("pyproject.toml");
	if (project === null) return [];
	// Without a sign of any of them: the tools of whoever starts pawl.
	const runner = PYTHON_RUNNERS.find(([lockfile]) => has(lockfile))?.[1] ?? (/^\[tool\.uv\b/m.test(project) ? "uv run " : "");
	const test: Guess = { kind: "test", command: `${runner}pytest`, from: "pyproject.toml" };
	const hooks = ".pre-commit-config.yaml";
	return has(hooks) ? [{ kind: "lint", command: "uv run pre-commit run -a", from: hooks }, test] : [test];
};

const LOCKFILES: readonly (readonly [string, string])[] = [
	["pnpm-lock.yaml", "pnpm"],
	["yarn.lock", "yarn"],
	["bun.lock", "bun"],
	["bun.lockb", "bun"],
	["package-lock.json", "npm"],
	["npm-shrinkwrap.json", "npm"],
];

const node: Detector = ({ has, read }) => {
	const text = read("package.json");
	if (text === null) return [];
	const { scripts, packageManager } = packageOf(text);
	const named = LOCKFILES.map(([, manager]) => manager).find((manager) => packageManager.startsWith(`${manager}@`));
	const manager = LOCKFILES.find(([file]) => has(file))?.[1] ?? named ?? "npm";
	// `bun test` is bun's own runner and would not read the script.
	const test = manager === "bun" ? "bun run test" : `${manager} test`;
	const usable = (name: string) =>
		typeof scripts[name] === "string" && scripts[name].trim() !== "" && !scripts[name].includes("no test specified");
	const guesses: Guess[] = [];
	if (usable("lint")) guesses.push({ kind: "lint", command: `${manager} run lint`, from: "package.json" });
	if (usable("test")) guesses.push({ kind: "test", command: test, from: "package.json" });
	return guesses;
};

/** What one language's own tools would run here; empty if the repository does not use that language. */
export function checksOf(
	language: "node" | "rust" | "go",
	repository: RepositoryFiles,
): { readonly lint?: string; readonly test?: string } {
	const guesses = { node, rust, go }[language](repository);
	return Object.fromEntries(guesses.map(({ kind, command }) => [kind, command]));
}

/** The test script of package.json; null if there is none. */
export function packageTestScript(root: string): string | null {
	const text = filesOf(root).read("package.json");
	const script = text === null ? null : packageOf(text).scripts["test"];
	return typeof script === "string" ? script.trim() : null;
}

function packageOf(text: string): { readonly scripts: Record<string, unknown>; readonly packageManager: string } {
	try {
		const value: unknown = JSON.parse(text.replace(/^\uFEFF/, ""));
		const { scripts, packageManager } = (typeof value === "object" && value !== null ? value : {}) as Record<string, unknown>;
		return {
			scripts: typeof scripts === "object" && scripts !== null ? (scripts as Record<string, unknown>) : {},
			packageManager: typeof packageManager === "string" ? packageManager : "",
		};
	} catch {
		return { scripts: {}, packageManager: "" };
	}
}

const rust: Detector = ({ has }) =>
	has("Cargo.toml")
		? [
				{ kind: "lint", command: "cargo clippy --all-targets -- -D warnings", from: "Cargo.toml" },
				{ kind: "test", command: "cargo test", from: "Cargo.toml" },
			]
		: [];

const go: Detector = ({ has }) =>
	has("go.mod")
		? [
				{ kind: "lint", command: "go vet ./...", from: "go.mod" },
				{ kind: "test", command: "go test ./...", from: "go.mod" },
			]
		: [];

const make: Detector = ({ has, read }) => {
	// The order in which make itself looks.
	const file = ["GNUmakefile", "makefile", "Makefile"].find(has);
	if (file === undefined) return [];
	const targets = new Set(
		(read(file) ?? "").split("\n").flatMap((line) => /^([A-Za-z0-9 _.-]+?)\s*::?(?!=)/.exec(line)?.[1]?.split(/\s+/) ?? []),
	);
	const guesses: Guess[] = [];
	if (targets.has("lint")) guesses.push({ kind: "lint", command: "make lint", from: file });
	const test = ["test", "check"].find((target) => targets.has(target));
	if (test !== undefined) guesses.push({ kind: "test", command: `make ${test}`, from: file });
	return guesses;
};

const MOST_BYTES = 8 * 1024 * 1024;

function isFile(path: string): boolean {
	try {
		return statSync(path).isFile();
	} catch {
		return false;
	}
}

function readText(path: string): string | null {
	try {
		return isFile(path) && statSync(path).size <= MOST_BYTES ? readFileSync(path, "utf8") : null;
	} catch {
		return null;
	}
}
