// What is put back if it is not known who moved a ref; with a git that only notes its calls.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { GitResult } from "../git/git.ts";
import type { Case, Difference, RefJudge } from "./judge.ts";
import { putRefsBack } from "./put-back.ts";
import type { Move } from "./reflog.ts";

test("G-03: of several moves, none of which is surely the session's, nothing is taken off a branch", async () => {
	const calls: string[] = [];
	const note = (args: readonly string[]): string => {
		calls.push(args.join(" "));
		return "";
	};
	const done = { code: 0, stdout: Buffer.alloc(0), stderr: "" } as unknown as GitResult;
	const git = {
		run: async (args: readonly string[]) => note(args),
		try: async (args: readonly string[]) => {
			note(args);
			return done;
		},
	};
	const moves: readonly Move[] = [
		{ from: "a", to: "b", at: 1, why: "update by push" },
		{ from: "b", to: "c", at: 2, why: "commit: of a person" },
	];
	const judge = { movesOf: () => ({ moves, made: new Set() }) } as unknown as RefJudge;
	const difference: Difference = { kind: "ref", name: "refs/heads/main", from: "a", to: "c", whose: "session" };
	const [change] = await putRefsBack({ git, site: {} } as unknown as Case, judge, [difference]);
	assert.equal(change?.putBack, false);
	assert.deepEqual(
		calls.filter((call) => !call.includes("refs/pawl/put-back/")),
		[],
	);
});
