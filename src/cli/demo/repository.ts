// The scratch repository of the demos: a project of a few shell scripts, so that a demo needs only git and sh. The scripts of the
// demos below workflows/ must fit these files.
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** Path → content: the project `greet`. */
export function greetProject(): Record<string, string> {
	return {
		"README.md": README,
		"greet.sh": GREET,
		"pawl.yml": CONFIG,
		"scripts/lint.sh": LINT,
		"scripts/test.sh": TEST,
		"tests/greet.sh": GREET_TEST,
	};
}

export const jsonFile = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

/** A repository with these files in one commit on main; `branch` is checked out if it is given. */
export function makeRepository(folder: string, files: Readonly<Record<string, string>>, branch?: string): void {
	for (const [path, text] of Object.entries(files)) {
		mkdirSync(dirname(join(folder, path)), { recursive: true });
		writeFileSync(join(folder, path), text);
	}
	const git = gitIn(folder);
	git("init", "-q", "-b", "main");
	git("config", "user.name", "pawl demo");
	git("config", "user.email", "demo@pawl.invalid");
	git("add", "-A");
	git("commit", "-q", "-m", "Start");
	if (branch !== undefined) git("checkout", "-q", "-b", branch);
}

/** Gives the repository a remote: a bare repository at this path, with main in it. */
export function addRemote(folder: string, path: string): void {
	mkdirSync(path, { recursive: true });
	gitIn(path)("init", "-q", "--bare", "-b", "main");
	const git = gitIn(folder);
	git("remote", "add", "origin", path);
	git("push", "-q", "origin", "main");
}

const gitIn =
	(cwd: string) =>
	(...args: string[]): void => {
		const quietly = ["-c", "core.hooksPath=/dev/null", "-c", "commit.gpgsign=false", "-c", "init.templateDir="];
		execFileSync("git", [...quietly, ...args], { cwd, stdio: ["ignore", "ignore", "pipe"] });
	};

// The list of commands is at the end of the file, so that two stories that each add a line conflict.
const README = `# greet

Small commands in POSIX sh. \`sh scripts/lint.sh\` and \`sh scripts/test.sh\` check them.

- \`sh greet.sh [NAME]\` greets NAME, or the world
`;

const GREET = `#!/bin/sh
# greet.sh [NAME]: greets NAME, or the world.
set -eu

printf 'Hello, %s!\\n' "\${1:-world}"
`;

const CONFIG = `# pawl runs these itself: after linting, after initial_testing, both at the end and once more before a merge.
checks:
  lint: sh scripts/lint.sh
  test: sh scripts/test.sh
`;

const LINT = `#!/bin/sh
# Every script must parse and have no space at the end of a line.
set -u

status=0
for file in $(git ls-files '*.sh'); do
	sh -n "$file" || status=1
	if grep -n '[[:blank:]]$' "$file"; then
		echo "$file: space at the end of a line"
		status=1
	fi
done
[ "$status" -eq 0 ] && echo "lint: clean"
exit "$status"
`;

const TEST = `#!/bin/sh
# Runs every file in tests/; each calls check NAME WANTED COMMAND ARGUMENTS...
set -u

failed=0
check() {
	name=$1
	wanted=$2
	shift 2
	got=$(sh "$@" 2>&1)
	if [ "$got" = "$wanted" ]; then
		echo "ok - $name"
	else
		echo "not ok - $name: wanted '$wanted', got '$got'"
		failed=$((failed + 1))
	fi
}
for file in tests/*.sh; do
	. "./$file"
done
echo "$failed failed"
[ "$failed" -eq 0 ]
`;

const GREET_TEST = `# The greeting as it has always been.
check "greets by name" "Hello, Ada!" greet.sh Ada
check "greets the world" "Hello, world!" greet.sh
`;
