// What a process reads and writes. Node's own "pipe" is a socket, and a socket cannot be opened again by name: `cat
// /dev/stdin` and `echo > /dev/stderr` fail in the child. So stdin is a file without a name, and the outputs are FIFOs
// on Linux. On macOS opening such a name only copies the descriptor, which works with sockets.
import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { accessSync, closeSync, constants, mkdtempSync, openSync, rmSync, unlinkSync, writeSync } from "node:fs";
import { Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { has } from "./system.ts";

/** In memory if possible: a disk would make the file durable, which nobody needs here. */
const folder: string = (() => {
	try {
		if (!has("shm")) return tmpdir();
		accessSync("/dev/shm", constants.W_OK | constants.X_OK);
		return "/dev/shm";
	} catch {
		return tmpdir();
	}
})();

/** An open, already unlinked file with this content, at position 0. A file, unlike a pipe, never fills up and never breaks. */
export function inputFile(content: string | Uint8Array): number {
	const path = join(folder, `pawl-stdin-${randomUUID()}`);
	const fd = openSync(path, "wx+", 0o600);
	try {
		unlinkSync(path);
		const bytes = typeof content === "string" ? Buffer.from(content) : content;
		// With a position the file offset stays at 0, where the child begins to read.
		for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at, bytes.length - at, at);
		return fd;
	} catch (error) {
		closeSync(fd);
		throw error;
	}
}

interface Pipe {
	readonly read: number;
	readonly write: number;
}

const BATCH = 32;
/** When only so many are left, more are made while the current process runs. */
const LOW = 4;
const spare: Pipe[] = [];

export interface Outputs {
	/** For the child's stdio; "pipe" if FIFOs are not available. */
	readonly stdio: readonly [number | "pipe", number | "pipe"];
	/** The ends to read from, once the child has its own. Null: read from the child's own streams. */
	attach(): readonly [Socket, Socket] | null;
	/** The child did not start. */
	discard(): void;
}

export async function outputs(): Promise<Outputs> {
	const first = await takePipe();
	const second = await takePipe();
	if (first === null || second === null) {
		if (first !== null) spare.push(first);
		return { stdio: ["pipe", "pipe"], attach: () => null, discard: () => {} };
	}
	const close = (...fds: number[]): void => {
		for (const fd of fds) closeSync(fd);
	};
	return {
		stdio: [first.write, second.write],
		attach: () => {
			close(first.write, second.write);
			return [reader(first.read), reader(second.read)];
		},
		discard: () => close(first.read, first.write, second.read, second.write),
	};
}

function reader(fd: number): Socket {
	return new Socket({ fd, readable: true, writable: false });
}

let refilling: Promise<boolean> | null = null;

async function takePipe(): Promise<Pipe | null> {
	if (!has("fifos")) return null;
	for (;;) {
		const ready = spare.pop();
		if (ready !== undefined) {
			if (spare.length < LOW) more().catch(() => {});
			return ready;
		}
		if (!(await more())) return null;
	}
}

/** One refill for all that wait, or each would leave a batch behind. */
function more(): Promise<boolean> {
	refilling ??= refill().finally(() => {
		refilling = null;
	});
	return refilling;
}

// Node has no mkfifo; one call of the program makes enough for several processes, which hides its cost.
async function refill(): Promise<boolean> {
	let dir: string | null = null;
	let opened = 0;
	try {
		const made = mkdtempSync(join(folder, "pawl-pipes-"));
		dir = made;
		const paths = Array.from({ length: BATCH }, (_, i) => join(made, String(i)));
		await new Promise<void>((done, fail) =>
			execFile("mkfifo", ["-m", "600", ...paths], (error) => (error === null ? done() : fail(error))),
		);
		for (const path of paths) {
			// The reading end first, and without blocking: only then does the writing end open at once.
			const read = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
			spare.push({ read, write: openSync(path, constants.O_WRONLY) });
			opened++;
		}
	} catch {
		// No mkfifo, or out of descriptors: use what was opened so far, or else plain pipes.
	} finally {
		if (dir !== null) rmSync(dir, { recursive: true, force: true });
	}
	return opened > 0;
}
