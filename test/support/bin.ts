// The pawl that tests start: the package as people install it, which scripts/test.ts builds first. A file of tests that runs without it
// starts the sources.
import { join } from "node:path";

export const PROJECT = join(import.meta.dirname, "..", "..");
export const PAWL = join(process.env["PAWL_TESTED"] ?? PROJECT, "bin", "pawl");
