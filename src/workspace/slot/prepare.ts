// Makes a worktree usable: copies or links files from the main checkout, then runs the setup command. Files that this adds and git does not
// ignore are listed in a file beside the worktree, so that they are neither committed nor removed.
import { constants } from "node:fs";
import { copyFile, cp, lstat, mkdir, readFile, readlink, realpath, rename, rm, stat, symlink, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, isAbsolute, join, normalize, sep } from "node:path";
import { runShell } from "../../process.ts";
import { type ConfinedSetup, type ConfineSetup, WorkspaceError } from "../../workspace.ts";
import { addAll } from "../git/add-all.ts";
import { globOf } from "../git/file-names.ts";
import { excludeFileOf, git, tryGit } from "../git/git.ts";

export interface Preparation {
	readonly setup: string | null;
	readonly copy: readonly string[];
	readonly link: readonly string[];
	/** How setup is run for a run that has a sandbox; null: it has none. */
	readonly confine?: (run: string | null) => ConfineSetup | null;
}

const SETUP_TIMEOUT_MS = 30 * 60_000;
const OUTPUT_KEPT = 4000;
/** Above this many files that git does not ignore, it lists their folders instead. */
const SINGLE_FILES = 2000;
const OURS = "# put there by pawl's setup, copy and link";

export interface WorktreeToPrepare {
	/** The root of the main checkout. */
	readonly root: string;
	/** The worktree. */
	readonly path: string;
	/** Its folder inside git's own. */
	readonly admin: string;
	/** It may hold work that is not committed yet. */
	readonly worked: boolean;
	/** The run that it is for. */
	readonly run: string | null;
}

/** What a worktree was prepared for; if that differs from what is wanted now, it is prepared again. */
export const prepared = ({ setup, copy, link }: Preparation): string => JSON.stringify({ setup, copy, link });

/** `before`: what the worktree was last prepared for; null if that was never finished. Uncommitted work is
 * left alone: files that setup changes are put back, and only files that setup, copy and link add count as theirs. */
export async function prepare(worktree: WorktreeToPrepare, wanted: Preparation, before: string | null): Promise<void> {
	const { root, path } = worktree;
	const copy = wanted.copy.map((name) => confined("copy", name));
	const link = wanted.link.map((name) => confined("link", name));
	if (wanted.setup === null && copy.length + link.length === 0) return;
	const again = before !== prepared(wanted);
	const index = await noteWork(worktree);
	const tracked = copy.length + link.length === 0 ? new Set<string>() : await trackedOf(path, index, [...copy, ...link]);
	for (const name of copy) if (!tracked.has(name)) await copyOne(root, path, name, again);
	for (const name of link) if (!tracked.has(name)) await linkOne(root, path, name);
	try {
		if (wanted.setup !== null && again) {
			const confine = wanted.confine?.(worktree.run) ?? null;
			await runSetup(path, wanted.setup, confine === null ? null : await confine(path));
		}
	} finally {
		// Also if it failed: its leftovers must not count as the story's work when it runs again.
		if (again) await putBackWork(path, index);
		await exclude(root, path, index);
	}
	await rm(index, { force: true });
}

/** An index of all files that exist before setup, copy and link. An existing index comes from a preparation that was cut
 * off: files added since then are not the story's. */
async function noteWork({ path, admin, worked }: WorktreeToPrepare): Promise<string> {
	const index = join(admin, "pawl", "before-setup");
	if (worked && (await lstat(index).catch(() => null)) !== null) return index;
	await mkdir(dirname(index), { recursive: true });
	const draft = `${index}.new`;
	await rm(draft, { force: true });
	await git(path, ["read-tree", "HEAD"], { index: draft });
	if (worked) await addAll(path, { index: draft });
	else await tryGit(path, ["update-index", "-q", "--refresh"], { index: draft });
	await rename(draft, index);
	return index;
}

/** Installing may rewrite a tracked file, such as a lock file; that is not part of the work. */
async function putBackWork(path: string, index: string): Promise<void> {
	const changed = await git(path, ["diff-files", "--name-only", "-z", "--ignore-submodules=all"], { index });
	if (changed !== "") await git(path, ["checkout-index", "-q", "-f", "-z", "--stdin"], { index, input: changed });
}

/** The patterns of added files that git does not ignore. */
export async function providedPatterns(path: string): Promise<readonly string[]> {
	const text = await readFile(excludeFileOf(path), "utf8").catch(() => "");
	const lines = text.split("\n");
	const at = lines.lastIndexOf(OURS);
	return at < 0 ? [] : lines.slice(at + 1).filter((line) => line !== "");
}

function confined(key: string, name: string): string {
	const path = normalize(name).replace(/\/+$/, "");
	// A file system may ignore case.
	const parts = path.toLowerCase().split(sep);
	if (name === "" || path === "." || isAbsolute(path) || parts.includes("..") || parts.includes(".git") || parts[0] === ".pawl")
		throw new WorkspaceError(`${key}: ${JSON.stringify(name)} is not a path inside the repository`);
	return path;
}

