// A sandbox made by bubblewrap: an empty root, into which pawl puts what the process may see. Nothing else exists for it.
import { lstatSync } from "node:fs";
import { dirname } from "node:path";
import type { Place, Sandbox } from "../core/sandbox/sandbox.ts";
import { type Environment, isBelow, isLed, programPlaces, realPath, system } from "./places.ts";

/** bwrap leaves root all of its capabilities, with which it would mount its way out. These are about files that it can see anyway and about users; the last one
 * lets an agent make a sandbox of its own in a user namespace, where covers cannot be taken away. */
const KEPT = ["CHOWN", "DAC_OVERRIDE", "FOWNER", "FSETID", "KILL", "SETGID", "SETUID", "SETFCAP"];
/** The kernel's settings can be written by user 0 without any capability: `core_pattern` names a program that it starts outside. */
const asRoot = ["--ro-bind-try", "/proc/sys", "/proc/sys", "--cap-drop", "ALL", ...KEPT.flatMap((name) => ["--cap-add", `CAP_${name}`])];

/** The arguments of bwrap before the command. `user`: the home of whoever runs pawl. */
export function bwrapArgs(sandbox: Sandbox, words: readonly string[], cwd: string, env: Environment, user: string): string[] {
	const { links, folders, hiddenFiles, hiddenFolders } = system();
	const own = ["/tmp", env["HOME"] ?? "", env["TMPDIR"] ?? ""].flatMap((path): Place[] =>
		path.startsWith("/") ? [{ path, as: "empty" }] : [],
	);
	const systems = folders.map((path): Place => ({ path, as: "read" }));
	const { mounts, made } = arranged([...own, ...systems, ...programPlaces(words, env, user, opened(sandbox.places)), ...sandbox.places]);
	return [
		...["--die-with-parent", "--unshare-pid", "--as-pid-1", "--unshare-ipc", "--unshare-uts"],
		...(sandbox.network ? [] : ["--unshare-net"]),
		...["--dev", "/dev", "--proc", "/proc"],
		...(process.getuid?.() === 0 ? asRoot : []),
		...links.flatMap(([path, target]) => ["--symlink", target, path]),
		...mounts.flatMap(({ path, as }) =>
			as === "empty" ? ["--tmpfs", path] : [as === "read" ? "--ro-bind-try" : "--bind-try", path, path],
		),
		// What is gone by now cannot be covered.
		...hiddenFolders.filter(isThere).flatMap((path) => ["--tmpfs", path]),
		...hiddenFiles.filter(isThere).flatMap((path) => ["--ro-bind", "/dev/null", path]),
		...made.flatMap(([path, target]) => ["--symlink", target, path]),
		// A write to where nothing was put fails, instead of vanishing with the sandbox.
		...["--remount-ro", "/"],
		...["--chdir", cwd],
	];
}

export interface Arranged {
	/** Parents first, so that none hides another. */
	readonly mounts: readonly Place[];
	/** Links to make, for paths that lead through a link of the machine: path → where it leads. */
	readonly made: readonly (readonly [string, string])[];
}

const STRENGTH: Readonly<Record<Place["as"], number>> = { empty: 0, read: 1, write: 2 };

/** The folders that processes in the sandbox may write to, at their real paths. A session may have put links there, which the sandbox of the next one must not follow. */
function opened(places: readonly Place[]): string[] {
	const found: string[] = [];
	const written = places.filter(({ as }) => as === "write").map(({ path }) => path);
	for (const path of written.sort()) {
		const real = realPath(path);
		if (real !== null && (real === path || !isLed(path, found))) found.push(real);
	}
	return found;
}

export function arranged(places: readonly Place[]): Arranged {
	const by = new Map<string, Place["as"]>();
	const aliases = new Map<string, string>();
	const open = opened(places);
	for (const { path, as } of places) {
		const real = realPath(path) ?? (as === "empty" ? path : null);
		if (real === null || (real !== path && isLed(path, open))) continue;
		if (real !== path) aliases.set(path, real);
		const before = by.get(real);
		if (before === undefined || STRENGTH[as] > STRENGTH[before]) by.set(real, as);
	}
	const mounts: Place[] = [];
	for (const [path, as] of [...by].sort(([a], [b]) => (a < b ? -1 : 1))) {
		const above = mounts.findLast((mount) => isBelow(path, mount.path));
		// A folder of the sandbox's own is made; elsewhere its place would have to be there, or be made in the real folder.
		const isMissing = as === "empty" && above !== undefined && above.as !== "empty" && realPath(path) === null;
		if (!isMissing && (above?.as !== as || as === "empty")) mounts.push({ path, as });
	}
	mounts.push(...pinned(mounts));
	mounts.sort((a, b) => (a.path < b.path ? -1 : 1));
	const isSeen = (path: string): boolean => {
		const above = mounts.findLast((mount) => isBelow(path, mount.path));
		return above !== undefined && above.as !== "empty";
	};
	const made: (readonly [string, string])[] = [];
	for (const [path, target] of [...aliases].sort(([a], [b]) => (a < b ? -1 : 1)))
		if (!isSeen(path) && !made.some(([other]) => isBelow(path, other)) && !isRootLink(path)) made.push([path, target]);
	return { mounts, made };
}

/** The folders between one that may be written and a part of it that may not. As mounts they cannot be renamed, and the part with them, to make room for another. */
function pinned(mounts: readonly Place[]): Place[] {
	const found = new Set<string>();
	for (const { path, as } of mounts) {
		const above = mounts.findLast((mount) => mount.path !== path && isBelow(path, mount.path));
		if (as === "write" || above?.as !== "write") continue;
		for (let up = dirname(path); up !== above.path; up = dirname(up)) found.add(up);
	}
	return [...found].map((path) => ({ path, as: "write" }));
}

const isThere = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false }) !== undefined;

const isRootLink = (path: string): boolean => system().links.some(([link]) => isBelow(path, link));
