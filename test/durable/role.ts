// What a call is, without the names that differ from run to run: which program does what to which kind of file. Two calls of the same kind
// are one point, except that the first, the last and the ones between them are looked at apart.
import { relative } from "node:path";
import type { Call } from "./tracer.ts";

/** Calls that make nothing and lose nothing when they fail, or that hold nothing worth keeping. */
const IDLE = /\/(pawl\.db-shm|[^/]*\.lock\.db|\.git\/(worktrees\/[^/]+\/)?pawl\/[\w-]+\.lock)$|\.trace$|^tmp\/node-compile-cache\//;

const ROLES: readonly (readonly [RegExp, string])[] = [
	[/\/pawl\.db-wal$/, "journal wal"],
	[/\/pawl\.db-journal$/, "journal rollback"],
	[/\/pawl\.db$/, "journal"],
	[/\/\.pawl\/locks\//, "lease"],
	[/\.git\/objects\/.*tmp_obj/, "object temporary"],
	[/\.git\/objects\//, "object"],
	[/\.git\/(worktrees\/[^/]+\/)?logs\//, "reflog"],
	[/\.git\/(worktrees\/[^/]+\/)?index(\.lock)?$/, "index"],
	[/\.git\/refs\/heads\/(main|master)/, "ref of base"],
	[/\.git\/refs\/heads\//, "ref of a branch"],
	[/\.git\/refs\/pawl\/([\w-]+)/, "ref of pawl"],
	[/\.git\/packed-refs/, "packed refs"],
	[/\.git\/(worktrees\/[^/]+\/)?(HEAD|ORIG_HEAD)/, "HEAD"],
	[/\.git\/(worktrees\/[^/]+\/)?config/, "config"],
	[/\.git\/(worktrees\/[^/]+\/)?pawl\/([\w-]+)/, "$git pawl"],
	[/\.git\/pawl-/, "$git pawl"],
	[/\.git\/worktrees\//, "worktree's git folder"],
	[/\.git\//, "git folder"],
	[/\/\.pawl\/worktrees\//, "worktree"],
	[/\/(runs\/[^/]+|tmp\/[^/]+)\/logs\//, "log"],
	[/\/(runs\/[^/]+|tmp\/pawl[^/]*)\//, "$run file"],
	[/\/\.pawl\//, "$pawl file"],
	[/^tmp\//, "temporary file"],
	[/^(project|worktree)\/(\.workflow|TODO|ralph|\.claude|prd\.json|tasks)/, "$format file"],
	[/^(project|worktree)(\/|$)/, "checkout"],
];

/** Hashes, ids, numbers of steps and random endings become one letter. */
const anonymous = (path: string): string =>
	path
		.replaceAll(/\d{8}-\d{6}-[a-z0-9]{4}/g, "RUN")
		.replaceAll(/\.\d+\.[0-9a-f]{12}\.tmp/g, ".tmp")
		.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, "X")
		.replaceAll(/[0-9a-f]{10,}/g, "X")
		.replaceAll(/\d+/g, "N");

/** null if nothing depends on it. */
export function pointOf(root: string, call: Call): string | null {
	const path = relative(root, call.name === "rename" || call.name === "link" ? call.to : call.path);
	if (path.startsWith("..") || IDLE.test(relative(root, call.path))) return null;
	const role = ROLES.find(([pattern]) => pattern.test(path))?.[1] ?? "other";
	// The file's own name tells more than its role where pawl itself keeps something in it.
	const name = role.startsWith("$") ? `${role.slice(1)} ${anonymous(path).split("/").slice(-2).join("/")}` : role;
	return `${call.program}: ${call.name} ${name}`;
}

/** The name of the call of a point. */
export const callOf = (point: string): string => /: (\w+) /.exec(point)?.[1] ?? "";

export interface Point {
	readonly point: string;
	/** The how-manieth call of that kind. */
	readonly nth: number;
}

/** The first, one in the middle, and the last of a kind; of journal and base each up to `most`. */
export function classes(count: number, point: string): number[] {
	if (count <= 3) return Array.from({ length: count }, (_, i) => i + 1);
	if (/ref of base|journal wal/.test(point))
		return [...new Set([1, 2, Math.ceil(count / 3), Math.ceil((2 * count) / 3), count - 1, count])];
	return [1, Math.ceil(count / 2), count];
}
