// Reading a file that an agent may have prepared: a symlink, a FIFO, a device, a hundred megabytes.
import { constants } from "node:fs";
import { open } from "node:fs/promises";

export type ReadResult = { readonly text: string } | { readonly missing: true } | { readonly problem: string };

export async function readUntrusted(file: string, maxBytes: number): Promise<ReadResult> {
	let handle: Awaited<ReturnType<typeof open>>;
	try {
		// O_NONBLOCK: opening a FIFO returns at once; O_NOFOLLOW: a symlink is refused.
		handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
	} catch (error) {
		const code = (error as NodeJS.ErrnoException).code;
		if (code === "ENOENT" || code === "ENOTDIR") return { missing: true };
		if (code === "ELOOP") return { problem: "it is a symbolic link; a regular file is needed" };
		return { problem: `it cannot be read (${code ?? String(error)})` };
	}
	try {
		const stat = await handle.stat();
		if (!stat.isFile()) return { problem: "it is not a regular file" };
		if (stat.nlink > 1) return { problem: "it has other hard links; a file of its own is needed" };
		if (stat.size > maxBytes) return { problem: `it has ${stat.size} bytes; at most ${maxBytes} are read` };
		const buffer = Buffer.alloc(maxBytes + 1);
		let length = 0;
		for (;;) {
			const { bytesRead } = await handle.read(buffer, length, buffer.length - length, length);
			if (bytesRead === 0) break;
			length += bytesRead;
			if (length > maxBytes) return { problem: `it grew beyond ${maxBytes} bytes while it was read` };
		}
		return { text: buffer.toString("utf8", 0, length) };
	} finally {
		await handle.close();
	}
}
