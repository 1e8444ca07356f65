// Many runs with random stories, killed at random moments until they are done, each checked as in the crash tests. All chance
// comes from one seed; what the machine's timing adds cannot be repeated, so a violation keeps its repository.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { parseWorkflowState } from "../../src/format/workflow-state/document.ts";
import { type Expected, journal, marked, violations } from "./crash-checks.ts";
import { type Ended, killGroup, makeWorld, type Started, type StoryPlan, snapshot, until, type World } from "./crash-world.ts";
import { type Chance, chance } from "./soak-chance.ts";
import { inCompany } from "./soak-company.ts";

export interface SoakOptions {
	readonly seed: number;
	/** Ends when so many kills were made, or so much time has passed and there was one, and the run under way is over. */
	readonly kills: number;
	readonly ms: number;
	/** A run that is under way so long after that is given up, without a verdict. */
	readonly patienceMs: number;
	readonly say: (text: string) => void;
	/** Every third round is one in company. */
	readonly company: boolean;
	/** Repositories of violations stay. */
	readonly keep: boolean;
}

export interface SoakFigures {
	readonly seed: number;
	runs: number;
	kills: number;
	terms: number;
	/** Attempts that a killed pawl lost and a later one recovered. */
	recoveries: number;
	retries: number;
	stories: number;
	conflicts: number;
	seconds: number;
	/** The last run was given up when the time was over. */
	isGivenUp: boolean;
	readonly violations: string[];
}

const SAY_MS = 10_000;
const GIVEN_UP = Symbol("given up");

export async function soak(options: SoakOptions): Promise<SoakFigures> {
	const figures: SoakFigures = {
		seed: options.seed,
		runs: 0,
		kills: 0,
		terms: 0,
		recoveries: 0,
		retries: 0,
		stories: 0,
		conflicts: 0,
		seconds: 0,
		isGivenUp: false,
		violations: [],
	};
	const start = performance.now();
	const goesOn = () => figures.kills < options.kills && (performance.now() - start < options.ms || figures.kills === 0);
	const over = wait(options.ms + options.patienceMs, GIVEN_UP, { ref: false });
	let said = start;
	for (let n = 0; goesOn(); n++) {
		const luck = chance(options.seed * 1000 + n);
		// Every third in company. The world is made in there.
		const company = options.company && n % 3 === 2;
		let world: World | null = company ? null : randomWorld(luck);
		const round = world === null ? inCompany(luck, figures, (made) => (world = made)) : oneRun(world, luck, figures);
		const wrong = await Promise.race([round.catch((error: unknown) => [`the soak itself: ${error}`]), over]);
		if (wrong === GIVEN_UP) {
			// What still drives it would start the next pawl: the caller ends the process.
			figures.isGivenUp = true;
			world?.remove();
			break;
		}
		figures.runs += company ? 2 : 1;
		for (const text of wrong) {
			figures.violations.push(`run ${n}: ${text}`);
			options.say(`VIOLATION in run ${n}${options.keep ? ` (${world?.folder})` : ""}: ${text}`);
		}
		if (wrong.length === 0 || !options.keep) world?.remove();
		else world?.stop();
		figures.seconds = Math.round((performance.now() - start) / 1000);
		if (performance.now() - said > SAY_MS) {
			said = performance.now();
			options.say(line(figures));
		}
	}
	figures.seconds = Math.round((performance.now() - start) / 1000);
	return figures;
}

export const line = (f: SoakFigures): string =>
	`soak seed ${f.seed}: ${f.runs} runs, ${f.kills} kills, ${f.terms} terms, ${f.recoveries} recoveries, ${f.retries} retries, ` +
	`${f.stories} stories merged, ${f.conflicts} conflicts, ${f.violations.length} violations, ${f.seconds} s`;

