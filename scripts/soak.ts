// npm run soak [-- --minutes 20 --kills 300 --seed N --keep]: kills real runs at random moments until the time or the kills are
// used up, and ends with exit code 1 if anything did not hold. Prints figures as it goes, a summary line and JSON at the end.
import { randomInt } from "node:crypto";
import { parseArgs } from "node:util";
import { buildTested } from "./tested-package.ts";

const { values } = parseArgs({
	options: { minutes: { type: "string" }, kills: { type: "string" }, seed: { type: "string" }, keep: { type: "boolean" } },
});
const number = (text: string | undefined, otherwise: number): number => {
	const n = text === undefined ? otherwise : Number(text);
	if (!Number.isFinite(n) || n < 0) throw new Error(`${text} is no number`);
	return n;
};
const removeTested = await buildTested();
const { line, soak } = await import("../test/support/soak.ts");
const seed = number(values.seed, randomInt(1_000_000));
const ms = number(values.minutes, 20) * 60_000;
console.log(`seed ${seed}`);
const figures = await soak({
	seed,
	kills: number(values.kills, values.minutes === undefined ? 300 : Number.MAX_SAFE_INTEGER),
	ms,
	patienceMs: Math.min(60_000, Math.max(10_000, ms / 4)),
	say: (text) => console.error(text),
	keep: values.keep ?? false,
	company: true,
});
removeTested();
console.log(line(figures));
console.log(JSON.stringify(figures));
process.exit(figures.violations.length > 0 ? 1 : 0);
