// Writing files that others read while we write: whole or not at all.
import { randomBytes } from "node:crypto";
import { lstat, mkdir, open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";

/** Unique temporary name in the same directory, then rename: a reader sees the old text or the new one, two writers never meet. */
export async function writeWhole(file: string, text: string, durable = false): Promise<void> {
	const temporary = `${file}.${process.pid}.${randomBytes(6).toString("hex")}.tmp`;
	try {
		const handle = await openIn(temporary);
		try {
			await handle.writeFile(text);
			if (durable) await handle.sync();
		} finally {
			await handle.close();
		}
		await rename(temporary, file);
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

export async function exists(path: string): Promise<boolean> {
	try {
		await lstat(path);
		return true;
	} catch {
		return false;
	}
}
