// What a role may not do is out of its reach, not only forbidden: for a role that may not use the network there is no forge's command
// and no git command that talks to a remote; for one that may not commit, none that changes a branch or the index. Small commands stand
// in front of the real ones on its PATH. Whoever goes around them still meets git's own refusal, and the look afterwards.
import { chmodSync, lstatSync, mkdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Role } from "../../core/definition.ts";
import { findExecutable } from "../../process.ts";

/** Commands of forges, and what git itself starts to reach a remote. */
const FORGES = ["gh", "glab", "hub", "tea", "ssh", "scp", "git-receive-pack", "git-upload-pack"];
const REMOTE =
	"push|fetch|pull|clone|ls-remote|submodule|send-pack|fetch-pack|http-push|http-fetch|remote-*|send-email|request-pull|svn|p4";
/** Commands that agents look with, and that make or remove names as well: only the first is left. */
const NAMES = "branch|tag|worktree";
/** Not `config`, which agents only look with: what it changes is seen afterwards. */
const CHANGES =
	"add|am|checkout|cherry-pick|clean|commit|commit-tree|filter-branch|gc|merge|mv|prune|read-tree|rebase|replace|reset|restore|revert|rm|stash|switch|update-index|update-ref|write-tree";

export type Denied = "run" | "commit" | "network";

/** What a role that says what it can may not do. */
export const deniedTo = (role: Role | undefined): Denied[] =>
	role?.bounded ? (["run", "commit", "network"] as const).filter((what) => !role.can.includes(what)) : [];

/** The environment in which it cannot: PATH with those commands first, and git without any protocol. */
export function refusals(role: Role | undefined, sharedDir: string, path: string): Record<string, string> {
	const denied = deniedTo(role).filter((what) => what !== "run");
	if (denied.length === 0) return {};
	const folder = join(sharedDir, "refusals", denied.join("-"));
	mkdirSync(folder, { recursive: true });
	const git = findExecutable("git", "/", path);
	const scripts = {
		...(git === null ? {} : { git: gitScript(git, denied) }),
		...(denied.includes("network") ? Object.fromEntries(FORGES.map((name) => [name, REFUSES])) : {}),
	};
	// Written each time: an agent can reach the folder.
	for (const [name, text] of Object.entries(scripts)) writeScript(join(folder, name), text);
	return {
		PATH: `${folder}:${path}`,
		...(denied.includes("network") ? { GIT_ALLOW_PROTOCOL: "none", GIT_TERMINAL_PROMPT: "0" } : {}),
	};
}

function writeScript(file: string, text: string): void {
	const fresh = `${file}.${process.pid}.${Math.trunc(performance.now() * 1000)}`;
	if (lstatSync(fresh, { throwIfNoEntry: false }) !== undefined) return;
	writeFileSync(fresh, text, { flag: "wx" });
	chmodSync(fresh, 0o755);
	renameSync(fresh, file);
}

const REFUSES = `#!/bin/sh
echo "$(basename "$0"): refused: this role may not use the network" >&2
exit 126
`;

function gitScript(git: string, denied: readonly Denied[]): string {
	const refuse = (pattern: string, why: string): string =>
		`${pattern}) echo "git $name: refused: this role may not ${why}" >&2; exit 126 ;;`;
	return `#!/bin/sh
name=
skip=
looks=
names=
for word in "$@"; do
	if [ -n "$skip" ]; then skip=; continue; fi
	if [ -n "$name" ]; then
		case "$word" in
			list | -l | --list | --contains* | --no-contains* | --merged* | --no-merged* | --points-at*) looks=1 ;;
			-d | -D | -m | -M | -c | -C | -f | --delete | --move | --copy | --force) looks= names=1; break ;;
			-*) ;;
			*) names=1 ;;
		esac
		continue
	fi
	case "$word" in
		-C | -c | --git-dir | --work-tree | --namespace | --super-prefix | --config-env | --exec-path) skip=1 ;;
		-*) ;;
		*) name=$word ;;
	esac
done
case "$name" in
	${denied.includes("network") ? refuse(REMOTE, "use the network") : ""}
	${denied.includes("commit") ? refuse(CHANGES, "change the repository") : ""}
	${denied.includes("commit") ? `${NAMES}) if [ -n "$names" ] && [ -z "$looks" ]; then echo "git $name: refused: this role may not change the repository" >&2; exit 126; fi ;;` : ""}
esac
exec '${git.replaceAll("'", "'\\''")}' "$@"
`;
}
