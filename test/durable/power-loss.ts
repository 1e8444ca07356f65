// A loss of power at every sync of a run: records all changes of its files once, then lays them out as a disk could have kept them, resumes,
// and checks. What pawl had recorded before the cut must be there (I1), and the run must come to the end it comes to otherwise.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { chance } from "../support/soak-chance.ts";
import { alive, projectOf } from "./checks.ts";
import { makePlace, type Place } from "./crash.ts";
import { Disk, type FileSystem, LOSSES, type Loss } from "./disk.ts";
import { heal } from "./heal.ts";
import { Memory } from "./memory.ts";
import { classes } from "./role.ts";
import { command, LONGEST_MS, type Site, WORKFLOWS, type Workflow } from "./site.ts";
import { makeTracer, type Tracer } from "./tracer.ts";

export interface PowerOptions {
	readonly seed: number;
	readonly minutes: number;
	readonly workflows?: readonly Workflow[];
	/** Begins with the first cut again, whatever was tried before. */
	readonly afresh?: boolean;
	/** Only those with one of these texts in their name, whatever was tried before. */
	readonly only?: readonly string[];
	readonly onProgress?: (text: string) => void;
}

export interface PowerFigures {
	readonly what: string;
	readonly seed: number;
	/** Of the recorded runs: syncs, distinct points (call, role of the file, program) before or after one, and cuts there are. `covered`, `tried`: in this pass and in
	 * earlier ones that it goes on from. */
	readonly points: Record<
		string,
		{ readonly changes: number; readonly barriers: number; readonly kinds: number; readonly cuts: number; tried: number; covered: number }
	>;
	cuts: number;
	seconds: number;
	skipped: string | null;
	readonly violations: string[];
}

export interface Cut {
	readonly workflow: Workflow;
	/** How many changes were made before it. */
	readonly at: number;
	readonly fileSystem: FileSystem;
	readonly loss: Loss;
	readonly seed: number;
	/** The sync that it comes before or after. */
	readonly near: string;
	/** The same without the names that differ from run to run, and the how-manieth of its kind. */
	readonly point: string;
	readonly nth: number;
}

/** The same in every recording of this workflow, with every seed. */
export const cutKey = ({ workflow, point, nth, loss }: Cut): string => `${workflow}: ${loss} ${point} #${nth}`;

export const cutName = ({ workflow, at, fileSystem, loss, seed, near }: Cut): string =>
	`${workflow}: power lost at ${at} (${fileSystem}, ${loss}, seed ${seed}), ${near}`;

export interface Recorded {
	readonly place: Place;
	readonly disk: Disk;
	/** At [n] changes the journal had [version] events for certain. */
	readonly acknowledged: readonly { readonly at: number; readonly version: number }[];
}

export async function recordDisk(tracer: Tracer, place: Place): Promise<Recorded> {
	const { site } = place;
	place.restore();
	const disk = new Disk(site.root);
	const acknowledged: { at: number; version: number }[] = [];
	const ended = await tracer.run({
		folder: site.root,
		command: command(site.args),
		cwd: site.cwd,
		env: site.env,
		ms: LONGEST_MS,
		answer: (call) => {
			disk.enter(call);
			return "go";
		},
		returned: (call, result) => {
			disk.returned(call, result);
		},
	});
	if (ended.code !== 0) throw new Error(`${site.workflow}, traced, ended with ${ended.code}: ${ended.err.slice(-2000)}`);
	for (const { at, what } of disk.barriers()) {
		if (!what.includes("pawl.db")) continue;
		disk.layOut(disk.after(at, "ext4", "keeps", () => true));
		const version = versionIn(site);
		if (version > (acknowledged.at(-1)?.version ?? 0)) acknowledged.push({ at, version });
	}
	return { place, disk, acknowledged };
}

/** How many events the journal has; read without the store. */
function versionIn(site: Site): number {
	const file = join(projectOf(site), ".pawl", "pawl.db");
	if (!existsSync(file)) return 0;
	const db = new DatabaseSync(file);
	try {
		return Number(db.prepare("SELECT count(*) AS n FROM events").get()?.["n"] ?? 0);
	} catch (error) {
		if (error instanceof Error && error.message.includes("no such table")) return 0;
		throw error;
	} finally {
		db.close();
	}
}

/** Just before a sync and just after it, with each kind of loss: the first, the last and one in the middle of each kind of sync. */
export function cutsOf({ disk, place }: Recorded, seed: number): Cut[] {
	const luck = chance(seed);
	const kinds = Map.groupBy(disk.barriers(), ({ point }) => point);
	const chosen = [...kinds].flatMap(([point, all]) =>
		classes(all.length, point).flatMap((nth) => all.slice(nth - 1, nth).map((one) => ({ ...one, nth }))),
	);
	return chosen.flatMap(({ at, what, point, nth }) =>
		LOSSES.flatMap((loss) => {
			const fileSystem: FileSystem = luck.happens(0.5) ? "ext4" : "xfs";
			const cut = { workflow: place.site.workflow, fileSystem, loss, seed: luck.between(0, 1_000_000), nth };
			const before = { ...cut, at: at - 1, near: `before ${what}`, point: `before ${point}` };
			const after = { ...cut, at, near: `after ${what}`, point: `after ${point}` };
			return loss === "keeps" ? [after] : [before, after];
		}),
	);
}

