// Every interleaving of a small merge queue, instead of random ones: each story passes, fails its first check or conflicts; checks end in one order or
// the other; the process is killed at each of its operations, and a person commits to base at each of them. All are merged once, and every tree on
// base has passed its check (I7, I8, I9, I17).
import assert from "node:assert/strict";
import { test } from "node:test";
import type { HarnessOptions } from "../testing/harness.suite.ts";
import { violations } from "../testing/invariants.suite.ts";
import type { Decide } from "../testing/life.suite.ts";
import { landed, queueOf, SECOND } from "./merge-queue.suite.ts";

/** One place of so many is tried; PAWL_EVERY=1 tries all of them, which takes many minutes. */
const EVERY = Number(process.env["PAWL_EVERY"] ?? 12);
/** Of two places at once, which are many more. */
const RARER = EVERY === 1 ? 1 : 15;

const FATES = ["passes", "fails", "conflicts"] as const;
type StoryFate = (typeof FATES)[number];

interface Case {
	/** Of each story, in the order of the queue. */
	readonly fates: readonly StoryFate[];
	/** The last story's check ends first. */
	readonly backwards: boolean;
}

interface Disturbed {
	/** At this boundary, from 0: the first process is killed, a person commits. */
	readonly kill?: number;
	readonly commit?: number;
	/** What the person commits is in the way of the stories that conflict. */
	readonly clashes?: boolean;
}

const MINE = "of the user.txt";
const idsOf = ({ fates }: Case): string[] => fates.map((_, n) => "ABC"[n] ?? "");
const nameOf = ({ fates, backwards }: Case, { kill, commit, clashes }: Disturbed): string =>
	`${fates.join(", ")}${backwards ? "; backwards" : ""}; killed at ${kill}, commit at ${commit}${clashes ? ", in the way" : ""}`;

interface Played {
	/** What the first process passed. */
	readonly boundaries: readonly string[];
	readonly wrong: readonly string[];
	/** Who went back to its steps, and why. */
	readonly back: readonly string[];
	/** Trees that were checked again after they had passed. */
	readonly again: readonly string[];
}

async function play(one: Case, disturbed: Disturbed = {}): Promise<Played> {
	const ids = idsOf(one);
	const fateOf = (story: string): StoryFate => one.fates[ids.indexOf(story)] ?? "passes";
	const cast: HarnessOptions["cast"] = {
		write: async ({ files, checkout, story, nth, takes }) => {
			await takes(SECOND + ids.indexOf(story) * 10);
			// A repair begins with what base has.
			if (nth > 1) checkout.mergeOurs("main");
			files.write(`${story}.txt`, `${nth}\n`);
			if (fateOf(story) === "conflicts") files.write("shared.txt", `${files.read("shared.txt") ?? ""}${story}\n`);
		},
	};
	const passes = (tree: string): boolean => ids.every((id) => fateOf(id) !== "fails" || !tree.includes(`${id}1`));
	const { h, checked } = queueOf({
		cast,
		stories: ids,
		options: { agents: ids.length, slots: ids.map((_, n) => n + 1) },
		passes,
		takes: (tree) => SECOND * (one.backwards ? 5 - tree.split(" ").length : 2 + tree.split(" ").length),
	});
	try {
		await h.create();
		const wrong: string[] = [];
		let passed = 0;
		let mine: string | null = null;
		const decide: Decide = () => {
			const at = passed++;
			if (at === disturbed.commit) {
				h.site.user.files.write(disturbed.clashes ? "shared.txt" : MINE, "mine\n");
				mine = h.site.user.commitAll("mine");
			}
			return at === disturbed.kill ? "die" : "go";
		};
		const first = await h.drive(decide);
		if (first.how === "failed") throw first.error;
		if (first.how === "killed") wrong.push(...halfDone(h));
		const state = first.how === "halted" ? first.state : await h.toHalt();
		wrong.push(...(await violations(h)));
		if (state.status !== "completed") wrong.push(`I17 it is ${state.status}: ${state.reason}`);
		const on = landed(h).filter((subject) => subject !== "mine");
		if (on.toSorted().join() !== ids.join()) wrong.push(`I7 on base: ${on.join(" ")}`);
		const base = h.site.git.refs.get("refs/heads/main") ?? "";
		if (mine !== null && !h.site.git.ancestors(base).has(mine)) wrong.push("I8 a person's commit is gone");
		const back = (await h.events()).flatMap((e) =>
			e.event === "route_taken" && (e.signal === "conflict" || e.signal === "checks_failed") ? [`${e.scope} ${e.signal}`] : [],
		);
		const trees = checked.filter(({ tree, ended }) => ended && passes(tree)).map(({ tree }) => tree);
		const again = trees.filter((tree, n) => trees.indexOf(tree) < n);
		return { boundaries: first.life.boundaries, wrong, back, again };
	} finally {
		h.remove();
	}
}

