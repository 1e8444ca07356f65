// What a step costs in this tree and in another checkout: the time of both in alternating pairs, so that a busy machine is busy for both,
// and the counted cost, which does not depend on the machine at all.
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { type Counts, countRun, hasStrace } from "./count.ts";
import { definition } from "./steps.ts";
import { builtPawl, type Figure, median, must, PAWL, repository, run, scratch } from "./support.ts";

const STEPS = 25;
/** Counted in a short and in a longer run: the difference is what the steps cost, without the start and the end of a run. */
const [FEW, MANY] = [10, 60];

/** What the scripted agent does in each step. */
const KINDS = {
	"a step that changes nothing": [{ say: "## SUMMARY\n- nothing" }],
	"a step that writes a file": [{ write: { path: "work/{step}.txt", content: "{step}\n" } }, { say: "## SUMMARY\n- a file" }],
} as const;

type Kind = keyof typeof KINDS;

/** The file, its blob, two trees, the commit, the ref of the branch, the user's index. */
const MOST_WORK_FSYNCS: Readonly<Record<Kind, number>> = { "a step that changes nothing": 0, "a step that writes a file": 7 };

export async function compareSteps(other: string, count: number): Promise<Figure[]> {
	const theirs = join(resolve(other), "bin", "pawl");
	if (!existsSync(theirs)) throw new Error(`${other} is no checkout of pawl: there is no bin/pawl in it`);
	const figures: Figure[] = [];
	for (const kind of Object.keys(KINDS) as Kind[]) {
		const pairs: (readonly [number, number])[] = [];
		for (let i = 0; i < count; i++) {
			// Who goes first changes from pair to pair.
			const first = await timeOf(i % 2 === 0 ? PAWL : theirs, kind);
			const second = await timeOf(i % 2 === 0 ? theirs : PAWL, kind);
			pairs.push(i % 2 === 0 ? [first, second] : [second, first]);
		}
		const ratio = median(pairs.map(([ours, their]) => ours / their));
		const [ours, their] = [median(pairs.map(([a]) => a)), median(pairs.map(([, b]) => b))];
		figures.push({
			name: `${kind}: this tree / the other`,
			value: `${ratio.toFixed(2)} (${ours.toFixed(1)} ms / ${their.toFixed(1)} ms)`,
			aim: "≤ 1.10",
			met: ratio <= 1.1,
		});
		const [counted, before] = [await costOf(PAWL, kind), await costOf(theirs, kind)];
		for (const what of ["commits", "git", "fsyncs", "workFsyncs"] as const) {
			// The other checkout may be of before ADR 24: then it syncs none of this, and loses work with the power.
			const most = what === "workFsyncs" ? Math.max(before[what] ?? 0, MOST_WORK_FSYNCS[kind]) : (before[what] ?? 0);
			figures.push({
				name: `  ${NAMES[what]}`,
				value: `${numberText(counted[what])} / ${numberText(before[what])}`,
				aim: what === "workFsyncs" ? `≤ ${most}` : "no more",
				met: (counted[what] ?? 0) <= most,
			});
		}
	}
	if (!hasStrace()) figures.push({ name: "fsyncs are counted with strace, which is not there", value: "", aim: "", met: true });
	return figures;
}

/** What a step of this tree does, without a comparison. */
export async function countFigures(): Promise<Figure[]> {
	const figures: Figure[] = [];
	for (const kind of Object.keys(KINDS) as Kind[]) {
		const counted = await costOf(await builtPawl(), kind);
		for (const what of Object.keys(NAMES) as (keyof Counts)[])
			figures.push({ name: `${kind}: ${NAMES[what]}`, value: numberText(counted[what]), aim: "", met: true });
	}
	return figures;
}

const NAMES: Readonly<Record<keyof Counts, string>> = {
	commits: "commits to the store",
	git: "git processes",
	fsyncs: "fsyncs of the journal",
	workFsyncs: "fsyncs of commits and files (ADR 24)",
};
const numberText = (n: number | null): string => (n === null ? "?" : String(Math.round(n * 100) / 100));

/** Milliseconds a step, from the journal: how long pawl takes to start is another figure. */
async function timeOf(pawl: string, kind: Kind): Promise<number> {
	return inSite(kind, STEPS, async (path, args) => {
		const starts = must(await run(pawl, args, path), `a run of ${STEPS} steps by ${pawl}`)
			.stdout.split("\n")
			.filter((line) => line.includes('"step_started"'))
			.map((line) => JSON.parse(line) as { readonly at: number; readonly event: string; readonly scope: string })
			.filter((event) => event.event === "step_started" && event.scope !== "@run")
			.map((event) => event.at);
		return ((starts.at(-1) ?? Number.NaN) - (starts[0] ?? Number.NaN)) / (starts.length - 1);
	});
}

async function costOf(pawl: string, kind: Kind): Promise<Counts> {
	const [few, many] = [
		await inSite(kind, FEW, (path, args) => countRun(pawl, args, path)),
		await inSite(kind, MANY, (path, args) => countRun(pawl, args, path)),
	];
	const each = (a: number | null, b: number | null): number | null => (a === null || b === null ? null : (b - a) / (MANY - FEW));
	return {
		commits: each(few.commits, many.commits),
		git: each(few.git, many.git),
		fsyncs: each(few.fsyncs, many.fsyncs),
		workFsyncs: each(few.workFsyncs, many.workFsyncs),
	};
}

async function inSite<T>(kind: Kind, steps: number, work: (path: string, args: readonly string[]) => Promise<T>): Promise<T> {
	const [site, other] = [scratch(), scratch()];
	try {
		repository(site.path);
		const workflow = join(other.path, "bench");
		mkdirSync(join(workflow, "prompts"), { recursive: true });
		writeFileSync(join(workflow, "prompts", "noop.md"), "{{step_description}}\n{{notes}}\n");
		writeFileSync(join(workflow, "workflow.yml"), definition(steps));
		const script = join(other.path, "script.yml");
		// JSON is YAML too.
		writeFileSync(script, JSON.stringify({ default: { do: KINDS[kind] } }));
		return await work(site.path, ["run", workflow, "nothing", "--agent", "scripted", "--script", script, "--json"]);
	} finally {
		site.remove();
		other.remove();
	}
}
