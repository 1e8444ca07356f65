// What a phased run delivers: the commands of its criteria hold on that tree, and who says that a finding is repaired has changed something.
import assert from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { BUILT_IN } from "../../src/engine/testing/built-in.suite.ts";
import { type Cast, fails } from "../../src/engine/testing/cast.suite.ts";
import { type Harness, harness } from "../../src/engine/testing/harness.suite.ts";
import { goOn } from "../guarantees/walk.ts";

const FINDING = "FINDINGS:\n- [twice] two parsers";
const phased = BUILT_IN["phased"]!;
const options = (cast: Cast) => ({
	...phased,
	cast: { ...phased.cast, ...cast },
	commands: (command: string, files: { read(path: string): string | null }) => {
		const path = /^test -f (\S+)$/.exec(command)?.[1];
		return path === undefined ? undefined : files.read(path) === null ? 1 : 0;
	},
});
const types = (h: Harness): string[] => h.prompts.filter(({ story }) => story === "").map(({ type }) => type);

for (const pulled of [false, true])
	test(`I21 S-35: a criterion that an improvement broke is repaired before the run is completed, ${pulled ? "pulled" : "pushed"}`, async (t) => {
		const h = await harness(t, {
			...options({
				scan: ({ nth }) => (nth === 1 ? FINDING : "FINDINGS: none"),
				improve: ({ nth, files, checkout }) => {
					if (nth === 1) files.remove("work/1.1.txt");
					else files.write("work/1.1.txt", "again\n");
					files.write(`work/improved-${nth}.txt`, "x\n");
					checkout.commitAll("improve");
					return "STATUS: done\nCRITERIA:\n- twice: true";
				},
			}),
			pulled,
		});
		const state = await h.toHalt();
		assert.equal(state.status, "completed", state.reason ?? "");
		assert.deepEqual(types(h), ["plan", "scan", "improve", "scan", "improve"]);
		assert.match(h.prompts.at(-1)?.prompt ?? "", /^## What fails now[\s\S]*`1\.1 file_exists` \(`test -f work\/1\.1\.txt`\): it exited 1/);
		assert.equal(h.site.show("main")["work/1.1.txt"], "again\n");
	});

test("I21: a criterion that nobody makes hold again asks a person in the end; approved, the run is completed", async (t) => {
	const h = await harness(
		t,
		options({
			scan: ({ nth }) => (nth === 1 ? FINDING : "FINDINGS: none"),
			improve: ({ nth, files, checkout }) => {
				files.remove("work/1.1.txt");
				files.write(`work/improved-${nth}.txt`, "x\n");
				checkout.commitAll("improve");
				return "STATUS: done\nCRITERIA:\n- twice: true";
			},
		}),
	);
	const state = await h.toHalt();
	assert.equal(state.status, "waiting", state.reason ?? "");
	assert.match(h.notices.at(-1)?.text ?? "", /1\.1 file_exists/);
	const approved = await goOn(h, { type: "decide", id: "d", at: h.clock.now(), scope: null, step: null, verdict: "approve", reason: "" });
	assert.equal(approved.status, "completed", approved.reason ?? "");
});

test("G-15: work that was put back is news to the next attempt, and no longer to the one after it", async (t) => {
	const works = phased.cast["task-executor"];
	const h = await harness(
		t,
		options({
			"1.1 execute": async (turn) => {
				if (turn.nth > 2) return typeof works === "function" ? works(turn) : works;
				turn.files.write(`work/half-${turn.nth}.txt`, "half\n");
				turn.checkout.commitAll("half");
				return turn.nth === 1 ? fails("agent_error") : "STATUS: incomplete\nCRITERIA:\n- file_exists: false\n- notes_are_written: false";
			},
		}),
	);
	assert.equal((await h.toHalt()).status, "completed");
	const told = h.prompts
		.filter(({ story, type }) => story === "1.1" && type === "execute")
		.map(({ prompt }) => /had done was put back\. Use what/.test(prompt));
	assert.deepEqual(told, [false, true, false]);
});

test("G-15 S-53: a repairer that says `true` and changed nothing is told so once, then the scanner is", async (t) => {
	const h = await harness(
		t,
		options({ scan: ({ nth }) => (nth === 1 ? FINDING : "FINDINGS: none"), improve: "STATUS: done\nCRITERIA:\n- twice: true" }),
	);
	const state = await h.toHalt();
	assert.equal(state.status, "completed", state.reason ?? "");
	assert.deepEqual(types(h), ["plan", "scan", "improve", "improve", "scan"]);
	assert.match(h.prompts.at(-2)?.prompt ?? "", /the report says that twice is repaired, but no file was changed/);
	assert.match(h.prompts.at(-1)?.prompt ?? "", /^## Why this step runs again[\s\S]*no file was changed/);
});

test("S-47 S-15: the note of an earlier run's milestone stays", async (t) => {
	const h = await harness(t, options({}));
	const earlier = "# Milestone: phase 1, Part 1 (pawl run run-0)\n";
	const folder = join(h.site.root, ".claude", "milestones");
	mkdirSync(folder, { recursive: true });
	writeFileSync(join(folder, "phase-1.md"), earlier);
	assert.equal((await h.toHalt()).status, "completed");
	assert.equal(readFileSync(join(folder, "phase-1.md"), "utf8"), earlier);
	assert.match(readFileSync(join(folder, "phase-1-run-1.md"), "utf8"), /pawl run run-1/);
	assert.match(readFileSync(join(folder, "phase-2.md"), "utf8"), /pawl run run-1/);
});

for (const pulled of [false, true])
	test(`S-13 G-16: a state file that a session changes is not taken over, kept and told, ${pulled ? "pulled" : "pushed"}`, async (t) => {
		const folder = (h: Harness): string => join(h.site.root, ".claude");
		const works = phased.cast["task-executor"];
		const h: Harness = await harness(t, {
			...options({
				"1.1 execute": async (turn) => {
					const file = join(folder(h), "agent-state.json");
					const state = JSON.parse(readFileSync(file, "utf8"));
					writeFileSync(file, JSON.stringify({ ...state, pending_tasks: [] }));
					return typeof works === "function" ? works(turn) : works;
				},
			}),
			pulled,
		});
		assert.equal((await h.toHalt()).status, "completed");
		const [kept = "", ...more] = readdirSync(join(folder(h), "archive")).filter((name) => name.startsWith("agent-state-changed-"));
		assert.deepEqual([JSON.parse(readFileSync(join(folder(h), "archive", kept), "utf8")).pending_tasks, more], [[], []]);
		const told = h.warnings.filter((text) => text.includes("was changed during the run"));
		assert.equal(told.length, 1, h.warnings.join("\n"));
		const { completed_tasks } = JSON.parse(readFileSync(join(folder(h), "agent-state.json"), "utf8"));
		assert.equal(completed_tasks.length, 3);
	});