/** A process that dies leaves base with whole merges, and the person's checkout on it without a change. */
function halfDone({ site }: ReturnType<typeof queueOf>["h"]): string[] {
	const committed = site.user.committed();
	const tree = site.user.look();
	const same = committed.size === tree.size && [...tree].every(([path, text]) => committed.get(path) === text);
	return same ? [] : ["the person's checkout is not what base has"];
}

const cases = (stories: number): Case[] => {
	const fates = Array.from({ length: stories }).reduce<StoryFate[][]>(
		(all) => all.flatMap((list) => FATES.map((fate) => [...list, fate])),
		[[]],
	);
	return fates.flatMap((list) => [false, true].map((backwards) => ({ fates: list, backwards })));
};

/** Where the queue is at work: from the first merge that starts to the last that ends. Inputs are committed, so a commit of its own is the same place. */
function placesOf(boundaries: readonly string[]): { readonly kills: number[]; readonly commits: number[] } {
	const isMerge = (name: string): boolean => /^(before|after) (merge|stack)$/.test(name);
	const [first, last] = [boundaries.findIndex(isMerge), boundaries.findLastIndex(isMerge)];
	const named = (how: RegExp): number[] => boundaries.flatMap((name, at) => (at >= first && at <= last && how.test(name) ? [at] : []));
	return { kills: named(/^after (?!commit$)/), commits: named(/^before (?!commit$)/) };
}

/** The person's commit is in the way of the stories that conflict, or of none. */
const clashing = ({ fates }: Case): boolean[] => (fates.includes("conflicts") ? [false, true] : [false]);

type Ways = (one: Case, boundaries: readonly string[], isWanted: () => boolean) => AsyncIterable<Disturbed>;

/** Killed; killed, and a person commits before it goes on; a person commits. */
async function* once(one: Case, boundaries: readonly string[], isWanted: () => boolean): AsyncGenerator<Disturbed> {
	const { kills, commits } = placesOf(boundaries);
	for (const kill of kills) {
		if (isWanted()) yield { kill };
		for (const clashes of clashing(one)) if (isWanted()) yield { kill, commit: kill, clashes };
	}
	for (const commit of commits) for (const clashes of clashing(one)) if (isWanted()) yield { commit, clashes };
}

/** A person commits, and at any place after that the process is killed. */
async function* both(one: Case, boundaries: readonly string[], isWanted: () => boolean): AsyncGenerator<Disturbed> {
	for (const commit of placesOf(boundaries).commits)
		for (const clashes of clashing(one)) {
			if (!isWanted()) continue;
			// It goes on in another way from there.
			const { kills } = placesOf((await play(one, { commit, clashes })).boundaries);
			for (const kill of kills) if (kill > commit && isWanted()) yield { commit, kill, clashes };
		}
}

/** Each case with each way to disturb it. */
async function all(stories: number, ways: Ways, every: number): Promise<{ readonly tried: number; readonly wrong: readonly string[] }> {
	let [tried, asked] = [0, 0];
	const wrong: string[] = [];
	for (const one of cases(stories)) {
		const calm = await play(one);
		wrong.push(...[...calm.wrong, ...asMeant(one, calm)].map((text) => `${nameOf(one, {})}: ${text}`));
		for await (const disturbed of ways(one, calm.boundaries, () => asked++ % every === 0)) {
			tried++;
			const found = await play(one, disturbed).then(
				(played) => played.wrong,
				(error: unknown) => [String(error)],
			);
			wrong.push(...found.map((text) => `${nameOf(one, disturbed)}: ${text}`));
		}
	}
	return { tried, wrong };
}

/** Undisturbed, the stories fare as the case says, nobody else goes back, and no tree that has passed is checked again. */
function asMeant({ fates }: Case, { back, again }: Played): string[] {
	const clash = fates.filter((fate) => fate === "conflicts").length > 1;
	const wrong = again.map((tree) => `${tree} was checked again`);
	if (back.some((one) => one.endsWith("conflict")) !== clash) wrong.push(`it went back: ${back.join(", ")}`);
	for (const [n, fate] of fates.entries())
		if (back.includes(`${"ABC"[n]} checks_failed`) !== (fate === "fails")) wrong.push(`it went back: ${back.join(", ")}`);
	return wrong;
}

test("two stories, and the process is killed or a person commits at any place", async () => {
	const { tried, wrong } = await all(2, once, EVERY);
	assert.deepEqual(wrong, []);
	assert.ok(tried > 1_500 / EVERY, `only ${tried} places were found`);
});

test("two stories, a person commits at any place, and later the process is killed at any place", async () => {
	const { tried, wrong } = await all(2, both, RARER);
	assert.deepEqual(wrong, []);
	assert.ok(tried > 0);
});

test("three stories, and the process is killed or a person commits at any place", async () => {
	const { tried, wrong } = await all(3, once, EVERY === 1 ? 1 : 40 * EVERY);
	assert.deepEqual(wrong, []);
	assert.ok(tried > 0);
});
