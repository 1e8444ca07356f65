// Which tools build and test a repository, by the marker files in its root; and whether it has a flake with a shell, in which all of
// its commands then run.
import { matchesGlob } from "node:path";
import { checksOf, filesOf, type RepositoryFiles } from "./checks.ts";
import { wrappedCommand } from "./command.ts";

export type ToolchainKind = "python" | "rust" | "node" | "go";

export interface Toolchain {
	/** The first of `kinds`; null if none is known. */
	readonly kind: ToolchainKind | null;
	/** All whose marker file exists, most important first. */
	readonly kinds: readonly ToolchainKind[];
	/** The marker files that it was read from. */
	readonly from: readonly string[];
	/** The command that runs all tests, already inside the flake's shell; null if none is known. */
	readonly test: string | null;
	/** The command that tells whether the code compiles or is well-formed, without running it. */
	readonly check: string | null;
	/** Globs, relative to the root: what is a test by its path alone. */
	readonly testFiles: readonly string[];
	/** Whether commands run inside of the flake's shell. */
	readonly wrapped: boolean;
}

interface Tools {
	readonly kind: ToolchainKind;
	readonly marker: string;
	readonly commands: (files: RepositoryFiles) => { readonly test: string | null; readonly check: string | null };
	readonly testFiles: readonly string[];
}

const scripts = "{js,cjs,mjs,jsx,ts,cts,mts,tsx}";

const TOOLS: readonly Tools[] = [
	{
		kind: "python",
		marker: "pyproject.toml",
		commands: ({ has }) => {
			const run = has("uv.lock") ? "uv run " : "";
			return { test: `${run}pytest`, check: `${run}python -m compileall -q .` };
		},
		testFiles: ["tests/**", "test/**", "**/tests/**", "**/test_*.py", "**/*_test.py", "**/conftest.py"],
	},
	{
		kind: "rust",
		marker: "Cargo.toml",
		commands: (files) => ({ test: checksOf("rust", files).test ?? null, check: "cargo check --all-targets" }),
		testFiles: ["tests/**", "**/tests/**/*.rs", "benches/**", "**/*_test.rs"],
	},
	{
		kind: "node",
		marker: "package.json",
		commands: (files) => {
			const { lint, test } = checksOf("node", files);
			return { test: test ?? null, check: lint ?? null };
		},
		testFiles: ["test/**", "tests/**", "**/__tests__/**", `**/*.test.${scripts}`, `**/*.spec.${scripts}`, `**/*_test.${scripts}`],
	},
	{
		kind: "go",
		marker: "go.mod",
		commands: (files) => ({ test: checksOf("go", files).test ?? null, check: checksOf("go", files).lint ?? null }),
		testFiles: ["**/*_test.go", "**/testdata/**"],
	},
];

export function detectToolchain(root: string): Toolchain {
	const files = filesOf(root);
	const found = TOOLS.filter(({ marker }) => files.has(marker));
	const [first] = found;
	const wrapped = hasDevShell(files);
	const commands = first?.commands(files) ?? { test: null, check: null };
	const inside = (command: string | null) => (command !== null && wrapped ? wrappedCommand(command) : command);
	return {
		kind: first?.kind ?? null,
		kinds: found.map(({ kind }) => kind),
		from: [...found.map(({ marker }) => marker), ...(wrapped ? ["flake.nix"] : [])],
		test: inside(commands.test),
		check: inside(commands.check),
		// Without any marker file the conventions of all toolchains count.
		testFiles: [...new Set((found.length > 0 ? found : TOOLS).flatMap(({ testFiles }) => testFiles))],
		wrapped,
	};
}

/** Whether a path relative to the root is a test by its name alone. */
export function isTestFile(path: string, { testFiles }: Pick<Toolchain, "testFiles">): boolean {
	return !path.startsWith("/") && !path.split("/").includes("..") && testFiles.some((glob) => matchesGlob(path, glob));
}

/** A flake without a shell only builds a package: commands then use the user's own tools. */
function hasDevShell({ read }: RepositoryFiles): boolean {
	const text = (read("flake.nix") ?? "").replace(/\/\*[\s\S]*?\*\//g, " ").replace(/#.*$/gm, "");
	return /\b(?:devShells?|mkShell(?:NoCC)?)\b/.test(text);
}
