// npm run durable [-- --minutes 20 --part crash|power --workflow NAME --seed N --afresh --only TEXT --lanes N --json]: a crash and an error of the disk at every kind of
// durable call of small runs, and a loss of power at every kind of sync, each resumed and checked. Goes on where the last pass stopped; what the last one
// found comes first. Exit code 1 if anything did not hold.
import { randomInt } from "node:crypto";
import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";
import type { Workflow } from "../test/durable/site.ts";
import { buildTested } from "./tested-package.ts";

const { values } = parseArgs({
	options: {
		minutes: { type: "string", default: "20" },
		part: { type: "string", default: "both" },
		workflow: { type: "string", multiple: true },
		seed: { type: "string" },
		afresh: { type: "boolean", default: false },
		only: { type: "string", multiple: true },
		lanes: { type: "string" },
		json: { type: "boolean", default: false },
	},
});
// Calls of the disk are made to fail where they enter the kernel: which file system is below makes no difference.
const removeTested = await buildTested();
// They look where the package is when they are loaded.
const { durable, line } = await import("../test/durable/durable.ts");
const { powerLoss, powerLine } = await import("../test/durable/power-loss.ts");
const { WORKFLOWS } = await import("../test/durable/site.ts");

const unknown = values.workflow?.filter((name) => !WORKFLOWS.includes(name as Workflow)) ?? [];
if (unknown.length > 0) throw new Error(`there is no workflow ${unknown.join(", ")} here; there are ${WORKFLOWS.join(", ")}`);
const both = values.part === "both";
const options = {
	seed: values.seed === undefined ? randomInt(1_000_000) : Number(values.seed),
	minutes: Number(values.minutes) / (both ? 2 : 1),
	...(values.workflow === undefined ? {} : { workflows: values.workflow as Workflow[] }),
	...(values.only === undefined ? {} : { only: values.only }),
	afresh: values.afresh,
	lanes: Number(values.lanes ?? Math.min(2, availableParallelism())),
	onProgress: (text: string) => console.error(text),
};
let violations = 0;
try {
	if (values.part !== "power") {
		const figures = await durable(options);
		console.error(line(figures));
		if (values.json) console.log(JSON.stringify(figures));
		violations += figures.violations.length;
	}
	if (values.part !== "crash") {
		const figures = await powerLoss(options);
		console.error(powerLine(figures));
		if (values.json) console.log(JSON.stringify(figures));
		violations += figures.violations.length;
	}
} finally {
	removeTested();
}
process.exitCode = violations > 0 ? 1 : 0;
