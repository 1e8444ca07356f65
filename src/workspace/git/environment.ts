// The environment of pawl's own git calls, without anything that would redirect a call or make it wait for a person.
import { realpathSync } from "node:fs";
import { delimiter, isAbsolute, sep } from "node:path";
import { pinnedRoots } from "./pins.ts";

export function gitEnvironment(): Record<string, string> {
	const env: Record<string, string> = {};
	for (const [name, value] of Object.entries(process.env)) {
		// Keeps the caller's identity; any other GIT_ variable would redirect our calls.
		if (value === undefined || (name.startsWith("GIT_") && !/^GIT_(AUTHOR|COMMITTER)_(NAME|EMAIL)$/.test(name))) continue;
		env[name] = value;
	}
	return {
		...env,
		...(env["PATH"] === undefined ? {} : { PATH: trusted(env["PATH"]) }),
		LC_ALL: "C",
		GIT_TERMINAL_PROMPT: "0",
		GIT_OPTIONAL_LOCKS: "0",
		GIT_EDITOR: "true",
		// A replaced object or a graft would show our calls another history than the real one.
		GIT_NO_REPLACE_OBJECTS: "1",
		GIT_GRAFT_FILE: "/dev/null",
	};
}

let known: { readonly key: string; readonly path: string } | null = null;

/** Without folders of a repository in which agents work: `npx` puts its `node_modules/.bin` there, and an agent a `git` into that. */
function trusted(path: string): string {
	const roots = pinnedRoots();
	const key = [path, ...roots].join("\n");
	if (known?.key !== key) {
		const isOurs = (folder: string): boolean => roots.some((root) => folder === root || folder.startsWith(`${root}${sep}`));
		const kept = path
			.split(delimiter)
			.filter((folder) => roots.length === 0 || (isAbsolute(folder) && !isOurs(folder) && !isOurs(real(folder))));
		known = { key, path: kept.join(delimiter) };
	}
	return known.path;
}

function real(folder: string): string {
	try {
		return realpathSync(folder);
	} catch {
		return folder;
	}
}
