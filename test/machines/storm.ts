// Runs of many stories on three workers while all kinds of things go wrong, checked when the faults are over: every story is on base once, nothing that was
// decided is lost or doubled, what a person put on base is there and what they took off stays off. All chance comes from one seed; what the machine's
// timing adds cannot be repeated.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { marked } from "../support/crash-checks.ts";
import { type Chance, chance } from "../support/soak-chance.ts";
import { type FaultName, Storm } from "./storm-faults.ts";
import { StormServer } from "./storm-server.ts";
import { StormWorld } from "./storm-world.ts";

export interface StormOptions {
	readonly seed: number;
	readonly ms: number;
	readonly stories: number;
	readonly keep: boolean;
	say(text: string): void;
}

export interface StormFigures {
	readonly seed: number;
	runs: number;
	stories: number;
	faults: number;
	/** Of workers, for the sum of all parts. */
	kills: number;
	readonly kinds: Partial<Record<FaultName, number>>;
	retries: number;
	seconds: number;
	readonly violations: string[];
}

/** After the last fault. */
const HEALED_MS = 240_000;
const BETWEEN_MS = [100, 1_500] as const;

export async function storm(options: StormOptions): Promise<StormFigures> {
	const figures: StormFigures = {
		seed: options.seed,
		runs: 0,
		stories: 0,
		faults: 0,
		kills: 0,
		kinds: {},
		retries: 0,
		seconds: 0,
		violations: [],
	};
	const begun = performance.now();
	const server = await StormServer.start();
	try {
		for (let n = 0; performance.now() - begun < options.ms; n++) {
			const luck = chance(options.seed * 1000 + n);
			const stories = Array.from({ length: options.stories }, (_, i) => `US-${i + 1}`);
			const world = await StormWorld.make(server, `storm_${n}`, stories, (luck.between(2, 20) / 10).toFixed(1));
			const left = () => options.ms - (performance.now() - begun);
			const wrong = await oneStorm(world, luck, left, figures).catch((error: unknown) => [`the storm itself: ${error}`]);
			for (const text of wrong) {
				figures.violations.push(`run ${n}: ${text}`);
				options.say(`VIOLATION in run ${n}${options.keep ? ` (${world.folder})` : ""}: ${text}`);
			}
			await world.remove(options.keep && wrong.length > 0);
			figures.seconds = Math.round((performance.now() - begun) / 1000);
			options.say(line(figures));
		}
	} finally {
		await server.stop();
	}
	return figures;
}

export const line = (f: StormFigures): string =>
	`machines seed ${f.seed}: ${f.runs} runs, ${f.stories} stories merged, ${f.faults} faults (${Object.entries(f.kinds)
		.map(([name, count]) => `${name} ${count}`)
		.join(", ")}), ${f.retries} retries, ${f.violations.length} violations, ${f.seconds} s`;

async function oneStorm(world: StormWorld, luck: Chance, left: () => number, figures: StormFigures): Promise<string[]> {
	const storm = new Storm(world, luck);
	const person = { over: false, calm: false };
	const following = follow(world, storm, person, figures);
	while (!person.over && left() > 0) {
		await wait(luck.between(...BETWEEN_MS));
		if (!person.over) await storm.next();
	}
	await storm.heal();
	person.calm = true;
	const wrong = await Promise.race([following, wait(HEALED_MS, null, { ref: false })]);
	if (wrong === null) return [`I17 all goes well, and the run does not end:\n${storm.follower?.said().slice(-1500)}\n${storm.said()}`];
	await storm.end();
	// A run that did not come to its end has not got anything that could be looked at.
	if (wrong.length > 0) return [...wrong, storm.said()];
	figures.runs++;
	figures.faults += storm.faults;
	figures.kills += storm.counts.kill ?? 0;
	for (const [name, count] of Object.entries(storm.counts))
		figures.kinds[name as FaultName] = (figures.kinds[name as FaultName] ?? 0) + count;
	figures.stories += world.stories.length;
	return [...storm.wrong, ...ofBase(world, storm), ...(await ofJournal(world))];
}

/** Undefined if there is none yet. The server may be away; a person would ask again, and not start the same a second time. */
async function newest(world: StormWorld): Promise<Record<string, unknown> | undefined> {
	for (;;) {
		try {
			return (await world.query("SELECT id, status FROM pawl.runs"))[0];
		} catch (error) {
			if (/does not exist/.test(String(error))) return undefined;
			await wait(300);
		}
	}
}