export async function cutAt({ place, disk, acknowledged }: Recorded, cut: Cut): Promise<string[]> {
	const { site, expected } = place;
	disk.layOut(disk.after(cut.at, cut.fileSystem, cut.loss, chance(cut.seed).happens));
	const promised = acknowledged.findLast(({ at }) => at <= cut.at)?.version ?? 0;
	let version: number;
	try {
		version = versionIn(site);
	} catch (error) {
		return [`I1: the journal cannot be read: ${error instanceof Error ? error.message : error}`];
	}
	const wrong = version < promised ? [`I1: the journal has ${version} events, ${promised} were recorded`] : [];
	// On XFS a file that pawl makes from the journal may be empty until it makes it again.
	wrong.push(...(await heal(site, expected, { wholeBefore: cut.fileSystem === "ext4" })));
	for (const { pid } of alive(site)) process.kill(pid, "SIGKILL");
	return wrong;
}

export async function powerLoss(options: PowerOptions): Promise<PowerFigures> {
	const { seed, minutes, workflows = WORKFLOWS, afresh = false, only = [], onProgress = () => {} } = options;
	const figures: PowerFigures = { what: "power loss", seed, points: {}, cuts: 0, seconds: 0, skipped: null, violations: [] };
	const tracer = makeTracer();
	if ("problem" in tracer) {
		figures.skipped = tracer.problem;
		onProgress(`SKIPPED: ${tracer.problem}`);
		return figures;
	}
	const start = performance.now();
	const luck = chance(seed);
	const memory = new Memory("power", afresh);
	try {
		for (const [n, workflow] of memory.order(workflows).entries()) {
			const until = (minutes * 60_000 * (n + 1)) / workflows.length;
			// To record a run takes longer than a cut.
			if (performance.now() - start > minutes * 60_000) break;
			const place = await makePlace(workflow);
			try {
				const recorded = await recordDisk(tracer, place);
				const all = shuffled(cutsOf(recorded, seed), luck.between);
				const asked = all.filter((cut) => only.some((text) => `${cutName(cut)} ${cutKey(cut)}`.includes(text)));
				const { again, left: open, tried } = memory.left(all, cutKey);
				const covered = new Set(only.length > 0 ? [] : tried.map(({ point }) => point));
				const left = only.length > 0 ? asked : [...again, ...firstOfEach(open, covered)];
				const figure = {
					...{
						changes: recorded.disk.length,
						barriers: recorded.disk.barriers().length,
						tried: only.length > 0 ? 0 : tried.length,
						covered: covered.size,
					},
					...{ kinds: new Set(all.map(({ point }) => point)).size, cuts: all.length },
				};
				figures.points[workflow] = figure;
				memory.at(workflow);
				for (const cut of left) {
					if (performance.now() - start > until) break;
					const wrong = await cutAt(recorded, cut).catch((error: unknown) => [
						`the trial itself: ${error instanceof Error ? error.stack : error}`,
					]);
					memory.tried(cutKey(cut), wrong.length === 0);
					covered.add(cut.point);
					Object.assign(figure, { tried: figure.tried + 1, covered: covered.size });
					figures.cuts++;
					figures.seconds = Math.round((performance.now() - start) / 1000);
					if (wrong.length > 0) {
						figures.violations.push(`${cutName(cut)}: ${wrong.join("; ")}`);
						onProgress(`VIOLATION ${figures.violations.at(-1)}`);
					}
					if (figures.cuts % 20 === 0) onProgress(powerLine(figures));
				}
			} finally {
				place.remove();
			}
		}
	} finally {
		tracer.remove();
	}
	figures.seconds = Math.round((performance.now() - start) / 1000);
	return figures;
}

export const powerLine = ({ seed, points, cuts, seconds, violations }: PowerFigures): string => {
	const all = Object.entries(points).map(
		([workflow, { tried, cuts: of, covered, kinds }]) => `${workflow} ${covered}/${kinds} points, ${tried}/${of} cuts`,
	);
	return `power loss seed ${seed}: ${cuts} cuts (${all.join("; ")}), ${violations.length} violations, ${seconds} s`;
};

/** Points without a cut come first. */
function firstOfEach(cuts: readonly Cut[], covered: ReadonlySet<string>): Cut[] {
	const seen = new Set(covered);
	const isFirst = new Set(cuts.filter(({ point }) => !seen.has(point) && seen.add(point)));
	return [...isFirst, ...cuts.filter((cut) => !isFirst.has(cut))];
}

function shuffled<T>(list: readonly T[], between: (low: number, high: number) => number): T[] {
	const made = [...list];
	for (let i = made.length - 1; i > 0; i--) {
		const j = between(0, i);
		[made[i], made[j]] = [made[j] as T, made[i] as T];
	}
	return made;
}
