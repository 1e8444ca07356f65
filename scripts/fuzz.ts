// npm run fuzz [-- --minutes 5 --seed N --target NAME --json --save]: feeds hostile text to everything that reads foreign text, until the time is used up, and ends
// with exit code 1 if anything did not hold. --save keeps findings in test/fuzz/corpus, where the tests replay them.
import { randomInt } from "node:crypto";
import { parseArgs } from "node:util";
import { fuzz } from "../test/fuzz/fuzz.ts";

const { values } = parseArgs({
	options: {
		seed: { type: "string" },
		minutes: { type: "string" },
		target: { type: "string", multiple: true },
		json: { type: "boolean" },
		save: { type: "boolean" },
	},
});
const number = (text: string | undefined, otherwise: number): number => {
	const n = text === undefined ? otherwise : Number(text);
	if (!Number.isFinite(n) || n < 0) throw new Error(`${text} is no number`);
	return n;
};
const seed = number(values.seed, randomInt(1_000_000));
const say = values.json ? () => {} : (line: string) => console.log(line);
/** With --json a line now and then, beside the figures. */
let said = Date.now();
const tell = (line: string): void => {
	if (!line.startsWith("VIOLATION") && Date.now() - said < 10_000) return;
	said = Date.now();
	console.error(line);
};
say(`seed ${seed}`);
const fuzzed = await fuzz({
	seed,
	minutes: number(values.minutes, 5),
	onProgress: values.json ? tell : say,
	save: values.save ?? false,
	...(values.target === undefined ? {} : { targets: values.target }),
});
if (values.json) console.log(JSON.stringify({ seed, ...fuzzed }));
else {
	for (const [name, executions] of Object.entries(fuzzed.byTarget)) say(`${name.padEnd(20)} ${executions}`);
	for (const { target, message, input } of fuzzed.violations) say(`\n${target}: ${message}\n${JSON.stringify(input.slice(0, 2000))}`);
	say(
		`\n${fuzzed.what}, ${fuzzed.executions} executions in ${Math.round(fuzzed.seconds)} s, ${fuzzed.violations.length} violations (seed ${seed})`,
	);
}
process.exitCode = fuzzed.violations.length > 0 ? 1 : 0;
