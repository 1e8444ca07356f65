// npm run bench [NAME…] [--times 5]: ratios measured side by side in one run, each with the spread of its repetitions. Nothing here is a test: timings
// depend on the machine.
// npm run bench -- steps --against DIR [--pairs 20], npm run bench -- prompts --against DIR: this tree against another checkout of pawl.
import { parseArgs } from "node:util";
import { compareSteps, countFigures } from "./compare.ts";
import { growthFigures } from "./growth.ts";
import { machinesFigures } from "./machines.ts";
import { memoryFigures } from "./memory.ts";
import { comparePrompts, promptFigures } from "./prompts.ts";
import { startUpFigures } from "./start-up.ts";
import { longFigures, stepFigures } from "./steps.ts";
import { manyFigures, mergeFigures, queueFigures, scheduleFigures } from "./stories.ts";
import { streamFigures } from "./streams.ts";
import { type Figure, repetitions } from "./support.ts";
import { worktreeFigures } from "./worktrees.ts";

const BENCHES: Readonly<Record<string, () => Promise<Figure[]>>> = {
	steps: async () => [...(await stepFigures()), ...(await countFigures())],
	long: longFigures,
	memory: memoryFigures,
	"start-up": startUpFigures,
	schedule: scheduleFigures,
	queue: queueFigures,
	merges: mergeFigures,
	many: manyFigures,
	worktrees: worktreeFigures,
	growth: growthFigures,
	prompts: promptFigures,
	streams: streamFigures,
	machines: machinesFigures,
};

const { positionals: wanted, values } = parseArgs({
	allowPositionals: true,
	options: { against: { type: "string" }, pairs: { type: "string" }, times: { type: "string" } },
});
const { against } = values;
repetitions.times = Number(values.times ?? repetitions.times);
const COMPARED: Readonly<Record<string, (other: string) => Promise<Figure[]>>> = {
	steps: (other) => compareSteps(other, Number(values.pairs ?? 20)),
	prompts: comparePrompts,
};
const compare = COMPARED[wanted.join()];
if (against !== undefined && compare === undefined) {
	console.error("--against compares steps or prompts: npm run bench -- steps --against DIR");
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
	for (const figure of await (against === undefined || compare === undefined ? figures() : compare(against))) {
		const { value, aim, met, required } = figure;
		console.log(`  ${figure.name.padEnd(52)} ${value.padEnd(22)} ${aim === "" ? "" : `${met ? "met" : "NOT MET"}, aim ${aim}`}`.trimEnd());
		if (required && !met) process.exitCode = 1;
	}
}
