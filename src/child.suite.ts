// Programs that tests start as processes of their own (`x.child.ts`). scripts/test.ts builds them (scripts/package.ts): what is built starts in
// half of the time.
import { existsSync } from "node:fs";
import { basename, join } from "node:path";

/** What to start for this source: built, where the tests have built it. */
export function childProgram(source: string): string {
	const built = join(process.env["PAWL_TESTED"] ?? "", "dist", `${basename(source, ".child.ts")}-child.mjs`);
	return existsSync(built) ? built : source;
}
