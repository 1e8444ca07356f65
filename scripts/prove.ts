// npm run prove [-- --minutes 60 --seed N --only simulate,fuzz --json]: everything that takes too long for `npm test`, within a budget: simulated runs, fuzzed
// readers, kills of real runs, crashes at durable calls, losses of power. Two parts run at a time. Ends with one table; exit code 1 if anything did not hold.
import { randomInt } from "node:crypto";
import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";
import { PARTS, type Part, type Proved, prove, tableOf } from "./prove-parts.ts";

const { values } = parseArgs({
	options: { minutes: { type: "string", default: "60" }, seed: { type: "string" }, only: { type: "string" }, json: { type: "boolean" } },
});
const [minutes, seed] = [Number(values.minutes), Number(values.seed ?? randomInt(1_000_000))];
if (!(minutes > 0) || !Number.isSafeInteger(seed))
	throw new Error("usage: npm run prove -- [--minutes 60] [--seed N] [--only NAME,NAME] [--json]");
const wanted = values.only?.split(",") ?? Object.keys(PARTS);
const unknown = wanted.filter((name) => !(name in PARTS));
if (unknown.length > 0) throw new Error(`there is no ${unknown.join(", ")}; there are ${Object.keys(PARTS).join(", ")}`);

const lanes = Math.min(2, availableParallelism());
const share = wanted.reduce((sum, name) => sum + (PARTS[name]?.share ?? 0), 0);
const begun = Date.now();
const waiting = [...wanted];
const proved: Proved[] = [];
console.error(`seed ${seed}, ${minutes} min, ${wanted.join(", ")}`);

/** Takes the next part as soon as it is free. */
async function lane(): Promise<void> {
	for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
		const part = PARTS[name] as Part;
		const result = await prove(name, part, { seed, minutes: (minutes * lanes * part.share) / share, say });
		proved.push(result);
		say(`${name}: ${result.violations.length === 0 ? "nothing found" : `${result.violations.length} VIOLATIONS`}`);
	}
}

/** One line at a time, with how much of the budget is used. */
function say(text: string): void {
	const used = Math.min(99, Math.round(((Date.now() - begun) / (minutes * 60_000)) * 100));
	console.error(`${String(used).padStart(2)} %  ${text}`);
}

await Promise.all(Array.from({ length: lanes }, lane));
proved.sort((a, b) => wanted.indexOf(a.name) - wanted.indexOf(b.name));
console.log(values.json ? JSON.stringify({ seed, minutes, proved }) : tableOf(proved));
for (const { name, violations } of values.json ? [] : proved) for (const violation of violations) console.log(`\n${name}: ${violation}`);
process.exitCode = proved.some(({ violations }) => violations.length > 0) ? 1 : 0;
