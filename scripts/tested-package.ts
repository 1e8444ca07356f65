// The package for a script that starts pawl again and again: built once, in a folder that the script removes. PAWL_TESTED names one that is there.
import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { packageIn } from "./package.ts";
import { temporaryBase } from "./temporary-base.ts";

/** To be called before anything is loaded that starts pawl: it looks then where the package is. Answers with what removes it. */
export async function buildTested(): Promise<() => void> {
	process.env["TMPDIR"] ??= temporaryBase();
	if (process.env["PAWL_TESTED"] !== undefined) return () => {};
	const folder = mkdtempSync(join(process.env["TMPDIR"], "pawl-tested-"));
	process.env["PAWL_TESTED"] = await packageIn(folder);
	process.env["NODE_COMPILE_CACHE"] ??= join(folder, "compiled");
	return () => rmSync(folder, { recursive: true, force: true });
}
