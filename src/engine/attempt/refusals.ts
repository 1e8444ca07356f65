// Prevents a role from doing what it may not do: without `network` it finds no forge's command and no git command that talks
// to a remote; without `commit`, none that changes a branch or the index; and no role pushes or opens a pull request unless a person
// allowed it. Small scripts come before the real commands on its PATH and log what they refuse. An agent that goes around them is still
// refused by git itself (no protocol is allowed), and what it changed is seen afterwards.
import { chmodSync, lstatSync } from "node:fs";
import { join } from "node:path";
import type { Role } from "../../core/definition.ts";
import { textIn } from "../../files/read.ts";
import { writeWholeSync } from "../../files/write.ts";
import { findExecutable } from "../../process.ts";

/** Commands of forges, and what git itself starts to reach a remote. */
const FORGES = ["gh", "glab", "hub", "tea", "ssh", "scp", "git-receive-pack", "git-upload-pack"];
const REMOTE =
	"push|fetch|pull|clone|ls-remote|submodule|send-pack|fetch-pack|http-push|http-fetch|remote-*|send-email|request-pull|svn|p4";
/** Commands that list names and also make or remove them: only listing is allowed. */
const NAMES = "branch|tag|worktree";
/** Not `config`, which agents use to read settings: what it changes is seen afterwards. */
const CHANGES =
	"add|am|checkout|cherry-pick|clean|commit|commit-tree|filter-branch|gc|merge|mv|prune|read-tree|rebase|replace|reset|restore|revert|rm|stash|switch|update-index|update-ref|write-tree";

/** Git commands that send something out. */
const PUSH = "push|send-pack|http-push|send-email|request-pull";
const OPENERS = ["gh", "glab", "hub", "tea"];
/** The variable that names the log of refusals. */
const LOG = "PAWL_REFUSALS";
const LOG_BYTES = 64 * 1024;
const SCRIPT_MODE = 0o755;

export type Denied = "run" | "commit" | "network";

/** What a role may not do, if it lists what it `can` do. */
export const deniedTo = (role: Role | undefined): Denied[] =>
	role?.bounded ? (["run", "commit", "network"] as const).filter((what) => !role.can.includes(what)) : [];

export interface Refusals {
	/** PATH with the refusing scripts first, and git with no protocol allowed. */
	readonly env: Readonly<Record<string, string>>;
	/** What was tried and refused: "git push", each once. */
	tried(): readonly string[];
}

const NONE: Refusals = { env: {}, tried: () => [] };

/** `push`: a person allowed it. `name` differs for every attempt. */
export function refusals(role: Role | undefined, push: boolean, sharedDir: string, name: string, path: string): Refusals {
	const denied: (Denied | "push")[] = [...deniedTo(role).filter((what) => what !== "run"), ...(push ? [] : (["push"] as const))];
	if (denied.length === 0) return NONE;
	const folder = join(sharedDir, "refusals", denied.join("-"));
	// Looked at again for each attempt, as agents can write to the folder.
	for (const [command, text] of Object.entries(scriptsFor(denied, path))) keepScript(join(folder, command), text);
	const log = join(sharedDir, "refusals", `${name}.log`);
	return {
		env: {
			PATH: `${folder}:${path}`,
			[LOG]: log,
			...(denied.includes("network") ? { GIT_ALLOW_PROTOCOL: "none", GIT_TERMINAL_PROMPT: "0" } : {}),
		},
		tried: () => triedIn(log),
	};
}

function triedIn(log: string): string[] {
	const text = textIn(log, { max: LOG_BYTES });
	return text === null ? [] : [...new Set(text.split("\n").filter((line) => line.trim() !== ""))].slice(0, 20);
}

function scriptsFor(denied: readonly (Denied | "push")[], path: string): Record<string, string> {
	const git = realCommand("git", path);
	return {
		...(git === null ? {} : { git: gitScript(git, denied) }),
		...(denied.includes("push") ? openers(path) : {}),
		...(denied.includes("network") ? Object.fromEntries(FORGES.map((command) => [command, REFUSES])) : {}),
	};
}

/** Remembered, because five commands in a PATH of ten folders would be fifty looks at the disk for every step. */
const realCommands = new Map<string, string | null>();

function realCommand(name: string, path: string): string | null {
	const key = `${name}\n${path}`;
	const known = realCommands.get(key);
	if (known !== undefined) return known;
	const real = findExecutable(name, "/", path);
	realCommands.set(key, real);
	return real;
}

/** For each installed forge command, a script that lets it read and refuses to open anything. */
function openers(path: string): Record<string, string> {
	return Object.fromEntries(
		OPENERS.flatMap((name) => {
			const real = realCommand(name, path);
			return real === null ? [] : [[name, openerScript(name, real)]];
		}),
	);
}

const NOTE = (what: string): string => `[ -z "$${LOG}" ] || printf '%s\\n' "${what}" >> "$${LOG}"`;

const openerScript = (name: string, real: string): string => `#!/bin/sh
case "$1 $2" in
	"pr create" | "pr new" | "pr merge" | "mr create" | "mr new" | "mr merge" | "release create" | "repo create" | "repo fork" | "repo sync" | "pull-request "* | "pulls create" | "push "*)
		${NOTE(`${name} $1 $2`)}
		echo "${name} $1 $2: refused: pawl pushes and opens pull requests itself, if it may (--push)" >&2
		exit 126 ;;
	"api "*)
		for word in "$@"; do
			case "$word" in
				-X | --method | -f | -F | --field | --raw-field | --input | -XP* | -XD* | --method=*)
					${NOTE(`${name} api`)}
					echo "${name} api: refused: this run may not change anything outside of this machine (--push)" >&2
					exit 126 ;;
			esac
		done ;;
esac
exec '${real.replaceAll("'", "'\\''")}' "$@"
`;

function keepScript(file: string, text: string): void {
	const stat = lstatSync(file, { throwIfNoEntry: false });
	if (stat?.isFile() && stat.nlink === 1 && (stat.mode & 0o777) === SCRIPT_MODE && textIn(file, { max: LOG_BYTES }) === text) return;
	writeWholeSync(file, text, { mode: SCRIPT_MODE });
	chmodSync(file, SCRIPT_MODE);
}

const REFUSES = `#!/bin/sh
${NOTE(`\${0##*/} $1 $2`)}
echo "$(basename "$0"): refused: this role may not use the network" >&2
exit 126
`;

function gitScript(git: string, denied: readonly (Denied | "push")[]): string {
	const refuse = (pattern: string, why: string): string =>
		`${pattern}) ${NOTE("git $name")}; echo "git $name: refused: ${why}" >&2; exit 126 ;;`;
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
	${denied.includes("network") ? refuse(REMOTE, "this role may not use the network") : ""}
	${denied.includes("push") && !denied.includes("network") ? refuse(PUSH, "pawl pushes itself, if it may (--push)") : ""}
	${denied.includes("commit") ? refuse(CHANGES, "this role may not change the repository") : ""}
	${denied.includes("commit") ? `${NAMES}) if [ -n "$names" ] && [ -z "$looks" ]; then echo "git $name: refused: this role may not change the repository" >&2; exit 126; fi ;;` : ""}
esac
exec '${git.replaceAll("'", "'\\''")}' "$@"
`;
}
