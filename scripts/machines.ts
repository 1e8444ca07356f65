// npm run machines [-- --minutes 20 --seed N --stories 24 --keep]: runs on three workers and a PostgreSQL server, while workers, server, network and people
// do what they must not be able to break. Prints figures as it goes and as JSON at the end; exit code 1 if anything did not hold.
import { randomInt } from "node:crypto";
import { parseArgs } from "node:util";
import { buildTested } from "./tested-package.ts";

const { values } = parseArgs({
	options: {
		minutes: { type: "string", default: "20" },
		seed: { type: "string" },
		stories: { type: "string", default: "24" },
		keep: { type: "boolean", default: false },
	},
});
const removeTested = await buildTested();
// They look where the package is when they are loaded.
const { line, storm } = await import("../test/machines/storm.ts");
const figures = await storm({
	seed: values.seed === undefined ? randomInt(1_000_000) : Number(values.seed),
	ms: Number(values.minutes) * 60_000,
	stories: Number(values.stories),
	keep: values.keep,
	say: (text) => console.error(text),
});
removeTested();
console.log(line(figures));
console.log(JSON.stringify(figures));
process.exit(figures.violations.length > 0 ? 1 : 0);
