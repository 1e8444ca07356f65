// Who moved a ref, judged from a log of git whose moves lie within one second.
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { type Case, RefJudge } from "./judge.ts";

const SECOND = 1_700_000_000;
const [BASE, FORGED, MINE] = ["a", "b", "c"].map((digit) => digit.repeat(40)) as [string, string, string];

/** After a session that ran `git update-ref refs/heads/main FORGED`. */
function movesOfMain(t: TestContext, ...log: readonly (readonly [from: string, to: string, why: string])[]) {
	const commonDir = mkdtempSync(join(tmpdir(), "pawl-judge-"));
	t.after(() => rmSync(commonDir, { recursive: true, force: true }));
	mkdirSync(join(commonDir, "logs", "refs", "heads"), { recursive: true });
	const lines = log.map(([from, to, why]) => `${from} ${to} A <a@example.invalid> ${SECOND} +0000\t${why}\n`);
	writeFileSync(join(commonDir, "logs", "refs", "heads", "main"), lines.join(""));
	const at = SECOND * 1000 + 500;
	const command = { args: ["update-ref", "refs/heads/main", FORGED], worktree: null, from: at, to: at + 100 };
	const judge = new RefJudge({
		site: { root: commonDir, commonDir, path: commonDir, gitDir: commonDir, branch: "ralph/US-001" },
		noted: { at, heads: {}, refs: {}, stash: [], log: 0, trace: "" },
		now: { heads: {}, refs: {}, stash: [] },
		trace: { commands: [command], whole: true },
		own: new Set(),
	} as unknown as Case);
	return judge.movesOf("refs/heads/main", BASE, log.at(-1)?.[1] ?? "");
}

test("G-23: a move that an earlier attempt made too, and that was put back, is the session's again", (t) => {
	const found = movesOfMain(t, [BASE, FORGED, ""], [FORGED, BASE, "pawl: put back"], [BASE, FORGED, ""]);
	assert.deepEqual([found?.settled, [...(found?.made ?? [])].map(({ to }) => to)], [false, [FORGED]]);
});

test("G-03: what a person did after the session's move was put back is not the session's", (t) => {
	const found = movesOfMain(t, [BASE, FORGED, ""], [FORGED, BASE, "pawl: put back"], [BASE, MINE, "commit: mine"]);
	assert.deepEqual([found?.settled, found?.made.size], [true, 0]);
});
