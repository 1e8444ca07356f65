// npm run prove [-- --minutes 60 --seed N --only simulate,fuzz --json]: everything that takes too long for `npm test`, within a budget: simulated runs, fuzzed
// readers, kills of real runs, crashes at durable calls, losses of power. One part more than there are cores runs at a time, three at
// most: many of them wait for other processes. Ends with one table; exit code 1 if anything did not hold.
import { randomInt } from "node:crypto";
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { lanesOf, minutesOf } from "./prove-lanes.ts";
import { PARTS, type Part } from "./prove-parts.ts";
import { type Proved, prove, tableOf } from "./prove-run.ts";
import { temporaryBase } from "./temporary-base.ts";
import { buildTested } from "./tested-package.ts";

const { values } = parseArgs({
	options: { minutes: { type: "string", default: "60" }, seed: { type: "string" }, only: { type: "string" }, json: { type: "boolean" } },
});
const [minutes, seed] = [Number(values.minutes), Number(values.seed ?? randomInt(1_000_000))];
if (!(minutes > 0) || !Number.isSafeInteger(seed))
	throw new Error("usage: npm run prove -- [--minutes 60] [--seed N] [--only NAME,NAME] [--json]");
const wanted = values.only?.split(",") ?? Object.keys(PARTS);
const unknown = wanted.filter((name) => !(name in PARTS));
if (unknown.length > 0) throw new Error(`there is no ${unknown.join(", ")}; there are ${Object.keys(PARTS).join(", ")}`);

/** How long a part may take to end after its time is up: the run that it is in, and cleaning up. */
const graceMs = Math.min(5 * 60_000, Math.max(20_000, minutes * 10_000));
console.error(`seed ${seed}, ${minutes} min, ${wanted.join(", ")}`);
const begun = Date.now();
const end = begun + minutes * 60_000;
/** Open to all: PostgreSQL runs as another user where this is root, and has to get into the folder below. */
const openFolder = (prefix: string): string => {
	const made = mkdtempSync(prefix);
	chmodSync(made, 0o711);
	return made;
};
const folder = openFolder(join(temporaryBase(), "pawl-prove-"));
// Built once, for all parts that start pawl.
process.env["TMPDIR"] = folder;
const removeTested = await buildTested();
const proved: Proved[] = [];

/** One part after the other, each with its share of what is left of the time. */
async function lane(names: readonly string[]): Promise<void> {
	for (const [i, name] of names.entries()) {
		const part = PARTS[name] as Part;
		const given = minutesOf(
			names.slice(i).map((one) => PARTS[one]?.share ?? 0),
			(end - Date.now()) / 60_000,
		);
		const result = await prove(name, part, { seed, minutes: given, graceMs, folder: openFolder(join(folder, `${name}-`)), say });
		proved.push(result);
		say(`${name}: ${result.violations.length === 0 ? `nothing found, ${result.counts}` : `${result.violations.length} VIOLATIONS`}`);
	}
}

/** One line at a time, with how much of the budget is used. */
function say(text: string): void {
	const used = Math.min(99, Math.round(((Date.now() - begun) / (minutes * 60_000)) * 100));
	console.error(`${String(used).padStart(2)} %  ${text}`);
}

try {
	const shares = Object.fromEntries(wanted.map((name) => [name, PARTS[name]?.share ?? 0]));
	await Promise.all(lanesOf(shares, Math.min(3, availableParallelism() + 1)).map(lane));
} finally {
	removeTested();
	rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
}
proved.sort((a, b) => wanted.indexOf(a.name) - wanted.indexOf(b.name));
console.log(values.json ? JSON.stringify({ seed, minutes, proved }) : tableOf(proved));
for (const { name, violations } of values.json ? [] : proved) for (const violation of violations) console.log(`\n${name}: ${violation}`);
process.exitCode = proved.some(({ violations }) => violations.length > 0) ? 1 : 0;
