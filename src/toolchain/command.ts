// Judges commands that roles ask for: only known tools may be started, and no tool may be used as a shell. The shell of a flake (`nix
// develop -c`) is only a wrapper: the command behind it is judged as if it stood alone.
import { splitCommand } from "../process.ts";
import type { Toolchain } from "./detect.ts";

const WRAPPER = "nix develop -c";

/** Programs that build, test or check something, of all toolchains: a subfolder may use another one than the root. */
const PROGRAMS: readonly string[] = [
	...["pytest", "uv", "python", "python3", "ruff", "mypy", "pyright", "black", "tox", "nox"],
	...["cargo", "rustc", "rustfmt"],
	...["npm", "pnpm", "yarn", "bun", "deno", "node", "tsc", "biome", "eslint", "prettier", "vitest", "jest", "mocha", "tsx"],
	...["go", "gofmt", "staticcheck", "golangci-lint"],
	...["make", "just", "ctest", "mvn", "gradle", "bazel", "dotnet", "swift", "zig", "mix", "rspec", "rake", "phpunit"],
	...["true", "false", "test"],
];

/** Flags that take program text: with them any tool is a shell. */
const EVALUATES: Readonly<Record<string, RegExp>> = {
	python: /^(?:-[A-Za-z]*c.*|-)$/,
	python3: /^(?:-[A-Za-z]*c.*|-)$/,
	node: /^(?:-[A-Za-z]*[ep]|--eval(?:=.*)?|--print(?:=.*)?|-|--import=data:.*)$/,
	bun: /^(?:-[ep]|--eval(?:=.*)?|--print(?:=.*)?|x|exec)$/,
	npm: /^(?:exec|x|explore)$/,
	pnpm: /^(?:exec|dlx)$/,
	yarn: /^(?:exec|dlx)$/,
	deno: /^(?:eval|repl)$/,
	tsx: /^(?:-[ep]|--eval(?:=.*)?|--print(?:=.*)?)$/,
	make: /^(?:--eval(?:=.*)?|-E.*|SHELL=.*)$/,
	uv: /^(?:tool|x)$/,
};

/** Programs that only start another one, which is then judged. */
const STARTERS: readonly string[] = [
	"nix develop -c",
	"nix develop --command",
	"uv run",
	"poetry run",
	"bundle exec",
	"npx",
	"bunx",
	"pnpm exec",
	"yarn exec",
	"npm exec --",
];
/** Their flags that take no argument and do not change what is started. */
const HARMLESS = new Set(["--frozen", "--locked", "--no-sync", "--offline", "--quiet", "-q", "--no-install", "--all-extras", "--"]);

/** Variables that change what is printed or what a project reads, not what is started. */
const SETTINGS = new Set(
	"CI TZ LANG LC_ALL NO_COLOR FORCE_COLOR NODE_ENV PYTHONPATH PYTHONHASHSEED RUST_BACKTRACE RUST_LOG CARGO_TERM_COLOR".split(" "),
);
const ASSIGNMENT = /^([A-Za-z_]\w*)=/;

/** Puts a command into the flake's shell. One that is already in it is not changed; variables are set before the shell is entered. */
export function wrappedCommand(command: string): string {
	const [, settings = "", rest = ""] = /^((?:[A-Za-z_]\w*=[\w.,:/+-]*\s+)*)([\s\S]*)$/.exec(command.trim()) ?? [];
	return /^nix\s+develop\s/.test(rest) ? `${settings}${rest}` : `${settings}${WRAPPER} ${rest}`;
}

/** Why a role may not run this command, or null. `more`: additional programs that are allowed. */
export function commandProblem(command: string, more: readonly string[] = []): string | null {
	const syntax = shellSyntax(command);
	if (syntax !== null) return `it has ${syntax}: one plain command is needed`;
	const split = splitCommand(command);
	if (!split.ok) return split.error;
	const settings = split.words.findIndex((word) => !SETTINGS.has(ASSIGNMENT.exec(word)?.[1] ?? ""));
	const words = settings === -1 ? [] : split.words.slice(settings);
	const [program, ...args] = inner(words);
	if (program === undefined) return "it is empty";
	// `sh check.sh` counts as `./check.sh`; after a starter no shell is allowed.
	if (program === words[0] && SHELLS.includes(program) && isScript(args[0] ?? "")) return null;
	if (ASSIGNMENT.test(program)) return `it sets the variable ${program.split("=")[0]}`;
	if (!PROGRAMS.includes(program) && !more.includes(program) && !isOwn(program))
		return `${program} is neither a known tool that builds or tests something nor a script of the repository`;
	const evaluates = EVALUATES[program];
	const wrong = evaluates === undefined ? undefined : args.slice(0, firstOwn(args)).find((arg) => evaluates.test(arg));
	return wrong === undefined ? null : `${program} ${wrong} runs what it is given, like a shell`;
}

const SHELLS: readonly string[] = ["sh", "bash"];
const isScript = (arg: string): boolean => !arg.startsWith("-") && isOwn(`./${arg.replace(/^\.\//, "")}`);

/** A script of the repository, such as `./check.sh`: as trusted as its tests. */
const isOwn = (program: string): boolean =>
	/^(?:\.\/)?[\w.-]+(?:\/[\w.-]+)*$/.test(program) &&
	program.includes("/") &&
	!program.split("/").includes("..") &&
	!/(?:^|\/)\.git(?:\/|$)/.test(program);

/** A command as it is run in a repository: in the flake's shell if there is one, and then without anything that could leave it. */
export function toolCommand(
	command: string,
	{ wrapped }: Pick<Toolchain, "wrapped">,
): { readonly command: string } | { readonly problem: string } {
	if (!wrapped) return { command: command.trim() };
	const problem = commandProblem(command);
	return problem === null ? { command: wrappedCommand(command) } : { problem };
}

/** What the starters start. */
function inner(words: readonly string[]): readonly string[] {
	for (const starter of STARTERS) {
		const own = starter.split(" ");
		if (!own.every((word, i) => words[i] === word)) continue;
		const rest = words.slice(own.length);
		const from = rest.findIndex((word) => !HARMLESS.has(word));
		return inner(from === -1 ? [] : rest.slice(from));
	}
	return words;
}

/** Flags and the first word after them are the program's; what follows belongs to what it runs. */
const firstOwn = (args: readonly string[]): number => {
	const index = args.findIndex((arg) => !arg.startsWith("-"));
	return index === -1 ? args.length : index + 1;
};

/** The first thing in a line that a shell would not take as a plain word. */
export function shellSyntax(line: string): string | null {
	if (/[\n\r]/.test(line)) return "more than one line";
	let quote: "'" | '"' | null = null;
	for (let i = 0; i < line.length; i++) {
		const char = line.charAt(i);
		if (quote === "'") {
			if (char === "'") quote = null;
		} else if (char === "\\") i++;
		else if (char === "$" || char === "`") return `a ${char}`;
		else if (quote === '"') {
			if (char === '"') quote = null;
		} else if (char === "'" || char === '"') quote = char;
		else if (";&|<>()".includes(char)) return `a ${char}`;
	}
	return null;
}
