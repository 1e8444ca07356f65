// A file that is there whole or not at all, also after a power loss.
import { randomUUID } from "node:crypto";
import { closeSync, fsyncSync, openSync, writeFileSync } from "node:fs";
import { mkdir, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";

/** `fill` writes in pieces. Each is on its way to the disk before the next is read, so memory stays flat. */
export async function writeWhole(file: string, fill: (write: (chunk: Buffer) => void) => Promise<void>): Promise<void> {
	await mkdir(dirname(file), { recursive: true });
	const fresh = `${file}.${randomUUID()}`;
	const handle = openSync(fresh, "wx");
	let open = true;
	let failure: unknown = null;
	try {
		await fill((chunk) => {
			try {
				if (failure === null) writeFileSync(handle, chunk);
			} catch (error) {
				// It is called from a stream's event, where a throw would end the process.
				failure = error;
			}
		});
		if (failure !== null) throw failure;
		fsyncSync(handle);
		open = false;
		closeSync(handle);
		await rename(fresh, file);
	} catch (error) {
		if (open) closeSync(handle);
		await rm(fresh, { force: true });
		throw error;
	}
	const folder = openSync(dirname(file), "r");
	try {
		fsyncSync(folder);
	} finally {
		closeSync(folder);
	}
}
