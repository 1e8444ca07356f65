// A `git` that stands before the real one in PATH and kills pawl at a chosen call of pawl's own: before git has done
// anything, while it is at work (it outlives pawl then), or when it is done and pawl does not know yet.
import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { World } from "./crash-world.ts";

// pawl's calls are known by the setting that they all begin with; an agent's own calls go through untouched.
const WRAPPER = (real: string) => `#!/bin/sh
[ "$2" = core.hooksPath=/dev/null ] && [ -n "$PAWL_TEST_KILL" ] || exec ${real} "$@"
value= sub=
for arg; do
	if [ -n "$value" ]; then value=
	elif [ "$arg" = -c ]; then value=1
	else sub=$arg; break; fi
done
how=\${PAWL_TEST_KILL%%:*} rest=\${PAWL_TEST_KILL#*:}
echo "$sub" >> "$PAWL_TEST_NOTES/git-calls"
[ "$sub" = "\${rest%#*}" ] || exec ${real} "$@"
n=1
while ! mkdir "$PAWL_TEST_NOTES/git-$sub-$n" 2> /dev/null; do n=$((n + 1)); done
[ "$n" = "\${rest#*#}" ] || exec ${real} "$@"
case $how in
before) kill -9 $PPID ;;
during) kill -9 $PPID; sleep 0.05; exec ${real} "$@" ;;
after) ${real} "$@"; kill -9 $PPID ;;
esac
`;

/** The environment in which pawl dies there; `at` is such as `before:update-ref#2`. Call numbers start anew. */
export function killAtGit(world: World, at: string, round: number): Record<string, string> {
	const bin = join(world.folder, "bin");
	const notes = join(world.folder, `git-${round}`);
	// A git of the round before may still run from the old one, which nobody may write to then.
	rmSync(bin, { recursive: true, force: true });
	mkdirSync(bin, { recursive: true });
	mkdirSync(notes, { recursive: true });
	const real = execFileSync("sh", ["-c", "command -v git"], { encoding: "utf8" }).trim();
	writeFileSync(join(bin, "git"), WRAPPER(real));
	chmodSync(join(bin, "git"), 0o755);
	return { PATH: `${bin}:${process.env["PATH"] ?? ""}`, PAWL_TEST_KILL: at, PAWL_TEST_NOTES: notes };
}

/** The subcommands that pawl called in that round. */
export function gitCalls(world: World, round: number): string[] {
	const file = join(world.folder, `git-${round}`, "git-calls");
	return existsSync(file) ? readFileSync(file, "utf8").trimEnd().split("\n") : [];
}
