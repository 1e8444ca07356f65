// What makes a fresh checkout usable, by the lockfiles that a repository has. It reads names of files only.
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

/** null: nothing that a fresh worktree would miss is known. */
export const detectSetup = (root: string): DetectedSetup | null => setupFrom(filesOf(root));

function setupFrom({ has }: RepositoryFiles): DetectedSetup | null {
	const found = INSTALLERS.flatMap((language) => language.find(({ lockfile }) => has(lockfile)) ?? []);
	if (found.length === 0) return null;
	return { command: found.map(({ command }) => command).join(" && "), from: found.map(({ lockfile }) => lockfile).join(", ") };
}
