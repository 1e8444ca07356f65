// Where tests keep their temporary folders: in memory where the system has room for it, because most of what they wait for is the disk. TMPDIR
// says otherwise.
import { statfsSync } from "node:fs";
import { tmpdir } from "node:os";

const MEMORY = "/dev/shm";
const NEEDED_BYTES = 4 * 1024 ** 3;

export function temporaryBase(): string {
	if (process.env["TMPDIR"] !== undefined) return tmpdir();
	try {
		const { bavail, bsize } = statfsSync(MEMORY);
		return bavail * bsize >= NEEDED_BYTES ? MEMORY : tmpdir();
	} catch {
		return tmpdir();
	}
}
