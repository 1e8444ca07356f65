// One life with two deaths: a run that is killed, a resume that is killed as well, then resumes until it is over. What must
// hold afterwards is checked by the caller.
import { type Expected, journal, violations } from "./crash-checks.ts";
import { type Ended, makeWorld, snapshot, type World } from "./crash-world.ts";

// Three stories, one dependency, an accepted edit, a restart, a rejected edit, a conflict: every kind of effect is in it.
const RESTART = '[{"operation":"restart","target_step_id":"step-005","reason":"wrong file","new_description":"again"}]';
const AGENT = {
	"US-1.coding": 'sed -i "s/^3$/3 $S/" shared.txt; . "$W/do/any.coding"',
	"US-2.coding": `sed -i "s/^3$/3 $S/" shared.txt; . "$W/do/any.coding"; [ $PAWL_STEP_ID.$PAWL_ATTEMPT != step-005.1 ] || echo '${RESTART}' | edit`,
	"US-3.coding": `. "$W/do/any.coding"; echo '[{"operation":"skip","target_step_id":"step-006","reason":"no"}]' | edit`,
	"any.rebase_resolve": "git merge -q -X ours main -m merge",
};

/** The user has base checked out, with things that a merge must not touch. */
export function crashWorld(): World {
	return makeWorld({
		stories: [{ id: "US-1" }, { id: "US-2" }, { id: "US-3", depends_on: ["US-1"] }],
		agent: AGENT,
		user: (world) => {
			world.write("README.md", "put away\n");
			world.git(["stash", "-q"]);
			world.write("notes of mine.txt", "untracked\n");
			world.write("folder/of mine.txt", "untracked as well\n");
			// In git and always changing: the run's own prd.json never counts as dirt.
			world.git(["add", "prd.json"]);
			world.git(["commit", "-qm", "prd"]);
		},
	});
}

export type Death = (world: World, round: number) => Record<string, string>;

export interface Life {
	/** How each pawl ended, in order. */
	readonly ends: readonly Ended[];
	readonly kills: number;
	readonly wrong: readonly string[];
}

const MOST_RESUMES = 6;

export async function live(world: World, deaths: readonly Death[], expected: Expected = {}): Promise<Life> {
	const before = snapshot(world);
	const ends: Ended[] = [];
	for (let round = 0; round < MOST_RESUMES; round++) {
		// Killed before the run was recorded, there is nothing to resume.
		const args = journal(world) === null ? world.runArgs(2) : ["resume"];
		const ended = await world.pawl(args, deaths[round]?.(world, round) ?? {});
		ends.push(ended);
		if (ended.signal === null && round >= deaths.length - 1) break;
	}
	const last = ends.at(-1);
	const wrong = violations(world, { ...expected, before, after: snapshot(world) });
	if (last?.code !== 0) wrong.push(`the last pawl ended with ${last?.code ?? last?.signal}: ${last?.err.slice(-2000)}`);
	return { ends, kills: ends.filter((e) => e.signal === "SIGKILL").length, wrong };
}

/** At the n-th time that the engine comes by this point. */
export const atPoint =
	(point: string): Death =>
	() => ({ PAWL_CRASH_AT: point });
