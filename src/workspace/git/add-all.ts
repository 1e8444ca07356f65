// Adds all files of a folder to an index.
import { textOf } from "./file-names.ts";
import { type GitOptions, tryGit } from "./git.ts";

/** Other repositories in the folder that the index knows stay as they are: `git add` runs `git status` in each, and with it the filters of its own
 * configuration, which may be an agent's. An unreadable file does not prevent adding the rest. */
export async function addAll(path: string, options: GitOptions): Promise<void> {
	const listed = textOf((await tryGit(path, ["ls-files", "-z", "--stage"], options)).stdout);
	const others = listed.split("\0").flatMap((entry) => (entry.startsWith("160000 ") ? [entry.slice(entry.indexOf("\t") + 1)] : []));
	const paths = [".", ...others.map((name) => `:(top,exclude,literal)${name}`)];
	const add = ["add", "-A", "--ignore-errors", "--pathspec-from-file=-", "--pathspec-file-nul"];
	await tryGit(path, add, { ...options, input: paths.join("\0") });
}