/** Starts the run and follows it; whoever does that may be killed, and the next one takes it from there. */
async function follow(world: StormWorld, storm: Storm, person: { over: boolean; calm: boolean }, figures: StormFigures): Promise<string[]> {
	const start = [
		"run",
		"dynamic",
		"--prd",
		"prd.json",
		"--agents",
		"6",
		"--agent",
		"command",
		"--agent-command",
		join(world.me, "agent.sh"),
	];
	let args = start;
	try {
		for (let turn = 0; turn < 200; turn++) {
			storm.follower = world.pawl(...args);
			const { code, signal } = await storm.follower.ended;
			const said = storm.follower.said();
			if (code === 0) return [];
			const run = await newest(world);
			args =
				run === undefined
					? start
					: [run["status"] === "failed" ? "retry" : "resume", String(run["id"]), ...(run["status"] === "failed" ? ["--resume"] : [])];
			if (args[0] === "retry") figures.retries++;
			// A step that was cut off too often has failed its story; nothing else may.
			if (signal === null && code === 1 && !/orchestrator restart|cannot be|unreachable|database/.test(said))
				return [`it ended with 1: ${said.slice(-1500)}`];
			if (signal === null && code !== 1 && person.calm) return [`it ended with ${code}: ${said.slice(-1500)}`];
		}
		return ["200 commands were not enough"];
	} finally {
		person.over = true;
	}
}

function ofBase(world: StormWorld, storm: Storm): string[] {
	const log = (format: string): string[] => world.git(["log", `--format=${format}`, "main"], world.shared).split("\n");
	const [landed, shas] = [log("%(trailers:key=Pawl-Story,valueonly,separator=)"), new Set(log("%H"))];
	const { userStories } = JSON.parse(readFileSync(join(world.me, "prd.json"), "utf8")) as {
		userStories: { id: string; passes?: boolean }[];
	};
	const fsck = world.git(["fsck", "--strict", "--no-dangling"], world.shared);
	return [
		...world.stories.flatMap((id) => {
			const times = landed.filter((one) => one === id).length;
			return times === 1 ? [] : [`I7 ${id} is on base ${times} times`];
		}),
		...world.stories.flatMap((id) =>
			world.git(["show", `main:${id}.txt`], world.shared) === id ? [] : [`I7 ${id}.txt is not what ${id} wrote`],
		),
		// Whoever follows the run keeps the file. If they were killed, the run may have ended when nobody did.
		...userStories
			.filter(({ passes }) => passes !== true && storm.counts.follower === undefined)
			.map(({ id }) => `prd.json does not say that ${id} passes`),
		...storm.kept.filter((sha) => !shas.has(sha)).map((sha) => `G-03 commit ${sha} of the person is not on base`),
		...storm.rewound.filter((sha) => shas.has(sha)).map((sha) => `A10 commit ${sha}, which the person took off base, is there again`),
		...(fsck === "" ? [] : [`git fsck: ${fsck}`]),
	];
}

async function ofJournal(world: StormWorld): Promise<string[]> {
	const events = (await world.query("SELECT run_id, version, event, data FROM pawl.events ORDER BY run_id, version")) as {
		run_id: string;
		version: number;
		event: string;
		data: string;
	}[];
	const runs = [...new Set(events.map(({ run_id }) => run_id))];
	const seen = new Map<string, number>();
	for (const { event, data } of events) {
		const { scope, step, attempt } = JSON.parse(data) as { scope?: string; step?: string; attempt?: number };
		const key = event === "story_completed" ? `${event} ${scope}` : attempt === undefined ? null : `${event} ${scope} ${step} ${attempt}`;
		if (key !== null && /^(story_completed|step_(started|prepared|completed|failed)) /.test(key)) seen.set(key, (seen.get(key) ?? 0) + 1);
	}
	/** What the journal says about the step of such a key. */
	const storyOf = (key: string): string => {
		const [, scope = "", step = ""] = key.split(" ");
		const about = events.filter(({ data }) => data.includes(`"scope":"${scope}"`) && (step === "" || data.includes(`"step":"${step}"`)));
		return about.map(({ version, data }) => `    ${version} ${data.slice(0, 250)}`).join("\n");
	};
	const [effects] = await world.query("SELECT count(*)::int AS n FROM pawl.effects WHERE NOT done");
	const [inbox] = await world.query("SELECT count(*)::int AS n FROM pawl.inbox");
	const [lanes] = await world.query("SELECT count(*)::int AS n FROM pawl.lanes WHERE until > now()");
	return [
		...(runs.length === 1 ? [] : [`there are ${runs.length} runs`]),
		...(events.every(({ version }, i) => version === i + 1) ? [] : ["I1 the versions of the journal have a gap"]),
		...[...seen].filter(([, times]) => times > 1).map(([key, times]) => `I2 ${key}: ${times} times\n${storyOf(key)}`),
		...(effects?.["n"] === 0 ? [] : [`${effects?.["n"]} effects were never carried out`]),
		...(inbox?.["n"] === 0 ? [] : [`${inbox?.["n"]} inputs were never taken`]),
		...(lanes?.["n"] === 0 ? [] : [`${lanes?.["n"]} lanes are still held`]),
		...runs.flatMap((run) => marked(run)).map((one) => `I11 still alive: ${one}`),
	];
}
