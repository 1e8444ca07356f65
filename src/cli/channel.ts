// Standard output and standard error of this process. Node makes a stream of each, which takes as long as most of a command that only looks. A file or a
// pipe needs none: Node, too, writes to them at once.
import { fstatSync, statSync, writeSync } from "node:fs";

export interface Channel {
	readonly isTTY: boolean;
	/** 0: it is no terminal, or one that does not report its width. */
	readonly columns: number;
	write(text: string | Uint8Array): void;
}

const FD = { stdout: 1, stderr: 2 } as const;

const made = new Map<string, Channel>();

export function channel(name: keyof typeof FD): Channel {
	const known = made.get(name) ?? (isPlain(FD[name]) ? plain(name) : stream(name));
	made.set(name, known);
	return known;
}

function plain(name: keyof typeof FD): Channel {
	return {
		isTTY: false,
		columns: 0,
		write: (text) => {
			const bytes = typeof text === "string" ? Buffer.from(text) : text;
			let at = 0;
			try {
				while (at < bytes.length) at += writeSync(FD[name], bytes, at);
			} catch (error) {
				// A pipe that somebody else has made such that it does not wait for its reader: a stream waits.
				if ((error as NodeJS.ErrnoException).code !== "EAGAIN") return;
				const waiting = stream(name);
				made.set(name, waiting);
				waiting.write(bytes.subarray(at));
			}
		},
	};
}

/** A reader that goes away (head, a closed terminal) must not end a run. */
function stream(name: keyof typeof FD): Channel {
	const out = process[name];
	out.on("error", () => {});
	return {
		get isTTY() {
			return out.isTTY === true;
		},
		get columns() {
			return out.columns || 0;
		},
		write: (text) => void out.write(text),
	};
}

/** A file, a pipe where Node writes to one at once, or nothing at all. */
function isPlain(fd: number): boolean {
	if (process.platform !== "linux") return false;
	try {
		const found = fstatSync(fd);
		return found.isFile() || found.isFIFO() || (found.isCharacterDevice() && found.rdev === statSync("/dev/null").rdev);
	} catch {
		return false;
	}
}
