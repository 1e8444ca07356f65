// The pawl that tests start: the package as people install it, which scripts/test.ts builds first. A file of tests that runs without it
// starts the sources.
import { existsSync } from "node:fs";
import { join } from "node:path";

export const PROJECT = join(import.meta.dirname, "..", "..");
/** The package, or the sources. */
export const PACKAGE = process.env["PAWL_TESTED"] ?? PROJECT;
export const PAWL = join(PACKAGE, "bin", "pawl");

/** A program of tests that is built together with the package (scripts/package.ts); its source where there is none. */
export function builtOr(name: string, source: string): string {
	const built = join(PACKAGE, "dist", name);
	return existsSync(built) ? built : join(PROJECT, source);
}
