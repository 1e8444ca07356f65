// Kills real runs at every place of test/support/crash-list.ts, and again while they recover: `node scripts/kills.ts [--minutes N] [--seed N]`. The
// seed says where in the list it begins; after the list come pairs of its places, by chance. What is wrong afterwards is listed; the last line is its
// figures as JSON, for `npm run prove`.
import { setTimeout as wait } from "node:timers/promises";
import { parseArgs } from "node:util";
import { buildTested } from "./tested-package.ts";

const { values } = parseArgs({ options: { minutes: { type: "string", default: "60" }, seed: { type: "string" } } });
const ms = Number(values.minutes) * 60_000;
const until = Date.now() + ms;
/** A run that is under way when the time is over is given up after that, without a verdict. */
const patience = Math.min(60_000, Math.max(10_000, ms / 4));
const removeTested = await buildTested();
// They look where the package is when they are loaded.
const { crashWorld, live } = await import("../test/support/crash-case.ts");
const { atBoundaries, atGitCalls, pairOf } = await import("../test/support/crash-list.ts");
const { chance } = await import("../test/support/soak-chance.ts");

const violations: string[] = [];
let runs = 0;
let kills = 0;
const cases = [...atBoundaries, ...atGitCalls];
const seed = Number(values.seed ?? 0);
const luck = chance(seed);
const over = wait(ms + patience, null, { ref: false });
for (let n = 0; Date.now() < until; n++) {
	const listed = n < cases.length ? cases[(seed + n) % cases.length] : undefined;
	const { name, deaths } = listed ?? pairOf(luck.between);
	const world = crashWorld();
	const life = await Promise.race([live(world, deaths), over]);
	world.remove();
	if (life === null) break;
	runs++;
	kills += life.kills;
	const wrong = life.wrong.map((text) => `${name}: ${text}`);
	if (listed !== undefined && life.ends[0]?.signal !== "SIGKILL") wrong.push(`${name}: the run did not come by this place`);
	violations.push(...wrong);
	for (const text of wrong) console.error(`VIOLATION ${text}`);
	console.error(`${runs} runs, ${kills} kills, ${violations.length} violations`);
}
removeTested();
console.log(JSON.stringify({ runs, kills, violations }));
process.exit(violations.length > 0 ? 1 : 0);
