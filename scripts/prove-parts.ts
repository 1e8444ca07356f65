// What `npm run prove` consists of: each part is a script of its own, which prints its figures as the last line of JSON.
import { spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";

export interface Part {
	readonly what: string;
	/** Of the budget. */
	readonly share: number;
	readonly command: (options: { readonly seed: number; readonly minutes: number }) => readonly string[];
	/** How many of what, from its figures. */
	readonly counts: (figures: Figures) => string;
}

type Figures = Readonly<Record<string, unknown>>;

export interface Proved {
	readonly name: string;
	readonly what: string;
	readonly counts: string;
	readonly seed: number;
	readonly seconds: number;
	readonly violations: readonly string[];
}

const n = (value: unknown): string => (typeof value === "number" ? value.toLocaleString("en") : "?");
const skipped = (f: Figures): string | null => (typeof f["skipped"] === "string" ? `SKIPPED: ${f["skipped"]}` : null);
/** With what earlier passes have covered, which this one goes on from. */
const covered = (f: Figures): string => {
	const all = Object.values((f["points"] ?? {}) as Record<string, { readonly covered: number; readonly kinds: number }>);
	const sum = (of: "covered" | "kinds"): number => all.reduce((so, one) => so + one[of], 0);
	return `${n(sum("covered"))} of ${n(sum("kinds"))} points in ${all.length} workflows`;
};
const timed = (script: string, ...more: string[]): Part["command"] => {
	return ({ seed, minutes }) => [`scripts/${script}.ts`, "--seed", String(seed), "--minutes", minutes.toFixed(2), ...more];
};

export const PARTS: Readonly<Record<string, Part>> = {
	simulate: {
		what: "simulated runs, with faults and persons",
		share: 3,
		command: timed("simulate", "--processes", "1", "--json"),
		counts: (f) => `${n(f["runs"])} runs, ${n(f["events"])} events`,
	},
	soak: {
		what: "kills of real runs at random moments",
		share: 3,
		command: timed("soak"),
		counts: (f) => `${n(f["runs"])} runs, ${n(f["kills"])} kills, ${n(f["stories"])} stories merged`,
	},
	kills: {
		what: "kills of real runs at chosen places",
		share: 1,
		command: timed("kills"),
		counts: (f) => `${n(f["runs"])} runs, ${n(f["kills"])} kills`,
	},
	fuzz: {
		what: "hostile text for every reader",
		share: 2,
		command: timed("fuzz", "--json"),
		counts: (f) => `${n(f["executions"])} executions`,
	},
	durable: {
		what: "a crash and an error at durable calls",
		share: 3,
		command: timed("durable", "--part", "crash", "--json"),
		counts: (f) => skipped(f) ?? `${n(f["trials"])} trials: ${n(f["kills"])} kills, ${n(f["errors"])} errors; ${covered(f)}`,
	},
	power: {
		what: "losses of power at syncs",
		share: 1,
		command: timed("durable", "--part", "power", "--json"),
		counts: (f) => skipped(f) ?? `${n(f["cuts"])} cuts; ${covered(f)}`,
	},
	faults: {
		what: "known mistakes that a named test has to notice",
		share: 1,
		command: timed("faults", "--json"),
		counts: (f) => `${n(f["noticed"])} of ${n(f["faults"])} noticed`,
	},
	mutants: {
		what: "small changes of the code that tests have to notice",
		share: 2,
		command: timed("mutants", "--count", "200", "--json"),
		counts: (f) => skipped(f) ?? `${n(f["killed"])} of ${n(f["mutants"])} killed`,
	},
};

/** How long a part may take to end after its time is up: the run that it is in, and cleaning up. */
const GRACE_MS = 5 * 60_000;

export async function prove(
	name: string,
	part: Part,
	{ seed, minutes, say }: { readonly seed: number; readonly minutes: number; readonly say: (text: string) => void },
): Promise<Proved> {
	const begun = Date.now();
	const root = join(import.meta.dirname, "..");
	const child = spawn(process.execPath, [...part.command({ seed, minutes })], {
		cwd: root,
		stdio: ["ignore", "pipe", "pipe"],
		timeout: minutes * 60_000 + GRACE_MS,
	});
	const said: string[] = [];
	createInterface(child.stdout).on("line", (line) => said.push(line));
	createInterface(child.stderr).on("line", (line) => {
		said.push(line);
		say(`${name}: ${line}`);
	});
	const code = await new Promise<number | null>((done, fail) => child.once("error", fail).once("close", done));
	const figures = said.findLast((line) => line.startsWith("{"));
	const seconds = Math.round((Date.now() - begun) / 1000);
	const known = { name, what: part.what, seed, seconds };
	if (figures === undefined) {
		const last = said.slice(-20).join("\n");
		return { ...known, counts: "none", violations: [`it ended with ${code ?? "a signal"} and without figures:\n${last}`] };
	}
	const parsed = JSON.parse(figures) as Figures;
	const violations = Array.isArray(parsed["violations"])
		? parsed["violations"].map((v) => (typeof v === "string" ? v : JSON.stringify(v)))
		: [];
	if (code !== 0 && violations.length === 0) violations.push(`it ended with ${code ?? "a signal"}`);
	return { ...known, counts: part.counts(parsed), violations };
}

export function tableOf(proved: readonly Proved[]): string {
	const rows = proved.map(({ what, counts, violations, seed, seconds }) => [what, counts, `${violations.length}`, `${seed}`, `${seconds}`]);
	return [
		"| what | how many | violations | seed | seconds |",
		"|---|---|---|---|---|",
		...rows.map((cells) => `| ${cells.join(" | ")} |`),
	].join("\n");
}
