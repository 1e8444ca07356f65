// Where real runs are killed: boundaries of the engine, and calls of git. `npm test` takes the first few of each list; the part `kills` of
// `npm run prove` takes all. Every boundary there is, in process: src/engine/crash.test.ts.
import { atPoint, type Death } from "./crash-case.ts";
import { killAtGit } from "./crash-git.ts";

export interface KillCase {
	readonly name: string;
	readonly deaths: readonly Death[];
}

// [where the run is killed, where the resume is killed]
const POINTS: readonly (readonly [string, string])[] = [
	["before attempt_ended#6", "done rollback#1"],
	["announced merge#1", "start start_attempt#1"],
	["prepared#9", "saved diff#1"],
	["start settle_edits#1", "before attempt_lost#1"],
	["done release_story#2", "halted#1"],
	["closed#1", "after advance#1"],
];

// One for each thing that pawl does with git; every call of every run is the business of `npm run durable`.
const GIT: readonly string[] = [
	"during:worktree#1",
	"before:commit-tree#1",
	"after:update-ref#9",
	"during:checkout#1",
	"after:symbolic-ref#4",
	"during:update-ref#2",
	"during:read-tree#1",
	"after:cherry-pick#1",
	"during:reset#3",
	"during:clean#4",
];

const AGAIN: readonly Death[] = [atPoint("after attempt_lost#1"), atPoint("start start_attempt#1"), () => ({})];

export const atBoundaries: readonly KillCase[] = POINTS.map(([first, second]) => ({
	name: `${first}, then ${second}`,
	deaths: [atPoint(first), atPoint(second)],
}));

export const atGitCalls: readonly KillCase[] = GIT.map((at, i) => ({
	name: at,
	deaths: [(world, round) => killAtGit(world, at, round), AGAIN[i % AGAIN.length] ?? (() => ({}))],
}));

/** How many of each list `npm test` takes. */
export const SHORT = { boundaries: 1, gitCalls: 2 } as const;

/** Any two places of the lists, one after the other: a run may not come by the second. */
export function pairOf(between: (low: number, high: number) => number): KillCase {
	const points = POINTS.flat();
	const all = [
		...points.map((point) => ({ name: point, death: atPoint(point) })),
		...GIT.map((at) => ({ name: at, death: ((world, round) => killAtGit(world, at, round)) as Death })),
	];
	const pick = () => all[between(0, all.length - 1)] as (typeof all)[number];
	const [first, second] = [pick(), pick()];
	return { name: `${first.name}, then ${second.name}`, deaths: [first.death, second.death] };
}
