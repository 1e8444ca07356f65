// The folder of a run's artifacts, `.workflow/run-<ID>/` in the worktree: plan, task specs, fix specs, summary. Agents write there, so
// nothing in it is trusted: only regular files directly in it are read, no symbolic link is followed, every read is bounded.
import { lstatSync, mkdirSync, readdirSync, renameSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { textIn } from "../../../files/read.ts";
import { writeWholeSync } from "../../../files/write.ts";
import { noteWritten } from "../../../files/written.ts";

export const WORKFLOW_FOLDER = ".workflow";
export const MARKER = "run.json";
const MAX_BYTES = 1024 * 1024;
const MAX_FILES = 1000;

export const runFolder = (tree: string, id: string): string => join(tree, WORKFLOW_FOLDER, `run-${id}`);

/** What a run left in its folder about itself. */
export interface Marker {
	readonly run: string;
	readonly issue: string;
	/** `open`: nothing was changed yet. `working`: it changed something and has not ended. */
	readonly status: "open" | "working" | "done" | "failed";
}

/** What is wrong with its path; null if it is a real folder or can be made. */
export function folderProblem(dir: string): string | null {
	for (const path of [dirname(dir), dir]) {
		const stat = lstatSync(path, { throwIfNoEntry: false });
		if (stat !== undefined && !stat.isDirectory()) return `${path} is no folder`;
	}
	return null;
}

/** Makes a fresh folder; that of an earlier run is moved aside. Returns what is wrong, or null. */
export function openFolder(dir: string): string | null {
	try {
		const problem = folderProblem(dir);
		if (problem !== null) return problem;
		mkdirSync(dirname(dir), { recursive: true });
		if (lstatSync(dir, { throwIfNoEntry: false }) !== undefined) renameSync(dir, asideOf(dir));
		mkdirSync(dir);
		noteWritten(dir);
		return null;
	} catch (error) {
		return `${dir} cannot be made (${(error as NodeJS.ErrnoException).code ?? String(error)})`;
	}
}

function asideOf(dir: string): string {
	for (let n = 1; ; n++) {
		const aside = `${dir}.old-${n}`;
		if (lstatSync(aside, { throwIfNoEntry: false }) === undefined) return aside;
	}
}

/** The text of a file in the folder; null if there is no such regular file, or it is too large. */
export function readArtifact(dir: string, name: string): string | null {
	if (folderProblem(dir) !== null || name !== basename(name)) return null;
	return textIn(join(dir, name), { max: MAX_BYTES });
}

/** Writes atomically, and replaces whatever is there. */
export function writeArtifact(dir: string, name: string, text: string): void {
	const problem = folderProblem(dir);
	if (problem !== null) throw new Error(problem);
	writeWholeSync(join(dir, name), text);
}

/** Every file directly in the folder with its text; null for anything that is not a regular file of a sane size. */
export function snapshot(dir: string): ReadonlyMap<string, string | null> {
	if (folderProblem(dir) !== null || lstatSync(dir, { throwIfNoEntry: false }) === undefined) return new Map();
	const names = readdirSync(dir, { withFileTypes: true }).filter((entry) => !entry.isDirectory());
	return new Map(names.slice(0, MAX_FILES).map(({ name }) => [name, readArtifact(dir, name)]));
}

/** The names of files that are in one of two snapshots only, or have another text. */
export const differing = (now: ReadonlyMap<string, string | null>, before: ReadonlyMap<string, string | null>): string[] =>
	[...new Set([...before.keys(), ...now.keys()])].filter((name) => !before.has(name) || before.get(name) !== now.get(name));

/** Restores files to a snapshot, and returns the names of those that differed. */
export function restore(dir: string, before: ReadonlyMap<string, string | null>): string[] {
	const changed = differing(snapshot(dir), before);
	for (const name of changed) {
		noteWritten(join(dir, name));
		const text = before.get(name);
		if (text === undefined || text === null) rmSync(join(dir, name), { recursive: true, force: true });
		else writeArtifact(dir, name, text);
	}
	return changed.sort();
}

export function readMarker(dir: string): Marker | null {
	try {
		const value = JSON.parse(readArtifact(dir, MARKER) ?? "") as Partial<Marker> | null;
		const { run, issue, status } = value ?? {};
		if (typeof run !== "string" || typeof issue !== "string" || status === undefined) return null;
		return { run, issue, status };
	} catch {
		return null;
	}
}

export const writeMarker = (dir: string, marker: Marker): void => writeArtifact(dir, MARKER, `${JSON.stringify(marker, null, "\t")}\n`);

/** Folders of runs in a worktree, without those moved aside. */
export function runFolders(tree: string): string[] {
	const all = join(tree, WORKFLOW_FOLDER);
	if (!lstatSync(all, { throwIfNoEntry: false })?.isDirectory()) return [];
	return readdirSync(all, { withFileTypes: true })
		.filter((entry) => entry.isDirectory() && /^run-[A-Za-z0-9._-]+$/.test(entry.name) && !/\.old-\d+$/.test(entry.name))
		.map((entry) => join(all, entry.name))
		.sort();
}