function randomWorld(luck: Chance): World {
	const count = luck.between(3, 8);
	const ids = Array.from({ length: count }, (_, i) => `US-${i + 1}`);
	const stories: StoryPlan[] = ids.map((id, i) => ({
		id,
		priority: luck.between(1, 5),
		depends_on: ids.slice(0, i).filter(() => luck.happens(0.25)),
	}));
	const agent: Record<string, string> = {
		"any.rebase_resolve": "git merge -q -X ours main -m merge",
		"any.linting": luck.happens(0.5) ? "sleep 0.05" : "(setsid sleep 60 > /dev/null 2>&1 &)",
	};
	for (const id of ids) agent[`${id}.coding`] = randomCoding(luck);
	return makeWorld({
		stories,
		agent,
		...(luck.happens(0.4) ? { config: "checks:\n  test: sleep 0.2; test -e README.md\n" } : {}),
		user: (world) => {
			world.write("README.md", "put away\n");
			world.git(["stash", "-q"]);
			world.write("mine/of the user.txt", "untracked\n");
			if (luck.happens(0.7)) return;
			// Base is not checked out: the user works elsewhere, with all kinds of changes.
			world.git(["checkout", "-q", "-b", "elsewhere"]);
			world.write("README.md", "staged\n");
			world.git(["add", "README.md"]);
			world.write("README.md", "changed after that\n");
		},
	});
}

function randomCoding(luck: Chance): string {
	const lines = [
		luck.happens(0.3) ? 'sed -i "s/^3.*$/3 $S/" shared.txt' : "",
		`sleep ${luck.between(0, 15) / 100}`,
		'. "$W/do/any.coding"',
	];
	if (luck.happens(0.15)) lines.push("sleep 0.1; if once fail; then echo broken >&2; exit 3; fi");
	const operation = (text: string) => `echo '[{"target_step_id":"'$PAWL_STEP_ID'","reason":"r",${text}}]' | edit; fi`;
	switch (luck.between(1, 8)) {
		case 1:
		case 2:
			lines.push(`if once restart; then ${operation('"operation":"restart","new_description":"again"')}`);
			break;
		case 3:
			lines.push(`if once add; then ${operation('"operation":"add_after","new_steps":[{"type":"coding","description":"more"}]')}`);
			break;
		case 4:
			lines.push("if once wrong; then echo 'not json' | edit; fi");
	}
	return lines.join("\n");
}

const MOST_ROUNDS = 60;

async function oneRun(world: World, luck: Chance, figures: SoakFigures): Promise<string[]> {
	const before = snapshot(world);
	const foreign: string[] = [];
	const wrong: string[] = [];
	const env = luck.happens(0.25) ? { PAWL_ISOLATION: "none" } : {};
	const agents = luck.between(1, 4);
	const deaths = luck.between(1, 7);
	for (let round = 0; ; round++) {
		if (round > MOST_ROUNDS) return [...wrong, "it did not come to its end"];
		const pawl = world.start(command(world, luck, agents, figures), env);
		const ended = round < deaths ? await killSomehow(world, pawl, luck, figures) : await atMost(pawl);
		wrong.push(...midway(world, ended));
		if (wrong.length > 0) return wrong;
		if (ended.code === 0) break;
		if (before["head"] === "refs/heads/main" && luck.happens(0.15)) foreign.push(...userCommits(world, round));
	}
	const found = journal(world);
	figures.recoveries += found?.events.filter((e) => e.event === "step_failed" && e.signal === "lost").length ?? 0;
	figures.conflicts += found?.events.filter((e) => e.event === "route_taken" && e.signal === "conflict").length ?? 0;
	figures.stories += found?.state.stories.filter((s) => s.status === "completed").length ?? 0;
	const expected: Expected = { foreign, before, after: snapshot(world) };
	return [...wrong, ...violations(world, expected)];
}

/** What a person would type next. */
function command(world: World, luck: Chance, agents: number, figures: SoakFigures): string[] {
	const found = journal(world);
	const base = ["--base", "main"];
	if (found === null) return world.runArgs(agents, base);
	if (found.state.status === "failed" && found.open === 0) {
		figures.retries++;
		return ["retry", "latest"];
	}
	// A plain second start on the same file goes on with the run as well.
	return luck.happens(0.2) && found.state.status !== "completed" && found.state.status !== "failed"
		? world.runArgs(agents, base)
		: ["resume"];
}

