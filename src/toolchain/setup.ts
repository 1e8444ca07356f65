// What makes a fresh checkout usable, by the lockfiles that a repository has. It reads names of files only.
import { readForeignJson } from "../core/text/foreign-json.ts";
import { filesOf, type RepositoryFiles } from "./checks.ts";

interface Installer {
	readonly lockfile: string;
	readonly command: string;
}

/** One for each language: of several lockfiles of a language the first counts. */
const INSTALLERS: readonly (readonly Installer[])[] = [
	[
		{ lockfile: "pnpm-lock.yaml", command: "pnpm install --frozen-lockfile" },
		{ lockfile: "yarn.lock", command: "yarn install --frozen-lockfile" },
		{ lockfile: "bun.lock", command: "bun install --frozen-lockfile" },
		{ lockfile: "bun.lockb", command: "bun install --frozen-lockfile" },
		{ lockfile: "package-lock.json", command: "npm ci" },
	],
	[
		{ lockfile: "uv.lock", command: "uv sync --frozen" },
		{ lockfile: "poetry.lock", command: "poetry install" },
		{ lockfile: "Pipfile.lock", command: "pipenv sync" },
	],
	[{ lockfile: "Gemfile.lock", command: "bundle install" }],
	[{ lockfile: "composer.lock", command: "composer install" }],
	[{ lockfile: "mix.lock", command: "mix deps.get" }],
];

export interface DetectedSetup {
	readonly command: string;
	/** The lockfiles, for a person. */
	readonly from: string;
}

/** Libraries often have no lockfile. An agent would commit one that the setup makes. */
const UNLOCKED: DetectedSetup = { command: "npm install --no-package-lock", from: "package.json" };

function needsPackages(text: string | null): boolean {
	const read = readForeignJson(text ?? "");
	const packages = (read.ok && typeof read.value === "object" && read.value !== null ? read.value : {}) as Readonly<
		Record<string, unknown>
	>;
	const names = (key: string) => Object.keys((typeof packages[key] === "object" && packages[key]) || {});
	return ["dependencies", "devDependencies"].some((key) => names(key).length > 0);
}

/** null: nothing that a fresh worktree would miss is known. */
export const detectSetup = (root: string): DetectedSetup | null => setupFrom(filesOf(root));

function setupFrom({ has, read }: RepositoryFiles): DetectedSetup | null {
	const found = INSTALLERS.flatMap((language) => language.find(({ lockfile }) => has(lockfile)) ?? []);
	if (found.length === 0) return needsPackages(read("package.json")) ? UNLOCKED : null;
	return { command: found.map(({ command }) => command).join(" && "), from: found.map(({ lockfile }) => lockfile).join(", ") };
}
