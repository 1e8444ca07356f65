// Writes a file beside existing ones, never over one of them.
import { createHash, randomUUID } from "node:crypto";
import { createReadStream } from "node:fs";
import { link, rm } from "node:fs/promises";
import { extname } from "node:path";
import { writeInPieces } from "../../files/write.ts";

/** If the name is taken, `suffix` goes before its extension, then a number as well. Does not write a second file with the same content (a crash
 * may have come between writing and recording it). Returns the name. */
export async function writeBeside(file: string, suffix: string, fill: (write: (piece: Buffer) => void) => Promise<void>): Promise<string> {
	const draft = `${file}.${randomUUID()}`;
	await writeInPieces(draft, fill);
	try {
		const content = await digestOf(draft);
		for (let n = 0; ; n++) {
			const name = n === 0 ? file : withSuffix(file, n === 1 ? suffix : `${suffix}-${n}`);
			if ((await isPublished(draft, name)) || (await digestOf(name)) === content) return name;
		}
	} finally {
		await rm(draft, { force: true });
	}
}

/** Makes a hard link, which fails if the name is taken. */
async function isPublished(draft: string, name: string): Promise<boolean> {
	try {
		await link(draft, name);
		return true;
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
		throw error;
	}
}

function withSuffix(file: string, suffix: string): string {
	const extension = extname(file);
	return `${file.slice(0, file.length - extension.length)}${suffix}${extension}`;
}

/** Empty if it cannot be read. */
async function digestOf(file: string): Promise<string> {
	const hash = createHash("sha256");
	try {
		for await (const chunk of createReadStream(file)) hash.update(chunk as Buffer);
	} catch {
		return "";
	}
	return hash.digest("hex");
}
