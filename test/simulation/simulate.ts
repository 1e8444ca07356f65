// One history: a random world, a process that is killed, slowed down and failed at random, a store that loses answers, a user who works on
// base and pauses, then the healing: when the faults stop, the run must come to its end. Answers with what did not hold.
import type { Input } from "../../src/core/input.ts";
import { Harness } from "../../src/engine/testing/harness.suite.ts";
import { violations } from "../../src/engine/testing/invariants.suite.ts";
import type { Decide } from "../../src/engine/testing/life.suite.ts";
import { WorkspaceError } from "../../src/workspace.ts";
import { type Chance, chance } from "../support/soak-chance.ts";
import { MINE, randomWorld } from "./world.ts";

const MINUTE = 60_000;
/** Processes that may have faults; then as many in which all goes well. */
const BAD_LIVES = 12;
const GOOD_LIVES = 12;

export interface History {
	readonly seed: number;
	readonly wrong: readonly string[];
	readonly kills: number;
	readonly failures: number;
	readonly events: number;
	readonly landed: number;
	/** The journal as text, without what differs from machine to machine. */
	readonly journal: string;
}

export async function simulate(seed: number): Promise<History> {
	const luck = chance(seed);
	const { options, heal } = randomWorld(luck);
	const h = new Harness({ ...options, pulled: luck.happens(0.25) });
	const figures = { kills: 0, failures: 0 };
	const foreign: string[] = [];
	const wrong: string[] = [];
	try {
		await h.create();
		h.store.fault = () => (luck.happens(0.004) ? (luck.happens(0.5) ? "fail" : "lose") : null);
		for (let n = 0; n < BAD_LIVES + GOOD_LIVES; n++) {
			const isBad = n < BAD_LIVES;
			if (n === BAD_LIVES) {
				heal();
				h.store.fault = () => null;
			}
			if (isBad) userActs(h, luck, foreign);
			const first = n === 0 ? undefined : await saidBy(h);
			const ended = h.options.pulled
				? await pulled(h, first, isBad ? faults(luck) : undefined)
				: await h.drive(isBad ? faults(luck) : undefined, first);
			if (ended.how === "killed") figures.kills++;
			if (ended.how === "failed") figures.failures++;
			if (ended.how === "failed" && !isBad) wrong.push(`it failed without a fault: ${ended.error}`);
			if (ended.how === "halted") wrong.push(...(await violations(h)).map((text) => `after ${n + 1} lives: ${text}`));
			if (wrong.length > 0 || (ended.how === "halted" && ended.state.status === "completed")) break;
		}
		wrong.push(...(await atTheEnd(h, foreign)));
	} catch (error) {
		wrong.push(`the simulation itself: ${error instanceof Error ? error.stack : error}`);
	}
	const state = await h.state();
	const journal = JSON.stringify(await h.events()).replaceAll(h.folder, "");
	const landed = state.stories.filter((story) => story.status === "completed").length;
	h.remove();
	return { seed, wrong, ...figures, events: state.version, landed, journal };
}

/** What befalls a process at its boundaries. */
function faults(luck: Chance): Decide {
	const kill = luck.happens(0.7) ? 0.01 : 0;
	return (boundary) => {
		if (luck.happens(kill)) return "die";
		if (!boundary.startsWith("before ")) return "go";
		if (luck.happens(0.05)) return { wait: luck.between(1, 20_000) };
		if (/^before (claim|reopen|commit work|rollback|merge|release)$/.test(boundary) && luck.happens(0.01))
			return { fail: luck.happens(0.7) ? new WorkspaceError("the disk is full") : new Error("a bug") };
		return "go";
	};
}

/** The user works on base, leaves it dirty for a while, or stops the run from another terminal. */
function userActs(h: Harness, luck: Chance, foreign: string[]): void {
	const { user } = h.site;
	if (luck.happens(0.4))
		h.clock.after(luck.between(1, 60) * MINUTE, () => {
			user.files.write(`user-${foreign.length}.txt`, "mine\n");
			// Committed alone, as `git commit FILE` does it.
			const mine = user.files.read(MINE) ?? "";
			user.files.remove(MINE);
			foreign.push(user.commitAll("by the user"));
			user.files.write(MINE, mine);
		});
	if (luck.happens(0.3)) {
		const begin = luck.between(1, 60) * MINUTE;
		h.clock.after(begin, () => user.files.write("README.md", "being edited\n"));
		h.clock.after(begin + luck.between(1, 90) * MINUTE, () => user.files.write("README.md", user.committed().get("README.md") ?? ""));
	}
	if (luck.happens(0.15)) h.clock.after(luck.between(1, 90) * MINUTE, () => void h.post({ type: "stop", at: 0, how: "pause" }));
	if (luck.happens(0.15)) h.clock.after(luck.between(1, 90) * MINUTE, () => void h.post({ type: "steer", at: 0, text: "mind the tests" }));
}

/** What a person says before the run goes on: failed stories are tried again. */
async function saidBy(h: Harness): Promise<readonly Input[]> {
	const at = h.clock.now();
	const failed = (await h.state()).stories.some((story) => story.status === "failed");
	return [...(failed ? [{ type: "retry_story", at, story: null } as const] : []), { type: "resume", at }, { type: "advance", at }];
}

/** A pulled run is told by its inbox. */
async function pulled(h: Harness, said: readonly Input[] | undefined, decide: Decide | undefined) {
	for (const input of said ?? []) await h.post(input);
	return h.pull(decide);
}

/** When the faults have stopped: every story has landed, with the user's work untouched. */
async function atTheEnd(h: Harness, foreign: readonly string[]): Promise<string[]> {
	const state = await h.state();
	const wrong: string[] = [];
	if (state.status !== "completed") wrong.push(`it came to ${state.status} (${state.reason}) and stayed there`);
	const base = h.site.git.ancestors(h.site.git.refs.get("refs/heads/main") ?? "");
	for (const commit of foreign) if (!base.has(commit)) wrong.push(`a commit of the user is gone from base: ${commit}`);
	if (h.site.user.files.read(MINE) !== "mine\n") wrong.push("the user's own file was touched");
	const files = h.site.show("main");
	for (const story of state.stories)
		if (story.status === "completed" && files[`${story.id}.txt`] !== `${story.id}\n`) wrong.push(`the work on ${story.id} is not on base`);
	if (Object.keys(files).some((path) => path === "sneaky.txt" || path === MINE))
		wrong.push("something is on base that does not belong there");
	return wrong;
}
