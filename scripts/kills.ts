// Kills real runs at every place of test/support/crash-list.ts, and again while they recover: `node scripts/kills.ts [--minutes N] [--seed N]`. The
// seed says where in the list it begins. What is wrong afterwards is listed; the last line is its figures as JSON, for `npm run prove`.
import { parseArgs } from "node:util";
import { crashWorld, live } from "../test/support/crash-case.ts";
import { atBoundaries, atGitCalls } from "../test/support/crash-list.ts";

const { values } = parseArgs({ options: { minutes: { type: "string", default: "60" }, seed: { type: "string" } } });
const until = Date.now() + Number(values.minutes) * 60_000;

const violations: string[] = [];
let runs = 0;
let kills = 0;
const cases = [...atBoundaries, ...atGitCalls];
const first = Number(values.seed ?? 0) % cases.length;
for (const { name, deaths } of [...cases.slice(first), ...cases.slice(0, first)]) {
	if (Date.now() > until) break;
	const world = crashWorld();
	try {
		const life = await live(world, deaths);
		runs++;
		kills += life.kills;
		violations.push(...life.wrong.map((wrong) => `${name}: ${wrong}`));
		if (life.ends[0]?.signal !== "SIGKILL") violations.push(`${name}: the run did not come by this place`);
	} finally {
		world.remove();
	}
	console.error(`${runs} runs, ${kills} kills, ${violations.length} violations`);
}
for (const violation of violations) console.error(violation);
console.log(JSON.stringify({ runs, kills, violations }));
process.exitCode = violations.length > 0 ? 1 : 0;
