// An agent for the agent `command`: a POSIX shell script made from rules, because a shell starts in a millisecond and a run has ten
// steps. It records every call (prompt, environment, folder, commit, state file, times, exit code), then does what the first fitting rule
// says. What a rule does are lines of shell; the functions below write the usual ones.
import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { WorkflowState } from "../../src/format/workflow-state/document.ts";
import { exists, list, processesNaming, read, scratchFolder } from "./scratch.ts";

export interface Rule {
	/** All that are given must fit; `nth` counts the calls of a step type in a story, `turn` those of a role. */
	readonly when?: {
		readonly type?: string;
		readonly step?: string;
		readonly nth?: number;
		readonly story?: string;
		readonly role?: string;
		readonly turn?: number;
	};
	readonly do: readonly string[];
}

export interface Call {
	readonly type: string;
	readonly step: string;
	readonly story: string;
	readonly prompt: string;
	readonly env: Readonly<Record<string, string>>;
	readonly argv: readonly string[];
	readonly cwd: string;
	/** HEAD when it started. */
	readonly head: string;
	/** Nanoseconds; `to` is null for one that was killed. */
	readonly from: bigint;
	readonly to: bigint | null;
	/** workflow_state.json as it was when the agent started. */
	readonly state: WorkflowState | null;
}

export interface FakeAgent {
	readonly home: string;
	readonly command: string;
	calls(): Call[];
	types(): string[];
	/** The calls of a step type, oldest first. */
	of(type: string): Call[];
	/** A path beside the script, for what agent and test tell each other. */
	flag(name: string): string;
	/** Processes that `leave` started and that still run. */
	left(): number[];
}

/** What a line does, for agents that are played in the process of the test (quick-agent.ts). */
export type Meaning =
	/** `$n`, `$nth`, `$PAWL_STEP_ID` and `$PAWL_STORY_ID` in both stand for their values, unless it is `plain`. */
	| { readonly write: string; readonly text: string; readonly more?: boolean; readonly plain?: boolean }
	| { readonly change: string; readonly how: (text: string) => string }
	/** A file as it is now, beside what else is kept of the call. */
	| { readonly keep: string; readonly as: string }
	| { readonly usage: Readonly<Record<string, number>> }
	| { readonly commit: string }
	| { readonly say: string }
	| { readonly exit: number }
	/** What somebody else does while the session runs. */
	| { readonly meanwhile: () => void }
	/** The process that drives the run ends here as if it were killed. */
	| { readonly crash: true };

const meanings = new Map<string, Meaning>();
/** null for a line that only a shell can carry out. */
export const meaningOf = (line: string): Meaning | null => meanings.get(line) ?? null;
function line(text: string, meaning: Meaning): string {
	meanings.set(text, meaning);
	return text;
}

/** Coding writes and commits a file of its own; everything else only reports. */
export const CODING: Rule = {
	when: { type: "coding" },
	do: [echoTo("work/$PAWL_STEP_ID.txt", "$PAWL_STEP_ID"), commit("work")],
};

/** Folders of calls that need no `mkdir`. */
const MADE_AHEAD = 24;

export function fakeAgent(rules: readonly Rule[] = []): FakeAgent {
	const home = scratchFolder("agent");
	for (const folder of ["calls", "nth", "taken", "turns"]) mkdirSync(join(home, folder));
	for (let n = 1; n <= MADE_AHEAD; n++) mkdirSync(join(home, "calls", String(n).padStart(4, "0")));
	const command = join(home, "agent");
	writeFileSync(command, script(home, [...rules, CODING]));
	chmodSync(command, 0o755);
	const calls = (): Call[] =>
		list(home, "calls")
			.filter((name) => exists(home, "calls", name, "from"))
			.map((name) => readCall(join(home, "calls", name)));
	return {
		home,
		command,
		calls,
		types: () => calls().map((call) => call.type),
		of: (type) => calls().filter((call) => call.type === type),
		flag: (name) => join(home, name),
		left: () => processesNaming(`FAKE_LEFT=${home}`),
	};
}

const SUMMARY =
	'printf \'Worked on %s.\\n\\n## SUMMARY\\n- %s of %s finished\\n- marker-%s\\n- nothing else\\n\' "$type" "$type" "$PAWL_STORY_ID" "$PAWL_STEP_ID"';

function script(home: string, rules: readonly Rule[]): string {
	const branches = rules.map((rule, i) => `${i === 0 ? "if" : "elif"} ${condition(rule)}; then\n${[":", ...rule.do].join("\n")}`);
	return `#!/bin/sh
home=${quote(home)}
type=$PAWL_STEP_TYPE
# The first number that nobody has: under -C only one process can make a file. No programs, because each costs a millisecond.
first() { number=1; set -C; while ! { true > "$1$number"; } 2>/dev/null; do number=$((number + 1)); done; set +C; }
# The commit that is checked out, unless its ref is packed.
commit_here() {
	dir=.git
	[ -d .git ] || read -r word dir < .git
	read -r word ref < "$dir/HEAD" || return 1
	if [ "$word" = ref: ]; then
		[ ! -e "$dir/commondir" ] || { read -r up < "$dir/commondir"; case $up in /*) dir=$up ;; *) dir=$dir/$up ;; esac; }
		read -r word < "$dir/$ref" || return 1
	fi
	echo "$word"
}
first "$home/taken/"; n=$number
first "$home/turns/$PAWL_ROLE."; turn=$number
first "$home/nth/$PAWL_STORY_ID.$type."; nth=$number
padded=000$n
call=$home/calls/\${padded#"\${padded%????}"}
[ -d "$call" ] || mkdir "$call"
cat > "$call/prompt"
state=$PAWL_SHARED_DIR/workflow_state.json
[ -e "$state" ] || state=
# Each entry of the environment ends with a NUL, so the state is what is behind the last one.
cat /proc/self/environ \${state:+"$state"} > "$call/env" 2>/dev/null || { env -0; cat \${state:+"$state"} < /dev/null; } > "$call/env"
printf '%s\\0' "$@" > "$call/argv"
pwd > "$call/cwd"
{ commit_here || git rev-parse HEAD; } > "$call/head" 2>/dev/null
: > "$call/from"
trap ': > "$call/to"' EXIT
said=
${branches.join("\n")}
fi
[ -n "$said" ] || ${SUMMARY}
exit 0
`;
}

