// Which sessions and checks of pawl started this process, however it tries to hide that. Linux only; elsewhere
// it knows only the environment.
import { readFileSync } from "node:fs";
import { INIT } from "./isolation.ts";
import { MARK_VARIABLE } from "./sweep.ts";

/** In a namespace of ours whose mark cannot be read. */
export const UNKNOWN_MARK = "?";

export interface ProcessView {
	/** Parent, process group and session; null for a process that we cannot inspect. */
	stat(pid: number): { readonly parent: number; readonly group: number; readonly session: number } | null;
	/** A variable of the environment that it was started with; null: not set, or not readable for us. */
	variable(pid: number, name: string): string | null;
	/** Its arguments. */
	arguments(pid: number): readonly string[];
}

/** The marks of all sessions and checks that this process descends from. Looked for in itself, its ancestors and the leaders of their groups
 * and sessions, so that clearing the environment does not hide it, and in the first process of its namespace, so that leaving the family
 * (setsid, a double fork) does not either: nothing leaves a namespace. */
export function marksAbove(self: number = process.pid, view: ProcessView = PROC): readonly string[] {
	const seen = new Set<number>();
	const marks = new Set<string>();
	const look = (pid: number): void => {
		if (pid <= 0 || seen.has(pid)) return;
		seen.add(pid);
		const mark = view.variable(pid, MARK_VARIABLE);
		if (mark !== null) marks.add(mark);
	};
	// Processes may change while we read: without the limit a cycle would be possible.
	for (let pid = self, steps = 0; pid > 0 && steps < 1000; steps++) {
		look(pid);
		const stat = view.stat(pid);
		if (stat === null) break;
		look(stat.group);
		look(stat.session);
		pid = stat.parent;
	}
	look(1);
	if (marks.size === 0 && view.arguments(1).includes(INIT)) marks.add(UNKNOWN_MARK);
	return [...marks];
}

const PROC: ProcessView = {
	stat: (pid) => {
		const text = read(pid, "stat");
		// The name in parentheses may hold spaces and parentheses itself; the fields after it do not.
		const [, parent, group, session] = text.slice(text.lastIndexOf(")") + 2).split(" ");
		return session === undefined ? null : { parent: Number(parent), group: Number(group), session: Number(session) };
	},
	variable: (pid, name) => {
		const entry = read(pid, "environ")
			.split("\0")
			.find((each) => each.startsWith(`${name}=`));
		const own = pid === process.pid ? process.env[name] : undefined;
		return entry?.slice(name.length + 1) ?? own ?? null;
	},
	arguments: (pid) => read(pid, "cmdline").split("\0"),
};

function read(pid: number, what: string): string {
	try {
		return readFileSync(`/proc/${pid}/${what}`, "utf8");
	} catch {
		return "";
	}
}
