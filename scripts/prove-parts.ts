// What `npm run prove` consists of: each part is a script of its own, which prints its figures as the last line of JSON.

export interface Part {
	readonly what: string;
	/** Of the budget: of an hour on two cores this many minutes. */
	readonly share: number;
	readonly command: (options: { readonly seed: number; readonly minutes: number }) => readonly string[];
	/** How many of what, from its figures. */
	readonly counts: (figures: Figures) => string;
}

export type Figures = Readonly<Record<string, unknown>>;

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
		share: 20,
		command: timed("simulate", "--processes", "1", "--json"),
		counts: (f) => `${n(f["runs"])} runs, ${n(f["events"])} events`,
	},
	soak: {
		what: "kills of real runs at random moments",
		share: 20,
		command: timed("soak"),
		counts: (f) => `${n(f["runs"])} runs, ${n(f["kills"])} kills, ${n(f["stories"])} stories merged`,
	},
	machines: {
		what: "faults of workers, server, network and people",
		share: 22,
		command: timed("machines", "--stories", "8"),
		counts: (f) => skipped(f) ?? `${n(f["runs"])} runs, ${n(f["faults"])} faults, ${n(f["stories"])} stories merged`,
	},
	demo: {
		what: "the demo of several machines, a kill -9 included",
		share: 2,
		command: () => ["scripts/demo-machines.ts", "--json"],
		counts: (f) => `${n(f["stories"])} stories merged`,
	},
	away: {
		what: "a server that is away for a minute while workers work",
		share: 3,
		command: ({ minutes }) => ["scripts/away.ts", "--minutes", minutes.toFixed(2)],
		counts: (f) => skipped(f) ?? `${n(f["attempts"])} attempts, none lost, ${n(f["stories"])} stories merged`,
	},
	kills: {
		what: "kills of real runs at chosen places",
		share: 6,
		command: timed("kills"),
		counts: (f) => `${n(f["runs"])} runs, ${n(f["kills"])} kills`,
	},
	places: {
		what: "kills at every place of runs in process",
		share: 2,
		command: timed("places"),
		counts: (f) => skipped(f) ?? `${n(f["tests"])} tests with all of their places`,
	},
	guarantees: {
		what: "guarantees on every path, over PostgreSQL",
		share: 9,
		command: timed("guarantees"),
		counts: (f) => skipped(f) ?? `${n(f["tests"])} tests`,
	},
	fuzz: {
		what: "hostile text for every reader",
		share: 12,
		command: timed("fuzz", "--json"),
		counts: (f) => `${n(f["executions"])} executions`,
	},
	durable: {
		what: "a crash and an error at durable calls",
		share: 28,
		command: timed("durable", "--part", "crash", "--lanes", "1", "--json"),
		counts: (f) => skipped(f) ?? `${n(f["trials"])} trials: ${n(f["kills"])} kills, ${n(f["errors"])} errors; ${covered(f)}`,
	},
	power: {
		what: "losses of power at syncs",
		share: 8,
		command: timed("durable", "--part", "power", "--lanes", "1", "--json"),
		counts: (f) => skipped(f) ?? `${n(f["cuts"])} cuts; ${covered(f)}`,
	},
	faults: {
		what: "known mistakes that a named test has to notice",
		share: 6,
		command: timed("faults", "--json"),
		counts: (f) => `${n(f["noticed"])} of ${n(f["faults"])} noticed`,
	},
	mutants: {
		what: "small changes of the code that tests have to notice",
		share: 8,
		command: timed("mutants", "--count", "200", "--json"),
		counts: (f) => skipped(f) ?? `${n(f["killed"])} of ${n(f["mutants"])} killed`,
	},
};
