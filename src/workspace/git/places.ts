// What a sandbox shows of a repository besides the checkout itself: enough to commit there, and nothing that pawl's own git calls, or those of other
// checkouts, would trust. The guard puts back what can be changed all the same.
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { type Place, read, write } from "../../core/sandbox/sandbox.ts";

/** Of all checkouts. What `alternates` in `objects/info` names is shown, so nobody in a sandbox may make one. */
const SHARED = ["config", "hooks", "info", "worktrees", "pawl", "objects/info"];
/** Of the main checkout, while the work is in another one. `modules`: its submodules, with settings and hooks. */
const MAIN = ["HEAD", "index", "config.worktree", "modules"];
/** Of a checkout. */
const OWN = ["commondir", "gitdir", "config.worktree", "pawl"];

/** `own`: git's folder of the checkout, which is the common one for the main checkout. A deeper place wins, so that parts of what may be written stay as they are. */
export function gitPlaces(commonDir: string, own: string): Place[] {
	const kept = [...SHARED, ...(own === commonDir ? [] : MAIN)].map((name) => read(join(commonDir, name)));
	return [
		...[write(commonDir), ...kept],
		...[write(own), ...OWN.map((name) => read(join(own, name)))],
		// Here git notes what a session does.
		write(join(own, "pawl", "sessions")),
		...alternates(commonDir).map(read),
	];
}

/** Where a clone that borrows its objects has them from. */
function alternates(commonDir: string): string[] {
	const folder = join(commonDir, "objects");
	try {
		const lines = readFileSync(join(folder, "info", "alternates"), "utf8").split("\n");
		return lines.flatMap((line) => (line === "" || line.startsWith("#") ? [] : [resolve(folder, line)]));
	} catch {
		return [];
	}
}
