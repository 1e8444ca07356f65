// npm run bench [NAME…]: ratios measured side by side in one run. Nothing here is a test: timings depend on the machine.
// npm run bench -- steps --against DIR [--pairs 20]: this tree against another checkout of pawl.
import { parseArgs } from "node:util";
import { compareSteps } from "./compare.ts";
import { memoryFigures } from "./memory.ts";
import { startUpFigures } from "./start-up.ts";
import { stepFigures } from "./steps.ts";
import { manyFigures, mergeFigures, scheduleFigures } from "./stories.ts";
import type { Figure } from "./support.ts";
import { worktreeFigures } from "./worktrees.ts";

const BENCHES: Readonly<Record<string, () => Promise<Figure[]>>> = {
	steps: stepFigures,
	memory: memoryFigures,
	"start-up": startUpFigures,
	schedule: scheduleFigures,
	merges: mergeFigures,
	many: manyFigures,
	worktrees: worktreeFigures,
};

const { positionals: wanted, values } = parseArgs({
	allowPositionals: true,
	options: { against: { type: "string" }, pairs: { type: "string" } },
});
const { against } = values;
if (against !== undefined && wanted.join() !== "steps") {
	console.error("--against compares steps only: npm run bench -- steps --against DIR");
	process.exit(2);
}
const unknown = wanted.filter((name) => !(name in BENCHES));
if (unknown.length > 0) {
	console.error(`no such bench: ${unknown.join(", ")}; there are ${Object.keys(BENCHES).join(", ")}`);
	process.exit(2);
}
for (const [name, figures] of Object.entries(BENCHES)) {
	if (wanted.length > 0 && !wanted.includes(name)) continue;
	console.log(`\n${name}`);
	for (const figure of await (against === undefined ? figures() : compareSteps(against, Number(values.pairs ?? 20))))
		console.log(
			`  ${figure.name.padEnd(52)} ${figure.value.padEnd(22)} ${figure.aim === "" ? "" : `${figure.met ? "met" : "NOT MET"}, aim ${figure.aim}`}`,
		);
}
