// Runs these files of tests, a few at once and in this order (`node --test` sorts them): `node scripts/test-files.ts REPORTER FILE…`.
// REPORTER is a file; `spec` is node's own for a terminal.
import { join } from "node:path";
import { run } from "node:test";
import { spec } from "node:test/reporters";
import { endLateFiles } from "./test-limit.ts";

// Only for what hangs: several long files in one process take minutes on a busy machine.
const TIMEOUT_MS = Number(process.env["PAWL_TEST_LIMIT_MS"] ?? 900_000);
/** How long a file may take to end after that. */
const GRACE_MS = 10_000;
// Four more than the two cores that the tests are made for: what most of them do is wait for processes.
const AT_ONCE = 6;

const [reporter = "", ...files] = process.argv.slice(2);
const counted = process.env["PAWL_TEST_TIMES"] === undefined ? [] : ["--import", join(import.meta.dirname, "test-times.ts")];
const events = run({ files, concurrency: AT_ONCE, timeout: TIMEOUT_MS, execArgv: counted });
events.on("test:fail", ({ todo }) => {
	if (todo === undefined) process.exitCode = 1;
});
const report = reporter === "spec" ? new spec() : ((await import(reporter)) as { default: never }).default;
endLateFiles(TIMEOUT_MS + Math.min(GRACE_MS, TIMEOUT_MS), (text) => console.error(text));
events.compose(report).pipe(process.stdout);
