// Reads a growing file line by line: each call returns the complete lines that were added since the last call. Memory
// holds one chunk of the file and one line, however long the file is.
import { closeSync, fstatSync, openSync, readSync } from "node:fs";

const PIECE = 256 * 1024;

export class Tail {
	private readonly file: string;
	private offset: number;
	private rest: Buffer = Buffer.alloc(0);
	private readonly last: number | null;
	/** It began in the middle of a line, which is left out. */
	private inside = false;
	private begun = false;
	private skipped = 0;

	/** `last`: of what the file holds already, only about this many bytes are of interest. `from`: where to begin. */
	constructor(file: string, last: number | null = null, from = 0) {
		this.file = file;
		this.offset = from;
		this.last = last;
	}

	/** Something before the first line was left out. */
	get cut(): boolean {
		return this.skipped > 0;
	}

	private begin(fd: number): void {
		if (this.begun) return;
		this.begun = true;
		if (this.last === null) return;
		this.skipped = Math.max(0, fstatSync(fd).size - this.last);
		this.offset = this.skipped;
		this.inside = this.skipped > 0;
	}

	/** How many bytes were returned. */
	read(give: (line: string) => void): number {
		let fd: number;
		try {
			fd = openSync(this.file, "r");
		} catch {
			return 0;
		}
		let lines = 0;
		try {
			this.begin(fd);
			const piece = Buffer.alloc(PIECE);
			for (let size = readSync(fd, piece, 0, PIECE, this.offset); size > 0; size = readSync(fd, piece, 0, PIECE, this.offset)) {
				this.offset += size;
				lines += this.take(Buffer.from(piece.subarray(0, size)), give);
			}
		} finally {
			closeSync(fd);
		}
		return lines;
	}

	private take(piece: Buffer, give: (line: string) => void): number {
		const bytes = this.rest.length === 0 ? piece : Buffer.concat([this.rest, piece]);
		let lines = 0;
		let from = 0;
		for (let end = bytes.indexOf(0x0a); end >= 0; end = bytes.indexOf(0x0a, from)) {
			if (!this.inside) give(bytes.toString("utf8", from, end));
			this.inside = false;
			from = end + 1;
			lines++;
		}
		this.rest = bytes.subarray(from);
		return lines;
	}
}
