// The server of the database is away for a minute while agents work. Workers keep their stories for three minutes without a sign of life, as they do by
// default: no attempt may be lost, and every story has to land at its first try.
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { StormServer } from "./storm-server.ts";
import { StormWorld } from "./storm-world.ts";

const STORIES = ["US-1", "US-2", "US-3", "US-4"];
/** The sessions that write begin before the server goes and end while it is away. */
const SESSION_S = "30";
const LEASE = "3m";

export interface AwayFigures {
	readonly awayMs: number;
	stories: number;
	attempts: number;
	readonly violations: string[];
}

export async function away(awayMs: number): Promise<AwayFigures> {
	const figures: AwayFigures = { awayMs, stories: 0, attempts: 0, violations: [] };
	const server = await StormServer.start();
	const world = await StormWorld.make(server, "away", STORIES, SESSION_S);
	try {
		for (const name of ["a", "b"]) world.worker(name, LEASE);
		const agent = ["--agent", "command", "--agent-command", join(world.me, "agent.sh")];
		const run = world.pawl("run", "dynamic", "--prd", "prd.json", "--agents", String(STORIES.length), ...agent);
		while ((await writingIn(world)).length < STORIES.length) await wait(200);
		await server.crash();
		await wait(awayMs);
		await server.start();
		const { code } = await run.ended;
		if (code !== 0) figures.violations.push(`the run ended with ${code}: ${run.said().slice(-1500)}`);
		figures.attempts = (await attemptsOf(world)).length;
		// A step that is lost goes on as a copy of itself.
		const lost = await world.query("SELECT data FROM pawl.events WHERE event = 'route_taken' AND data LIKE '%\"signal\":\"lost\"%'");
		for (const { data } of lost) figures.violations.push(`an attempt was lost: ${data}`);
		const landed = world.git(["log", "--format=%(trailers:key=Pawl-Story,valueonly,separator=)", "main"], world.shared).split("\n");
		for (const story of STORIES) {
			const times = landed.filter((one) => one === story).length;
			if (times !== 1) figures.violations.push(`${story} is on base ${times} times`);
			figures.stories += times;
		}
	} finally {
		await world.remove(false);
		await server.stop();
	}
	return figures;
}

/** The steps of all attempts that have begun. */
async function attemptsOf(world: StormWorld): Promise<string[]> {
	const rows = (await world.query("SELECT data FROM pawl.events WHERE event = 'step_prepared'").catch(() => [])) as { data: string }[];
	return rows.map(({ data }) => (JSON.parse(data) as { step: string }).step);
}

/** Those of the sessions that write. */
const writingIn = async (world: StormWorld): Promise<string[]> => (await attemptsOf(world)).filter((step) => step === "step-005");
