// The short form of `npm run durable`: a few chosen points, and the rules of the disk that a loss of power is laid out by. All of it, with
// every workflow, takes hours and is `npm run prove`.
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "node:test";
import { attempt, makePlace, nameOf, type Trial } from "./crash.ts";
import { Disk } from "./disk.ts";
import { cutAt, cutName, cutsOf, recordDisk } from "./power-loss.ts";
import type { Call } from "./tracer.ts";
import { makeTracer } from "./tracer.ts";

const WORKFLOW = "one-shot";
const TRIALS: readonly Omit<Trial, "workflow">[] = [
	{ fault: "kill", point: "git commit: rename ref of base", nth: 1 },
	{ fault: "full", point: "pawl: pwrite journal wal", nth: 30 },
];

describe("crashes and loss of power", async () => {
	const tracer = makeTracer();
	const skip = "problem" in tracer ? tracer.problem : false;

	test("I1 I5 I7 I13 killed, and with a full disk, at a durable call; power lost at a sync", { skip }, async (t) => {
		if ("problem" in tracer) return;
		const place = await makePlace(WORKFLOW);
		t.after(() => {
			place.remove();
			tracer.remove();
		});
		for (const trial of TRIALS) {
			const { reached, wrong } = await attempt(tracer, place, { ...trial, workflow: WORKFLOW });
			assert.deepEqual(wrong, [], nameOf({ ...trial, workflow: WORKFLOW }));
			assert.ok(reached, `the run did not come by: ${trial.point}`);
		}
		const recorded = await recordDisk(tracer, place);
		const cuts = cutsOf(recorded, 1).filter(({ loss }) => loss === "loses");
		const cut = cuts.findLast(({ near }) => near.startsWith("after"));
		assert.ok(cut);
		assert.deepEqual(await cutAt(recorded, cut), [], cutName(cut));
	});

	test("what a disk keeps: names in their order up to the last sync, the content of synced files, nothing else for certain", (t) => {
		const root = realpathSync(mkdtempSync(join(tmpdir(), "pawl-disk-")));
		t.after(() => rmSync(root, { recursive: true, force: true }));
		writeFileSync(join(root, "old"), "old");
		mkdirSync(join(root, "folder"));
		const disk = new Disk(root);
		const call = (name: string, path: string, more: Partial<Call> = {}, result = 0): void => {
			const made: Call = {
				at: 0,
				program: "",
				name,
				path: join(root, path),
				to: "",
				offset: 0,
				flags: 0,
				mode: 0,
				data: Buffer.alloc(0),
				...more,
			};
			disk.enter(made);
			disk.returned(made, result);
		};
		const write = (path: string, text: string): void => {
			call("open", path, { flags: 0o101, mode: 0o644 }, 3);
			call("write", path, { data: Buffer.from(text) }, text.length);
		};
		const left = (fileSystem: "ext4" | "xfs", loss: "loses" | "keeps"): Record<string, string> => {
			disk.layOut(disk.after(disk.length, fileSystem, loss, () => false));
			return Object.fromEntries(
				readdirSync(root)
					.filter((name) => name !== "folder")
					.map((name) => [name, readFileSync(join(root, name), "utf8")]),
			);
		};
		write("new", "new");
		call("rename", "new", { to: join(root, "old") });
		write("synced", "synced");
		call("fsync", "synced");
		write("late", "late");
		assert.deepEqual(left("xfs", "loses"), { old: "", synced: "synced" });
		assert.deepEqual(left("ext4", "loses"), { old: "new", synced: "synced" });
		assert.deepEqual(left("xfs", "keeps"), { old: "new", synced: "synced", late: "late" });
	});
});
