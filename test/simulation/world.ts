// A random world around a run of `dynamic`: stories, agents that succeed, fail, dawdle or ask for edits, checks that fail at times, a user who
// works on base. All chance comes from one seed, so a seed is a whole history, and the same one each time.
import type { StorySeed } from "../../src/core/input.ts";
import { storyOf } from "../../src/core/testing/builders.suite.ts";
import { BUILT_IN } from "../../src/engine/testing/built-in.suite.ts";
import { fails, type Part, type Turn } from "../../src/engine/testing/cast.suite.ts";
import type { HarnessOptions } from "../../src/engine/testing/harness.suite.ts";
import type { Chance } from "../support/soak-chance.ts";

const SUMMARY = "## SUMMARY\n- done\n";
const MINUTE = 60_000;
/** The user's own file, which nobody may touch. */
export const MINE = "notes of mine.txt";

export interface RandomWorld {
	readonly options: HarnessOptions;
	/** From now on everything goes well. */
	heal(): void;
}

export function randomWorld(luck: Chance): RandomWorld {
	let bad = true;
	const happens = (share: number): boolean => bad && luck.happens(share);
	const ids = Array.from({ length: luck.between(1, 5) }, (_, n) => `US-${n + 1}`);
	const stories = ids.map(
		(id, n): StorySeed => storyOf(id, { priority: luck.between(1, 3), dependsOn: ids.slice(0, n).filter(() => luck.happens(0.25)) }),
	);
	const edits = (step: string): unknown => {
		const reason = "chance";
		switch (luck.between(1, 5)) {
			case 1:
				return [{ operation: "restart", target_step_id: step, reason, new_description: "again" }];
			case 2:
				return [{ operation: "add_after", target_step_id: step, reason, new_steps: [{ type: "coding", description: "more" }] }];
			case 3:
				return [{ operation: "skip", target_step_id: "step-008", reason }];
			case 4:
				return [{ operation: "skip", target_step_id: "step-010", reason }];
			default:
				return "{ not json";
		}
	};
	const dawdles = (turn: Turn): Promise<void> => turn.takes(luck.between(0, 8) * MINUTE);
	const endsBadly = (turn: Turn) => {
		if (happens(0.04)) return fails("agent_error");
		if (happens(0.02)) return fails("overloaded");
		if (happens(0.02)) return fails("rate_limited", "a limit", { retryAt: turn.now() + luck.between(1, 90) * MINUTE });
		return null;
	};
	const codes: Part = async (turn) => {
		const { files, checkout, story, step } = turn;
		await dawdles(turn);
		if (luck.happens(0.4)) files.write("shared.txt", `1\n2 ${story}\n3\n`);
		files.write(`${story}.txt`, `${story}\n`);
		if (luck.happens(0.5)) checkout.commitAll(`work on ${story}`);
		await dawdles(turn);
		files.write(`more/${story}.txt`, `${story}\n`);
		if (happens(0.03)) await turn.takes(60 * MINUTE);
		if (happens(0.3)) turn.edit(edits(step));
		return endsBadly(turn) ?? SUMMARY;
	};
	const looks: Part = async (turn) => {
		await dawdles(turn);
		if (happens(0.02)) turn.files.write("sneaky.txt", "x\n");
		return endsBadly(turn) ?? SUMMARY;
	};
	const check = (share: number) => () => (happens(share) ? { exitCode: 1, output: "by chance" } : 0);
	return {
		heal: () => {
			bad = false;
		},
		options: {
			...(BUILT_IN["dynamic"] ?? { workflow: "dynamic" }),
			stories,
			options: { agents: luck.between(1, 4) },
			files: { "README.md": "a project\n", "shared.txt": "1\n2\n3\n" },
			user: (site) => site.user.files.write(MINE, "mine\n"),
			checks: { lint: check(0.02), test: check(0.04) },
			cast: {
				coding: codes,
				rebase_resolve: async (turn) => {
					await dawdles(turn);
					turn.checkout.mergeOurs("main");
					return SUMMARY;
				},
				...Object.fromEntries(["context_gathering", "planning", "architecture", "test_architecture"].map((type) => [type, looks])),
				"*": async (turn) => {
					await dawdles(turn);
					return endsBadly(turn) ?? SUMMARY;
				},
			},
		},
	};
}