function condition({ when = {} }: Rule): string {
	const tests = [
		when.type === undefined ? [] : [`[ "$type" = ${quote(when.type)} ]`],
		when.step === undefined ? [] : [`[ "$PAWL_STEP_ID" = ${quote(when.step)} ]`],
		when.story === undefined ? [] : [`[ "$PAWL_STORY_ID" = ${quote(when.story)} ]`],
		when.role === undefined ? [] : [`[ "$PAWL_ROLE" = ${quote(when.role)} ]`],
		when.nth === undefined ? [] : [`[ "$nth" = ${when.nth} ]`],
		when.turn === undefined ? [] : [`[ "$turn" = ${when.turn} ]`],
	].flat();
	return tests.length === 0 ? "true" : tests.join(" && ");
}

function readCall(folder: string): Call {
	const entries = read(folder, "env").split("\0");
	const state = entries.pop() ?? "";
	const env = Object.fromEntries(
		entries.filter((entry) => entry !== "").map((entry) => [entry.slice(0, entry.indexOf("=")), entry.slice(entry.indexOf("=") + 1)]),
	);
	return {
		type: env["PAWL_STEP_TYPE"] ?? "",
		step: env["PAWL_STEP_ID"] ?? "",
		story: env["PAWL_STORY_ID"] ?? "",
		prompt: readFileSync(join(folder, "prompt"), "utf8"),
		env,
		argv: read(folder, "argv").split("\0").slice(0, -1),
		cwd: read(folder, "cwd").trim(),
		head: exists(folder, "head") ? read(folder, "head").trim() : "",
		from: madeAt(join(folder, "from")),
		to: exists(folder, "to") ? madeAt(join(folder, "to")) : null,
		state: state === "" ? null : (JSON.parse(state) as WorkflowState),
	};
}

const madeAt = (file: string): bigint => statSync(file, { bigint: true }).mtimeNs;

/** A word for the shell, whatever it holds. */
export function quote(text: string): string {
	return `'${text.replaceAll("'", "'\\''")}'`;
}

/** Makes the folder of a file, without a process where it is there. */
function folderOf(path: string, quoted: (text: string) => string): string {
	const folder = quoted(dirname(path));
	return path.includes("/") ? `{ [ -d ${folder} ] || mkdir -p ${folder}; } && ` : "";
}

export const write = (path: string, text: string): string =>
	line(`${folderOf(path, quote)}printf %s ${quote(text)} > ${quote(path)}`, { write: path, text, plain: true });
/** A line at the end of a file; `$n` and `$nth` in it are the numbers of the call. */
export const append = (path: string, text: string): string =>
	line(`printf '%s\\n' ${quote(text).replaceAll(/\$nth?\b/g, "'\"$&\"'")} >> ${quote(path)}`, {
		...{ write: path, text: `${text}\n`, more: true },
	});
/** An expression of sed, and the same for a text. */
export const change = (path: string, sed: string, how: (text: string) => string): string =>
	line(`sed -i '${sed}' ${path}`, { change: path, how });
/** A line as the whole file; path and line may name variables. */
export function echoTo(path: string, text: string): string {
	return line(`${folderOf(path, (name) => `"${name}"`)}echo "${text}" > "${path}"`, { write: path, text: `${text}\n` });
}
export const keep = (path: string, as: string): string => line(`cp ${path} "$call/${as}" 2>/dev/null`, { keep: path, as });
export function commit(message: string): string {
	return line(`git add -A && git commit -q -m ${quote(message)}`, { commit: message });
}
/** The final message; without it the agent gives a short report with a SUMMARY. */
export const say = (text: string): string => line(`said=1; printf '%s\\n' ${quote(text)}`, { say: text });
/** For a quick agent only: the test does this while the session runs, at this place of it. */
export const meanwhile = (work: () => void): string =>
	line(`echo "only a quick agent waits for the test (${meanings.size})" >&2; exit 1`, { meanwhile: work });
/** For a quick agent only. */
export const CRASH = line("exit 118", { crash: true });
export const exit = (code: number): string => line(`exit ${code}`, { exit: code });
export const usage = (fields: Readonly<Record<string, number>>): string =>
	line(`printf '%s\\n' ${quote(JSON.stringify({ type: "usage", ...fields }))}`, { usage: fields });
/** Sleeps until it is killed; a hundred seconds are longer than any test. */
export const HANG = "sleep 100";
/** A process that outlives the agent, in a session of its own. */
export const LEAVE = 'FAKE_LEFT="$home" setsid sleep 100 >/dev/null 2>&1 </dev/null & sleep 0.05';

/** The edit file as the prompt asks for it: written beside, then renamed. `$PAWL_STEP_ID` in it is the running step. */
export function edit(operations: unknown, story = "$PAWL_STORY_ID"): string {
	const text = typeof operations === "string" ? operations : JSON.stringify(operations);
	const [file, words] = [`"$PAWL_SHARED_DIR/workflow_edits/${story}.json"`, quote(text).replaceAll("$PAWL_STEP_ID", "'\"$PAWL_STEP_ID\"'")];
	return `printf %s ${words} > ${file}.part && mv ${file}.part ${file}`;
}
