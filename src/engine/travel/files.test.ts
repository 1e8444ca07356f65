// The files of a run are on every machine that needs them: notes of all stories everywhere, those of a story where it is worked on next.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { appendFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, test } from "node:test";
import fc from "fast-check";
import { MemoryDatabase } from "../../store/memory.suite.ts";
import { commitOf, steered } from "../../store/store.suite.ts";
import type { Store, Travelling } from "../../store.ts";
import { BUILT_IN } from "../testing/built-in.suite.ts";
import { fails, type Part } from "../testing/cast.suite.ts";
import { type Harness, type HarnessOptions, harness } from "../testing/harness.suite.ts";
import { share } from "../testing/shared.suite.ts";
import { added } from "./appended.ts";
import { MOST_BYTES, RunFiles } from "./run-files.ts";
import { isBelow, laneOfPath, travels } from "./whose.ts";

const DONE = "## SUMMARY\n- it is done\n";

const codes: Part = async ({ files, checkout, story, takes }) => {
	await takes(60_000);
	files.write(`${story}.txt`, `${story}\n`);
	checkout.commitAll(`work on ${story}`);
	return DONE;
};

const runOf = (stories: readonly string[], cast: HarnessOptions["cast"]): HarnessOptions => ({
	...BUILT_IN["dynamic"]!,
	stories,
	options: { agents: 4 },
	cast: { coding: codes, "*": DONE, ...cast },
});

async function storedIn(h: Harness): Promise<Record<string, string | null>> {
	const files = await h.store.open().files(h.run);
	return Object.fromEntries(files.map(({ path, bytes }) => [path, bytes === null ? null : Buffer.from(bytes).toString()]));
}

describe("files that travel", () => {
	test("notes that two machines append at once are both there, once, and later steps on both read them", async (t) => {
		const first: Part = async ({ sharedDir, story, takes }) => {
			appendFileSync(join(sharedDir, "scratch.md"), `learned in ${story}\n`);
			await takes(1_000);
			return DONE;
		};
		const stories = ["US-1", "US-2", "US-3", "US-4"];
		const h = await harness(t, runOf(stories, { context_gathering: first }));
		await h.advance();
		const { state, workers } = await share(h, [undefined, undefined]);
		assert.equal(state.status, "completed");
		for (const { ended } of workers) assert.ok(ended.length > 1, "one of the two did nothing");
		const notes = (await storedIn(h))["scratch.md"] ?? "";
		const last = h.prompts.filter(({ type }) => type === "coding").map(({ prompt }) => prompt);
		for (const story of stories) {
			assert.equal(notes.split(`learned in ${story}\n`).length, 2, notes);
			assert.ok(last.at(-1)?.includes(`learned in ${story}`), last.at(-1));
		}
		const other = workers.map(({ ended }) => ended.find(({ lane }) => lane !== "@run")?.lane);
		assert.ok(
			other.every((lane) => last.filter((prompt) => prompt.includes(`learned in ${lane}`)).length > 2),
			"both machines read them",
		);
	});

	test("a story that another machine takes over finds its own notes there", async (t) => {
		const notes: Part = ({ sharedDir, story }) => {
			writeFileSync(join(sharedDir, `scratch_${story}.md`), `note of ${story}\n`);
			return DONE;
		};
		const dies: Part = (turn) => (turn.nth === 1 ? turn.dies() : typeof codes === "string" ? codes : codes(turn));
		const h = await harness(t, runOf(["US-1"], { context_gathering: notes, coding: dies }));
		await h.advance();
		const { state } = await share(h, [undefined, undefined]);
		assert.equal(state.status, "completed");
		const told = h.prompts.filter(({ type }) => type === "coding");
		assert.equal(told.length, 2);
		assert.ok(told[1]?.prompt.includes("note of US-1"), told[1]?.prompt);
		const stored = await storedIn(h);
		assert.equal(stored["scratch_US-1.md"], null, "it is archived when the story is done");
		assert.match(stored["archive/scratch_US-1.md"] ?? "", /note of US-1/);
	});

	test("the diff of an attempt that failed, and edits that were rejected, can be read elsewhere", async (t) => {
		const gives: Part = ({ files, edit }) => {
			files.write("half.txt", "half\n");
			edit([{ operation: "no such thing" }]);
			return fails("agent_error");
		};
		const h = await harness(t, runOf(["US-1"], { coding: gives }));
		await h.advance();
		const { state } = await share(h, [undefined, undefined]);
		assert.equal(state.status, "failed");
		const stored = await storedIn(h);
		const named = (part: string) => Object.keys(stored).filter((path) => path.startsWith(part));
		assert.equal(named("failures/US-1-").length, 1, JSON.stringify(stored));
		assert.match(stored[named("failures/US-1-")[0] ?? ""] ?? "", /half/);
		assert.equal(named("workflow_edits/failed/US-1-").length + named("workflow_edits/rejected/US-1-").length, 2, JSON.stringify(stored));
		assert.equal(stored["workflow_edits/US-1.json"], null);
	});
});

