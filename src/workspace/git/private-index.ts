// The index through which this process looks at a checkout: git's own stays as its user left it.
import { mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";

/** One per process: two runs may look at one checkout at the same time. Removes what dead processes left. */
export function privateIndex(gitDir: string): string {
	const folder = join(gitDir, "pawl");
	mkdirSync(folder, { recursive: true });
	for (const name of readdirSync(folder)) {
		const pid = /^index\.(\d+)(\.|$)/.exec(name)?.[1];
		if (pid !== undefined && Number(pid) !== process.pid && !alive(Number(pid))) rmSync(join(folder, name), { force: true });
	}
	return join(folder, `index.${process.pid}`);
}

function alive(pid: number): boolean {
	try {
		process.kill(pid, 0);
		return true;
	} catch (error) {
		return (error as NodeJS.ErrnoException).code === "EPERM";
	}
}
