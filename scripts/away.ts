// npm run away [-- --seconds 60 --minutes M]: the server of the database is away for so long while workers and their agents work, and no attempt is lost.
// Prints figures as JSON at the end; exit code 1 if anything did not hold. With fewer minutes than it takes it does nothing, and says so.
import { parseArgs } from "node:util";
import { buildTested } from "./tested-package.ts";

const { values } = parseArgs({ options: { seconds: { type: "string", default: "60" }, minutes: { type: "string" } } });
/** Sessions, merges and the server's start come on top. */
const neededMinutes = Number(values.seconds) / 60 + 1;
if (values.minutes !== undefined && Number(values.minutes) < neededMinutes) {
	console.log(JSON.stringify({ skipped: `it takes ${neededMinutes} minutes`, violations: [] }));
	process.exit(0);
}
const removeTested = await buildTested();
// It looks where the package is when it is loaded.
const { away } = await import("../test/machines/away.ts");
const figures = await away(Number(values.seconds) * 1000);
removeTested();
for (const violation of figures.violations) console.error(`VIOLATION: ${violation}`);
console.log(JSON.stringify(figures));
process.exit(figures.violations.length > 0 ? 1 : 0);