async function killSomehow(world: World, pawl: Started, luck: Chance, figures: SoakFigures): Promise<Ended> {
	// Mostly not while it starts: on a busy machine that alone may take longer than any moment that is chosen beforehand.
	const busy = luck.happens(0.85) ? until("it says something", () => pawl.text() !== "" || hasEnded(pawl), 20_000) : Promise.resolve();
	const moment = busy.then(() => wait(luck.between(20, 1800))).then(() => null);
	const first = await Promise.race([pawl.ended, moment.catch(() => null)]);
	if (first !== null) return first;
	const how = luck.between(1, 10);
	if (how <= 2) {
		figures.terms++;
		process.kill(pawl.pid, how === 1 ? "SIGTERM" : "SIGINT");
		// Not always given the time to stop in order.
		if (luck.happens(0.6)) return await atMost(pawl);
		await wait(luck.between(0, 100));
	}
	figures.kills++;
	const run = journal(world)?.run;
	if (how <= 4) killGroup(pawl.pid);
	else if (!hasEnded(pawl)) process.kill(pawl.pid, "SIGKILL");
	if (how >= 9 && run !== undefined) for (const text of marked(run)) killGroup(Number(text.split(" ")[0]));
	return await pawl.ended;
}

/** A pawl takes seconds, on a machine that is busy with other things a minute; one that hangs does not end at all. */
const LONGEST_MS = 5 * 60_000;

const hasEnded = ({ child }: Started): boolean => child.exitCode !== null || child.signalCode !== null;

async function atMost(pawl: Started): Promise<Ended> {
	let ended: Ended | null = null;
	void pawl.ended.then((e) => {
		ended = e;
	});
	await until(`pawl ends; it said ${pawl.text().slice(-500)}`, () => ended !== null, LONGEST_MS);
	return pawl.ended;
}

/** What holds at any moment, also of a run that was killed just now. */
function midway(world: World, ended: Ended): string[] {
	const wrong: string[] = [];
	const found = journal(world);
	const failed = found?.state.stories.some((s) => s.status === "failed") ?? false;
	// A signal that comes before pawl listens ends it as any program.
	const fine = ended.signal !== null || [0, 130, 143].includes(ended.code ?? -1) || (ended.code === 1 && failed);
	if (!fine) wrong.push(`pawl ended with ${ended.code ?? ended.signal}: ${ended.err.slice(-1500)}`);
	if (found === null) return wrong;
	if (!found.dense) wrong.push("the versions of the journal have a gap");
	const file = join(found.sharedDir, "workflow_state.json");
	const parsed = existsSync(file) ? parseWorkflowState(readFileSync(file, "utf8")) : null;
	if (parsed !== null && !parsed.ok) wrong.push(`workflow_state.json is torn: ${JSON.stringify(parsed)}`);
	const log = world.git(["log", "--format=%(trailers:key=Pawl-Story,valueonly,separator=)", `${world.first}..refs/heads/main`]).split("\n");
	const prd = JSON.parse(readFileSync(world.prd, "utf8")) as { userStories: { id: string; passes: boolean }[] };
	for (const { id, passes } of prd.userStories) if (passes && !log.includes(id)) wrong.push(`${id} passes and is not on base`);
	for (const story of found.state.stories)
		if (story.status === "completed" && !log.includes(story.id)) wrong.push(`${story.id} is completed and not on base`);
	return wrong;
}

/** Somebody moves base between two starts, unless a merge that was cut short still has the checkout. */
function userCommits(world: World, round: number): string[] {
	if (existsSync(join(world.root, ".git", "index.lock"))) return [];
	world.write(`users/${round}.txt`, "of the user\n");
	world.git(["add", "users"]);
	world.git(["commit", "-qm", `of the user ${round}`]);
	return [world.git(["rev-parse", "HEAD"])];
}
