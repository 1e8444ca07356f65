// Kills runs of every workflow, in process, at every place where a kill can make a difference: src/engine/crash.test.ts with all of its places instead of each seventh.
// `node scripts/places.ts [--minutes N]`; the last line is its figures as JSON, for `npm run prove`.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { temporaryBase } from "./temporary-base.ts";

/** What it takes on one core; it cannot be cut short. */
const NEEDED_MINUTES = 0.7;

const { values } = parseArgs({ options: { minutes: { type: "string", default: "60" }, seed: { type: "string" } } });
if (Number(values.minutes) < NEEDED_MINUTES) {
	console.log(JSON.stringify({ skipped: `it needs ${NEEDED_MINUTES} minutes`, violations: [] }));
	process.exit(0);
}
const folder = mkdtempSync(join(temporaryBase(), "pawl-places-"));
const { status, stdout } = spawnSync(process.execPath, ["--test", "--test-reporter=tap", "src/engine/crash.test.ts"], {
	cwd: join(import.meta.dirname, ".."),
	encoding: "utf8",
	env: { ...process.env, PAWL_EVERY: "1", TMPDIR: folder },
});
rmSync(folder, { recursive: true, force: true });
const violations = stdout.split("\n").filter((line) => /^\s+(not ok |'?killed at )/.test(line));
if (status !== 0 && violations.length === 0) violations.push(`it ended with ${status}: ${stdout.slice(-500)}`);
const tests = Number(/^# pass (\d+)/m.exec(stdout)?.[1] ?? 0);
console.log(JSON.stringify({ tests, violations }));
process.exit(violations.length > 0 ? 1 : 0);