/** The names that are or hold files of the repository or of the work in it: these stay as they are. */
async function trackedOf(path: string, index: string, wanted: readonly string[]): Promise<Set<string>> {
	const found = new Set<string>();
	const listed = await git(path, ["--literal-pathspecs", "ls-files", "-z", "--", ...wanted], { index });
	for (const file of listed.split("\0")) for (const name of wanted) if (file === name || file.startsWith(`${name}/`)) found.add(name);
	return found;
}

async function copyOne(root: string, path: string, name: string, again: boolean): Promise<void> {
	const source = await realpath(join(root, name)).catch(() => null);
	if (source === null) return;
	const target = await targetOf(path, name);
	if (target === null) return;
	if (!(await stat(source)).isDirectory()) {
		await rm(target, { recursive: true, force: true });
		return await copyFile(source, target, constants.COPYFILE_FICLONE);
	}
	// Copies a folder once: undoing an agent's changes to installed dependencies is not worth a copy per story.
	if (!again && (await lstat(target).catch(() => null)) !== null) return;
	await rm(target, { recursive: true, force: true });
	const plain = async (file: string): Promise<boolean> => {
		const info = await lstat(file);
		return info.isFile() || info.isDirectory() || info.isSymbolicLink();
	};
	await cp(source, target, { recursive: true, verbatimSymlinks: true, mode: constants.COPYFILE_FICLONE, filter: plain });
}

async function linkOne(root: string, path: string, name: string): Promise<void> {
	const source = join(root, name);
	if ((await stat(source).catch(() => null)) === null) return;
	const target = await targetOf(path, name);
	if (target === null || (await readlink(target).catch(() => null)) === source) return;
	await rm(target, { recursive: true, force: true });
	await symlink(source, target);
}

/** Its target path, with its folder made; null if a symlink would lead out of the worktree. */
async function targetOf(path: string, name: string): Promise<string | null> {
	let folder = await realpath(path);
	const parts = dirname(name) === "." ? [] : dirname(name).split(sep);
	for (const part of parts) {
		folder = join(folder, part);
		const info = await lstat(folder).catch(() => null);
		if (info === null) await mkdir(folder);
		else if (!info.isDirectory()) return null;
	}
	return join(path, name);
}

async function runSetup(path: string, command: string, confined: ConfinedSetup | null): Promise<void> {
	let output = "";
	const keep = (chunk: Uint8Array): void => {
		output = (output + Buffer.from(chunk).toString("utf8")).slice(-OUTPUT_KEPT);
	};
	const env: Record<string, string> = {};
	// PAWL_DB has a password in it. The command line takes it out of its own environment; a program that uses pawl as a library may not.
	for (const [name, value] of Object.entries(process.env))
		if (value !== undefined && !name.startsWith("GIT_") && name !== "PAWL_DB") env[name] = value;
	const end = await runShell(command, {
		cwd: path,
		env: confined?.env ?? env,
		timeoutMs: SETUP_TIMEOUT_MS,
		// It ends with pawl, even if pawl is killed: nothing may run in a worktree that is prepared again.
		isolate: true,
		sandbox: confined?.sandbox ?? null,
		onStdout: keep,
		onStderr: keep,
	});
	if (end.reason === "exit" && end.code === 0) return;
	const why = end.error ?? (end.reason === "timeout" ? `did not end in ${SETUP_TIMEOUT_MS / 60_000} minutes` : `exit code ${end.code}`);
	throw new WorkspaceError(`setup failed (${why}): ${command}${output.trim() === "" ? "" : `\n${output.trim()}`}`);
}

// git has no exclude file per worktree, and one for all would hide the same names in the user's own checkout. So this is
// a file that our own calls name (git.ts); if an agent commits such a file, the merge leaves it out again.
async function exclude(root: string, path: string, index: string): Promise<void> {
	const file = excludeFileOf(path);
	const users = await usersFile(root);
	const list = async (...how: string[]): Promise<string[]> => {
		const others = ["ls-files", "--others", "--exclude-standard", ...how, "-z"];
		const listed = await git(path, ["-c", `core.excludesFile=${users}`, ...others], { index });
		return listed.split("\0").filter((name) => name !== "" && !name.includes("\n"));
	};
	let found = await list("--directory", "--no-empty-directory");
	if (found.length === 0) return await rm(file, { force: true });
	const single = await list();
	if (single.length <= SINGLE_FILES) found = single;
	// Our file replaces the user's own, so it starts with the content of that one.
	const before = await readFile(users, "utf8").catch(() => "");
	await writeFile(`${file}.new`, `${before}\n${OURS}\n${found.map(pattern).join("\n")}\n`);
	await rename(`${file}.new`, file);
}

const pattern = (name: string): string => `/${globOf(name)}`;

/** The user's global ignore file. */
async function usersFile(root: string): Promise<string> {
	const configured = await tryGit(root, ["config", "--path", "core.excludesFile"]);
	if (configured.code === 0) return configured.stdout.toString("utf8").trim();
	return join(process.env["XDG_CONFIG_HOME"] || join(homedir(), ".config"), "git", "ignore");
}
