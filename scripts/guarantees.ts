// Walks every guarantee over every path on PostgreSQL: the tests of test/guarantees/, whose runs are in memory or SQLite in `npm test`, but for those that machines share.
// `node scripts/guarantees.ts [--minutes N]`; the last line is its figures as JSON, for `npm run prove`.
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { parseArgs } from "node:util";

/** What it takes on two cores; it cannot be cut short. */
const NEEDED_MINUTES = 4;

const { values } = parseArgs({ options: { minutes: { type: "string", default: "60" }, seed: { type: "string" } } });
if (Number(values.minutes) < NEEDED_MINUTES) {
	console.log(JSON.stringify({ skipped: `it needs ${NEEDED_MINUTES} minutes`, violations: [] }));
	process.exit(0);
}
const root = join(import.meta.dirname, "..");
// A group of files waits for the database most of the time: on a busy machine it takes longer than a file of tests may.
const env = { ...process.env, PAWL_TEST_STORE: "postgres", PAWL_TEST_LIMIT_MS: "3600000" };
const { status, stdout } = spawnSync(process.execPath, [join(root, "scripts", "test.ts"), "test/guarantees"], {
	cwd: root,
	encoding: "utf8",
	env,
	stdio: ["ignore", "pipe", "inherit"],
	maxBuffer: 64 * 1024 * 1024,
});
const violations = stdout.split("\n").filter((line) => /^\s+FAIL /.test(line));
if (status !== 0 && violations.length === 0) violations.push(`it ended with ${status}: ${stdout.slice(-500)}`);
const tests = Number(/^# pass (\d+)/m.exec(stdout)?.[1] ?? 0);
console.log(JSON.stringify({ tests, violations }));
process.exit(violations.length > 0 ? 1 : 0);
