// Writing files that others read while we write: whole or not at all.
import { randomBytes } from "node:crypto";
import { readdirSync, rmSync } from "node:fs";
import { lstat, mkdir, open, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";

/** Unique temporary name in the same directory, then rename: a reader sees the old text or the new one, two writers never meet. */
export async function writeWhole(file: string, text: string | Uint8Array, durable = false): Promise<void> {
	const temporary = `${file}.${process.pid}.${randomBytes(6).toString("hex")}.tmp`;
	try {
		const handle = await openIn(temporary);
		try {
			await handle.writeFile(text);
			if (durable) await handle.sync();
		} finally {
			await handle.close();
		}
		await rename(temporary, file).catch(async (error: NodeJS.ErrnoException) => {
			// A folder that an agent made in its place.
			if (error.code !== "EISDIR" && error.code !== "ENOTEMPTY") throw error;
			await rename(file, `${temporary}.set-aside`);
			await rename(temporary, file);
		});
	} catch (error) {
		await rm(temporary, { force: true });
		throw error;
	}
}

async function openIn(file: string) {
	try {
		return await open(file, "wx");
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
		await mkdir(dirname(file), { recursive: true });
		return open(file, "wx");
	}
}

/** Takes away what a writer that was killed left beside a file; the name says whose it was. */
export function removeTemporaries(file: string): void {
	const start = `${basename(file)}.`;
	for (const name of namesIn(dirname(file))) {
		const pid = name.startsWith(start) ? /^(\d+)\.[0-9a-f]{12}\.tmp$/.exec(name.slice(start.length))?.[1] : undefined;
		if (pid !== undefined && Number(pid) !== process.pid && !isAlive(Number(pid))) rmSync(join(dirname(file), name), { force: true });
	}
}

function namesIn(folder: string): string[] {
	try {
		return readdirSync(folder);
	} catch {
		return [];
	}
}

function isAlive(pid: number): boolean {
	try {
		process.kill(pid, 0);
		return true;
	} catch (error) {
		return (error as NodeJS.ErrnoException).code === "EPERM";
	}
}

export async function exists(path: string): Promise<boolean> {
	try {
		await lstat(path);
		return true;
	} catch {
		return false;
	}
}
