// The files that an agent may read and write through pawl: those of its workspace, and the notes and edits in the run's folder. The agent
// could access them directly; the limits here keep it from reaching further through pawl than it could by itself.
import { constants, realpathSync } from "node:fs";
import { mkdir, open } from "node:fs/promises";
import { basename, dirname, isAbsolute, join, relative, sep } from "node:path";

const MAX_BYTES = 16 * 1024 * 1024;

export interface AgentFolders {
	readonly workspace: string;
	readonly sharedDir: string;
	/** The workspace may not be written. */
	readonly readOnly: boolean;
}

export type Text = { readonly text: string } | { readonly problem: string };

export async function readText(folders: AgentFolders, path: string, line: number | null, limit: number | null): Promise<Text> {
	const file = allowedPath(folders, path, "read");
	if (file === null) return { problem: `${path} is not a file that may be read here` };
	try {
		// It could be a FIFO that never answers, or a link that was put there meanwhile.
		const handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
		try {
			const stat = await handle.stat();
			if (!stat.isFile()) return { problem: `${path} is not a regular file` };
			if (stat.size > MAX_BYTES) return { problem: `${path} has ${stat.size} bytes; at most ${MAX_BYTES} are read` };
			return { text: part(await handle.readFile("utf8"), line, limit) };
		} finally {
			await handle.close();
		}
	} catch (error) {
		return { problem: `${path} cannot be read: ${reason(error)}` };
	}
}

/** Returns what went wrong, or null. */
export async function writeText(folders: AgentFolders, path: string, content: string): Promise<string | null> {
	const file = allowedPath(folders, path, "write");
	if (file === null) return `${path} is not a file that may be written here`;
	try {
		await mkdir(dirname(file), { recursive: true });
		const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | constants.O_NOFOLLOW | constants.O_NONBLOCK;
		const handle = await open(file, flags, 0o644);
		try {
			await handle.writeFile(content);
		} finally {
			await handle.close();
		}
		return null;
	} catch (error) {
		return `${path} cannot be written: ${reason(error)}`;
	}
}

/** The real path, or null if it is out of bounds. */
export function allowedPath(folders: AgentFolders, path: string, what: "read" | "write"): string | null {
	if (!isAbsolute(path) || path.includes("\0")) return null;
	const real = realOf(path);
	const inShared = within(realOf(folders.sharedDir), real);
	// Notes and edits, by the names that the prompts give.
	const shared = inShared !== null && (what === "read" || /^(?:scratch[^/]*\.md|workflow_edits\/[^/]+)$/.test(inShared));
	if (shared) return real;
	const inside = within(realOf(folders.workspace), real);
	if (inside === null || (what === "write" && folders.readOnly)) return null;
	// Every workspace holds git's files, and that of a one-shot also the run's own. A file system may ignore case.
	return [".git", ".pawl"].includes((inside.split(sep)[0] ?? "").toLowerCase()) ? null : real;
}

/** Resolves links as far as the path exists. */
function realOf(path: string): string {
	try {
		return realpathSync(path);
	} catch {
		const parent = dirname(path);
		return parent === path ? path : join(realOf(parent), basename(path));
	}
}

function within(root: string, path: string): string | null {
	const inside = relative(root, path);
	return inside === "" || inside === ".." || inside.startsWith(`..${sep}`) || isAbsolute(inside) ? null : inside;
}

function part(text: string, line: number | null, limit: number | null): string {
	if (line === null && limit === null) return text;
	const start = Math.max(0, (line ?? 1) - 1);
	return text
		.split("\n")
		.slice(start, limit === null ? undefined : start + limit)
		.join("\n");
}

const reason = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? String(error);
