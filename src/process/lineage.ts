// Which sessions and checks of pawl started this process, however it tries to hide that. Where there is no /proc, leaving the family
// (setsid, a double fork) together with clearing the environment hides it.
import { INIT } from "./isolation.ts";
import { MARK_VARIABLE, type ProcessTable } from "./process-table.ts";
import { wholeTable } from "./system.ts";

/** In a namespace of ours whose mark cannot be read, or where the system does not say what started this process. */
export const UNKNOWN_MARK = "?";

export type ProcessView = Pick<ProcessTable, "known" | "stat" | "marks" | "arguments">;

/** The marks of all sessions and checks that this process descends from. Looked for in itself, its ancestors and the leaders of their groups
 * and sessions, so that clearing the environment does not hide it, and in the first process of its namespace, so that leaving the family
 * (setsid, a double fork) does not either: nothing leaves a namespace. */
export function marksAbove(self: number = process.pid, view: ProcessView = wholeTable()): readonly string[] {
	const seen = new Set<number>();
	const own = self === process.pid ? process.env[MARK_VARIABLE] : undefined;
	const marks = new Set<string>(own === undefined ? [] : [own]);
	const look = (pid: number): void => {
		if (pid <= 0 || seen.has(pid)) return;
		seen.add(pid);
		for (const mark of view.marks(pid)) marks.add(mark);
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
	// Also beside a mark: that may be one that the process gave itself.
	if (!view.known) marks.add(UNKNOWN_MARK);
	if (marks.size === 0 && view.arguments(1).includes(INIT)) marks.add(UNKNOWN_MARK);
	return [...marks];
}
