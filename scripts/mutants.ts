// npm run mutants [-- --part core --file src/core/x.ts --tiers 1 --seed N --count K --minutes M --fresh --show --json]: do the tests notice a small change of the code?
// Without --count it tries every mutant of the part that was not tried since code or tests changed, and writes the figures. With --count it tries as many, of all parts
// or of one, and needs the least share of each part killed, as far as a sample can tell.
import { randomInt } from "node:crypto";
import { parseArgs } from "node:util";
import { Figures } from "../test/mutants/figures.ts";
import { type Mutant, whyNoTools } from "../test/mutants/instrument.ts";
import { Known } from "../test/mutants/known.ts";
import { mutate, type Verdict } from "../test/mutants/mutants.ts";
import { filesOf, PART_NAMES } from "../test/mutants/parts.ts";
import { luckOf } from "../test/simulation/luck.ts";

const { values } = parseArgs({
	options: {
		part: { type: "string" },
		file: { type: "string", multiple: true },
		seed: { type: "string" },
		count: { type: "string" },
		minutes: { type: "string" },
		tiers: { type: "string" },
		fresh: { type: "boolean", default: false },
		show: { type: "boolean", default: false },
		json: { type: "boolean", default: false },
	},
});
const seed = Number(values.seed ?? randomInt(1_000_000));
const count = values.count === undefined ? undefined : Number(values.count);
const until = values.minutes === undefined ? Number.POSITIVE_INFINITY : Date.now() + Number(values.minutes) * 60_000;
const parts = values.part === undefined ? PART_NAMES : [values.part];
const skipped = whyNoTools();
if (skipped !== null) {
	console.error(`SKIPPED: ${skipped}`);
	if (values.json) console.log(JSON.stringify({ skipped, violations: [] }));
	process.exit(values.json ? 0 : 1);
}
const verdicts: Verdict[] = [];
const violations: string[] = [];
let said = Date.now();

for (const [i, part] of parts.entries()) {
	const { code, tests, least } = filesOf(part);
	const before = verdicts.length;
	const some = values.file === undefined ? code : code.filter((file) => values.file?.includes(file));
	const known = new Known(tests);
	let unsaved = 0;
	const share = count === undefined ? undefined : Math.floor(count / parts.length) + (i < count % parts.length ? 1 : 0);
	await mutate({
		code: some,
		tests: tests.slice(0, Number(values.tiers ?? tests.length)),
		until,
		say: (text) => console.error(`${part}: ${text}`),
		chosen: (mutants) => {
			if (share !== undefined) return sample(mutants, share);
			const open: Mutant[] = [];
			for (const mutant of mutants) {
				const verdict = values.fresh ? undefined : known.verdict(mutant);
				if (verdict === undefined) open.push(mutant);
				else verdicts.push(verdict);
			}
			return open;
		},
		onVerdict: (verdict, toGo) => {
			verdicts.push(verdict);
			known.remember(verdict);
			if (++unsaved % 100 === 0) known.save();
			if (Date.now() - said < 10_000) return;
			said = Date.now();
			console.error(`${part}: ${toGo} to go, ${verdicts.filter(({ by }) => by === null).length} of ${verdicts.length} live`);
		},
	});
	known.save();
	if (count !== undefined) tooFew(part, least, verdicts.slice(before));
}

function tooFew(part: string, least: number, some: readonly Verdict[]): void {
	const live = some.filter(({ by }) => by === null);
	const share = 1 - live.length / Math.max(1, some.length);
	/** Three standard deviations: what a sample of this size misses by chance. */
	const chance = 3 * Math.sqrt((least * (1 - least)) / Math.max(1, some.length));
	if (share < least - chance) violations.push(`${part}: only ${(share * 100).toFixed(1)} % were noticed:\n${live.map(told).join("\n")}`);
}

/** The same for the same seed and code. */
function sample(mutants: readonly Mutant[], size: number): readonly Mutant[] {
	const [left, chosen, luck] = [[...mutants], [] as Mutant[], luckOf(seed)];
	while (chosen.length < size && left.length > 0) chosen.push(...left.splice(luck.between(0, left.length - 1), 1));
	return chosen;
}

const figures = new Figures(verdicts);
const live = verdicts.filter(({ by }) => by === null);
if (count === undefined && values.file === undefined && until === Number.POSITIVE_INFINITY) figures.save(parts);
if (values.show) for (const verdict of live) console.log(told(verdict));
if (values.json) console.log(JSON.stringify({ seed, mutants: verdicts.length, killed: verdicts.length - live.length, violations }));
else console.log(`${figures.text()}\nseed ${seed}`);
process.exitCode = violations.length > 0 ? 1 : 0;

function told({ mutant: { file, line, column, kind, original, replacement }, reached }: Verdict): string {
	const one = (text: string): string => (text.length > 90 ? `${text.slice(0, 90)}…` : text).replaceAll(/\s+/g, " ");
	return `${file}:${line}:${column} ${kind}${reached ? "" : " (no test runs it)"}: ${one(original)} → ${one(replacement)}`;
}
