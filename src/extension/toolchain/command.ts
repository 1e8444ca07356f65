// Commands that roles ask for: which tools they may start, and that nothing gets from a tool into a shell. The shell of a flake
// (`nix develop -c`) is a wrapper, no way around: what stands behind it is judged as if it stood alone.
import { splitCommand } from "../../process.ts";
import type { Toolchain, ToolchainKind } from "./detect.ts";

const WRAPPER = "nix develop -c";

/** For each toolchain the programs that build, test or check something. */
const PROGRAMS: Readonly<Record<ToolchainKind, readonly string[]>> = {
	python: ["pytest", "uv", "python", "python3", "ruff", "mypy", "pyright", "black", "tox", "nox"],
	rust: ["cargo", "rustc", "rustfmt", "clippy-driver"],
	node: ["npm", "pnpm", "yarn", "bun", "node", "tsc", "biome", "eslint", "prettier", "vitest", "jest", "mocha"],
	go: ["go", "gofmt", "staticcheck", "golangci-lint"],
};
const EVERYWHERE = ["make", "just", "true", "false", "test"];

/** A program's flags that take a program text: with them any tool is a shell. */
const EVALUATES: Readonly<Record<string, RegExp>> = {
	python: /^(?:-[A-Za-z]*c.*|-)$/,
	python3: /^(?:-[A-Za-z]*c.*|-)$/,
	node: /^(?:-[A-Za-z]*[ep]|--eval(?:=.*)?|--print(?:=.*)?|-|--import=data:.*)$/,
	bun: /^(?:-[ep]|--eval(?:=.*)?|--print(?:=.*)?|x|exec)$/,
	npm: /^(?:exec|x|explore)$/,
	pnpm: /^(?:exec|dlx)$/,
	yarn: /^(?:exec|dlx)$/,
	uv: /^(?:tool|x)$/,
};

/** Programs that only start the next one, with how many words of their own. */
const STARTERS: readonly (readonly string[])[] = [
	["nix", "develop", "-c"],
	["nix", "develop", "--command"],
	["uv", "run"],
];

/** Inside of the flake's shell; a command that is there already stays as it is. */
export const wrappedCommand = (command: string): string =>
	/^\s*nix\s+develop\s/.test(command) ? command.trim() : `${WRAPPER} ${command.trim()}`;

/** Why a role may not have this command run, or null. `more` are programs that the workflow allows besides. */
export function commandProblem(command: string, kinds: readonly ToolchainKind[], more: readonly string[] = []): string | null {
	const syntax = shellSyntax(command);
	if (syntax !== null) return `it has ${syntax}: one plain command is needed`;
	const split = splitCommand(command);
	if (!split.ok) return split.error;
	const words = inner(split.words);
	const [program, ...args] = words;
	if (program === undefined) return "it is empty";
	if (/^[A-Za-z_]\w*=/.test(program)) return `it sets a variable (${program.split("=")[0]})`;
	const known = new Set([
		...EVERYWHERE,
		...more,
		...(kinds.length > 0 ? kinds : (Object.keys(PROGRAMS) as ToolchainKind[])).flatMap((kind) => PROGRAMS[kind]),
	]);
	if (!known.has(program)) return `${program} is none of the tools here (${[...known].sort().join(", ")})`;
	const evaluates = EVALUATES[program];
	const wrong = evaluates === undefined ? undefined : args.slice(0, firstOwn(args)).find((arg) => evaluates.test(arg));
	return wrong === undefined ? null : `${program} ${wrong} runs what it is given, like a shell`;
}

/** A command as it is run in a repository: inside of the flake's shell where it has one, and then nothing that could leave it. */
export function toolCommand(
	command: string,
	{ kinds, wrapped }: Pick<Toolchain, "kinds" | "wrapped">,
): { readonly command: string } | { readonly problem: string } {
	if (!wrapped) return { command: command.trim() };
	const problem = commandProblem(command, kinds);
	return problem === null ? { command: wrappedCommand(command) } : { problem };
}

/** What the starters start. */
function inner(words: readonly string[]): readonly string[] {
	for (const starter of STARTERS) if (starter.every((word, i) => words[i] === word)) return inner(words.slice(starter.length));
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