/** Two machines over one store. */
async function machines(t: { after(work: () => void): void }, secrets: readonly string[] = []) {
	const root = mkdtempSync(join(tmpdir(), "pawl-run-files-"));
	t.after(() => rmSync(root, { recursive: true, force: true }));
	const h = { store: new MemoryDatabase().open(), warnings: [] as string[] };
	const state = {
		stories: [{ id: "US-1" }, { id: "US-10" }],
		definition: { inputs: { x: { workspace: "worktree" } } },
		options: { mode: "x" },
		input: {},
	};
	const machine = (name: string) => {
		const folder = join(root, name);
		mkdirSync(folder, { recursive: true });
		const make = () => new RunFiles({ store: h.store, run: "a", folder, secrets, warn: (text) => void h.warnings.push(text) });
		const file = (path: string): string => join(folder, path);
		const again = (): void => {
			made.files = make();
		};
		const made = { files: make(), file, again };
		return made;
	};
	return { ...h, state: state as never, one: machine("one"), two: machine("two") };
}

let version = 0;
async function send(store: Store & Travelling, files: RunFiles, state: never, lane: string): Promise<string[]> {
	const { changes, sent } = files.collect(state, lane);
	if (changes.length > 0) {
		version = (await store.events("a")).length;
		assert.ok((await store.commit(commitOf("a", version, { id: randomUUID(), events: [steered("x")], files: changes }))).ok);
	}
	sent();
	return changes.map(({ path, bytes }) => (bytes === null ? `-${path}` : path));
}

