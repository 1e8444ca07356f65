// Scratch files: memory between steps, written by agents and by the engine, read into every prompt.
import { constants } from "node:fs";
import { type FileHandle, lstat, mkdir, open, rename } from "node:fs/promises";
import { dirname, join } from "node:path";
import { RUN_SCOPE } from "../core/model.ts";
import { exists } from "./files.ts";

/** A prompt shows less than this; reading more would only cost memory. */
const READ_BYTES = 1024 * 1024;
/** Agents write here too: a FIFO must not hold us up, a link must not lead us elsewhere. */
const CAREFULLY = constants.O_NOFOLLOW | constants.O_NONBLOCK;

export class Scratch {
	private readonly sharedDir: string;
	/** Our own appends to one file come one after the other, whole. */
	private queue: Promise<void> = Promise.resolve();

	constructor(sharedDir: string) {
		this.sharedDir = sharedDir;
	}

	file(scope: string): string {
		return join(this.sharedDir, scope === RUN_SCOPE ? "scratch.md" : `scratch_${scope}.md`);
	}

	async read(scope: string): Promise<string> {
		try {
			const handle = await open(this.file(scope), constants.O_RDONLY | CAREFULLY);
			try {
				const stat = await handle.stat();
				if (!stat.isFile()) return "";
				const { size } = stat;
				const length = Math.min(size, READ_BYTES);
				const buffer = Buffer.alloc(length);
				// The newest part matters most.
				const { bytesRead } = await handle.read(buffer, 0, length, size - length);
				return buffer.toString("utf8", 0, bytesRead);
			} finally {
				await handle.close();
			}
		} catch {
			return "";
		}
	}

	/** Safe to do again: the same entry (its time is part of it) is not added twice. */
	append(scope: string, at: number, text: string): Promise<void> {
		return this.add(scope, `\n- [pawl ${new Date(at).toISOString()}] ${text}\n`);
	}

	/** An entry of any form. */
	add(scope: string, entry: string): Promise<void> {
		const next = this.queue.then(async () => {
			if ((await this.read(scope)).includes(entry)) return;
			await mkdir(dirname(this.file(scope)), { recursive: true });
			const handle = await this.openToAppend(this.file(scope));
			try {
				await handle.appendFile(entry);
			} finally {
				await handle.close();
			}
		});
		this.queue = next.catch(() => {});
		return next;
	}

	/** What an agent put there instead of a file is moved out of the way. */
	private async openToAppend(file: string): Promise<FileHandle> {
		const there = await lstat(file).catch(() => null);
		if (there !== null && !there.isFile()) await rename(file, `${file}.${Date.now()}.set-aside`);
		return open(file, constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | CAREFULLY, 0o644);
	}

	async archive(scope: string): Promise<void> {
		const file = this.file(scope);
		if (!(await exists(file))) return;
		const folder = join(this.sharedDir, "archive");
		await mkdir(folder, { recursive: true });
		await rename(file, join(folder, `scratch_${scope}.md`));
	}
}
