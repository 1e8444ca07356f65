// `git init` and a few settings, without starting git five times: an empty repository is two files.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Commits in it do not look whether there is garbage to collect. */
export function initialise(folder: string, user: { readonly name: string; readonly email: string }, branch = "main"): void {
	for (const name of ["hooks", "info", "objects/info", "objects/pack", "refs/heads", "refs/tags"])
		mkdirSync(join(folder, ".git", name), { recursive: true });
	writeFileSync(join(folder, ".git", "HEAD"), `ref: refs/heads/${branch}\n`);
	writeFileSync(
		join(folder, ".git", "config"),
		`[core]
	repositoryformatversion = 0
	filemode = true
	bare = false
	logallrefupdates = true
[user]
	name = ${user.name}
	email = ${user.email}
[commit]
	gpgsign = false
[gc]
	auto = 0
[maintenance]
	auto = false
`,
	);
}
