// npm run simulate [-- --seed N --runs M --minutes X --layer core|engine|shared --json]: random runs on a virtual clock, with crashes, lost answers,
// clocks that jump, agents that misbehave and persons who interfere. Exit code 1 if anything did not hold; each violation is printed with
// its seed and the shortest history that shows it.
import { randomInt } from "node:crypto";
import { parseArgs } from "node:util";
import { LAYERS, type Layer, textOf } from "../test/simulation/report.ts";
import { simulate } from "../test/simulation/simulate.ts";

const { values } = parseArgs({
	options: {
		seed: { type: "string" },
		runs: { type: "string" },
		minutes: { type: "string" },
		layer: { type: "string" },
		processes: { type: "string" },
		json: { type: "boolean" },
	},
});
const number = (name: "seed" | "runs" | "minutes" | "processes"): number | undefined => {
	const text = values[name];
	if (text === undefined) return undefined;
	const n = Number(text);
	if (!Number.isFinite(n) || n < 0) throw new Error(`--${name} ${text} is no number`);
	return n;
};
const named = LAYERS.filter((layer) => values.layer === undefined || layer === values.layer);
if (named.length === 0) throw new Error(`--layer ${values.layer}: there is ${LAYERS.join(", ")}`);
const seed = number("seed") ?? randomInt(1_000_000_000);
const [runs, minutes, processes] = [number("runs"), number("minutes"), number("processes")];
const layers: readonly Layer[] = named;

let said = Date.now();
const told = new Set<string>();
const pass = await simulate({
	seed,
	layers,
	...(runs === undefined ? {} : { runs }),
	...(minutes === undefined ? {} : { minutes }),
	...(processes === undefined ? {} : { processes }),
	onProgress: ({ runs: played, events, violations }) => {
		// At once: whoever ends a pass that takes too long gets no report.
		for (const { layer, seed: of, message } of violations) {
			const text = `VIOLATION ${layer} seed ${of}: ${message}`;
			if (!told.has(text)) console.error(text);
			told.add(text);
		}
		if (Date.now() - said < 5000) return;
		said = Date.now();
		console.error(`${played} runs, ${events} events, ${violations.length} violations`);
	},
});
console.log(values.json ? JSON.stringify(pass) : textOf(pass));
process.exitCode = pass.violations.length > 0 ? 1 : 0;