describe("the files of a run on one machine", () => {
	test("only what changed is sent, of the lane and of everybody, and what is gone is gone elsewhere", async (t) => {
		const { store, state, one, two } = await machines(t);
		for (const path of [
			"scratch_US-1.md",
			"scratch_US-10.md",
			"design.md",
			"logs/US-1/step-1.jsonl",
			"sessions/x",
			"put_aside/US-1-step-1-1/a b",
		]) {
			mkdirSync(dirname(one.file(path)), { recursive: true });
			writeFileSync(one.file(path), path);
		}
		await one.files.bring(state);
		assert.deepEqual((await send(store, one.files, state, "US-1")).sort(), ["design.md", "put_aside/US-1-step-1-1/a b", "scratch_US-1.md"]);
		assert.deepEqual(await send(store, one.files, state, "US-1"), []);
		writeFileSync(two.file("scratch_US-1.md"), "old");
		writeFileSync(two.file("scratch_US-10.md"), "mine");
		mkdirSync(dirname(two.file("failures/US-1-step-1.diff")));
		writeFileSync(two.file("failures/US-1-step-1.diff"), "of another life");
		await two.files.bring(state);
		await two.files.takeOver(state, "US-1");
		const has = (path: string) => (existsSync(two.file(path)) ? readFileSync(two.file(path), "utf8") : null);
		assert.deepEqual(["design.md", "scratch_US-1.md", "scratch_US-10.md", "failures/US-1-step-1.diff"].map(has), [
			...["design.md", "scratch_US-1.md", "mine", null],
		]);
		rmSync(two.file("scratch_US-1.md"));
		assert.deepEqual(await send(store, two.files, state, "US-1"), ["-scratch_US-1.md"]);
		await one.files.takeOver(state, "US-1");
		assert.equal(existsSync(one.file("scratch_US-1.md")), false);
		assert.equal(existsSync(one.file("scratch_US-10.md")), true, "a lane of its own");
	});

	test("G-29 what is too large stays, and somebody is told once; secrets do not travel; links are not followed", async (t) => {
		const { store, state, one, warnings } = await machines(t, ["hunter2-hunter2"]);
		writeFileSync(one.file("big.md"), "x".repeat(MOST_BYTES + 1));
		writeFileSync(one.file("key.md"), "it is hunter2-hunter2");
		for (let n = 0; n < 2; n++) await send(store, one.files, state, "US-1");
		assert.deepEqual(warnings, ["big.md stays on this machine: too large to travel, or too many at once"]);
		const stored = await store.files("a");
		assert.deepEqual(
			stored.map(({ path, bytes }) => [path, Buffer.from(bytes ?? []).toString()]),
			[["key.md", "it is ***"]],
		);
	});

	test("of a great many files the first ones travel, and somebody is told once", async (t) => {
		const { store, state, one, warnings } = await machines(t);
		for (let n = 0; n < 250; n++) writeFileSync(one.file(`${String(n).padStart(3, "0")}.md`), "x");
		for (let n = 0; n < 3; n++) await send(store, one.files, state, "US-1");
		assert.equal((await store.files("a")).length, 200);
		assert.deepEqual(warnings, ["200.md and 49 more files stay on this machine: too large to travel, or too many at once"]);
		writeFileSync(one.file("249.md"), "changed");
		assert.deepEqual(await send(store, one.files, state, "US-1"), ["249.md"]);
	});

	test("a line that anybody appended to the notes, or rewrote them with, is in every copy once", async (t) => {
		const step = fc.constantFrom("one append", "two append", "one send", "two send", "one bring", "two bring", "one rewrite", "two dies");
		await fc.assert(
			fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
				const { store, state, one, two } = await machines(t);
				const [lines, unsent]: [string[], string[]] = [[], []];
				await Promise.all([one, two].map((machine) => machine.files.bring(state)));
				for (const [n, name] of steps.entries()) {
					const [who, what] = name.split(" ");
					const machine = who === "one" ? one : two;
					const file = machine.file("scratch.md");
					if (what === "append") {
						appendFileSync(file, `line ${n}\n`);
						(who === "one" ? lines : unsent).push(`line ${n}`);
					}
					if (what === "rewrite") {
						writeFileSync(file, `line ${n}\n${existsSync(file) ? readFileSync(file, "utf8") : ""}`);
						lines.push(`line ${n}`);
					}
					if (what === "send") {
						await send(store, machine.files, state, "US-1");
						if (who === "two") lines.push(...unsent.splice(0));
					}
					if (what === "bring") await machine.files.bring(state);
					if (what === "dies") {
						// What it did not send is lost, and nothing else.
						unsent.splice(0);
						machine.again();
						await machine.files.bring(state);
					}
				}
				lines.push(...unsent);
				for (let n = 0; n < 2; n++)
					for (const { files } of [one, two]) {
						await send(store, files, state, "US-1");
						await files.bring(state);
					}
				for (const { file } of [one, two]) {
					const here = existsSync(file("scratch.md")) ? readFileSync(file("scratch.md"), "utf8").split("\n").filter(Boolean) : [];
					assert.deepEqual(here.sort(), [...lines].sort());
				}
			}),
			{ numRuns: 60 },
		);
	});

	test("which files travel, and whose they are", async (t) => {
		const { state } = await machines(t);
		const lanes = {
			"scratch_US-10.md": "US-10",
			"workflow_edits/US-1.json": "US-1",
			"workflow_edits/rejected/US-1-step-2-1.reason.txt": "US-1",
			"failures/US-10-step-1.diff": "US-10",
			"put_aside/run-step-1-1/x": "@run",
			"put_aside/US-1-step-1-1/deep/US-10": "US-1",
			"design.md": "",
			"scratch.md": "",
		};
		assert.deepEqual(Object.fromEntries(Object.keys(lanes).map((path) => [path, laneOfPath(state, path)])), lanes);
		for (const path of ["logs/x", "x.1.0123.tmp", "inbox/a/b"]) assert.equal(travels(path), false, path);
		for (const path of ["../x", "/etc/x", "a/../../x", "a//b", "", ".", "a\0b"]) assert.equal(isBelow(path), false, path);
		assert.ok(isBelow("a b/ü.md"));
		assert.equal(added("a\nb\n", "b\nc\n"), "c\n");
	});
});
