// The log of an attempt is in the store before its end is, in pieces that nobody else can damage.
import assert from "node:assert/strict";
import { appendFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, test } from "node:test";
import { MemoryDatabase } from "../../store/memory.suite.ts";
import type { LogPiece } from "../../store.ts";
import { attemptLog } from "../attempt/mark.ts";
import { BUILT_IN } from "../testing/built-in.suite.ts";
import type { Part } from "../testing/cast.suite.ts";
import { harness } from "../testing/harness.suite.ts";
import { share } from "../testing/shared.suite.ts";
import { LogShipper, PIECE_BYTES } from "./log-shipper.ts";

const prints: Part = async ({ files, checkout, story, step, attempt, sharedDir, takes }) => {
	const file = join(sharedDir, attemptLog({ scope: story, step, attempt }));
	mkdirSync(dirname(file), { recursive: true });
	appendFileSync(file, `{"begun":${attempt}}\n`);
	await takes(60_000);
	appendFileSync(file, `{"ended":${attempt}}\n`);
	files.write(`${story}.txt`, `${story}\n`);
	checkout.commitAll(`work on ${story}`);
	return "## SUMMARY\n- it is done\n";
};

describe("logs that travel", () => {
	test("what an attempt prints can be read elsewhere while it runs, and all of it once the journal says that it has ended", async (t) => {
		const h = await harness(t, {
			...BUILT_IN["dynamic"]!,
			stories: ["US-1", "US-2"],
			options: { agents: 2 },
			cast: { coding: prints, "*": "## SUMMARY\n- done\n" },
		});
		await h.advance();
		const store = h.store.open();
		const read = async (scope: string, step: string) => Buffer.from(await store.readLog(h.run, scope, step, 0)).toString();
		let early = 0;
		const onTick = async (): Promise<void> => {
			for (const { scope, step, size } of await store.logs(h.run)) {
				assert.ok(size > 0);
				const ended = (await store.events(h.run)).some((e) => e.event === "step_completed" && e.scope === scope && e.step === step);
				const text = await read(scope, step);
				if (!text.includes("ended")) early++;
				assert.ok(!ended || text === '{"begun":1}\n{"ended":1}\n', text);
			}
		};
		const { state } = await share(h, [undefined, undefined], { onTick });
		assert.equal(state.status, "completed");
		assert.ok(early > 0, "nothing could be read before the end");
		assert.deepEqual((await store.logs(h.run)).map(({ scope }) => scope).sort(), ["US-1", "US-2"]);
		for (const { scope, step } of await store.logs(h.run)) {
			const file = attemptLog({ scope, step, attempt: 1 });
			for (const machine of ["machine-0", "machine-1"]) assert.equal(existsSync(join(h.sharedDir, machine, file)), false, "it is removed");
		}
	});

	const shipperOf = async (max: number) => {
		const store = new MemoryDatabase().open();
		const lease = (await store.lease("a", "US-1", 1)) ?? assert.fail();
		const added: LogPiece[] = [];
		const [ticks, addLog] = [[] as (() => void)[], store.addLog];
		store.addLog = async (...of) => {
			const held = await addLog(...of);
			if (held) added.push(of[1]);
			return held;
		};
		const clock = {
			now: () => 0,
			after: (_: number, work: () => void) => {
				ticks.push(work);
				return () => {};
			},
		};
		const shipper = new LogShipper({ store, run: "a", clock, max });
		const tick = async (): Promise<void> => {
			const before = ticks.length;
			ticks.at(-1)?.();
			while (ticks.length === before) await new Promise((done) => setImmediate(done));
		};
		const text = (): string => Buffer.concat(added.map(({ bytes }) => bytes)).toString();
		return { store, lease, shipper, added, tick, text };
	};
	const ID = { scope: "US-1", step: "step-1", attempt: 1 };
	const folderOf = (t: { after(work: () => void): void }): string => {
		const folder = mkdtempSync(join(tmpdir(), "pawl-shipper-"));
		t.after(() => rmSync(folder, { recursive: true, force: true }));
		return folder;
	};

	test("G-30 of a long log only the first half goes while it may still be cut; the rest, with the cut, when it is complete", async (t) => {
		const file = join(folderOf(t), "log");
		const { lease, shipper, tick, text } = await shipperOf(100);
		const shipment = shipper.begin(ID, file, lease);
		await tick();
		assert.equal(text(), "", "there is no file yet");
		writeFileSync(file, `${"a".repeat(9)}\nhalf a li`);
		await tick();
		assert.equal(text(), "aaaaaaaaa\n", "whole lines only");
		const head = "b".repeat(9).concat("\n").repeat(7);
		writeFileSync(file, head);
		await tick();
		assert.equal(text().length, 50);
		writeFileSync(file, `${head.slice(0, 60)}cut\nthe end`);
		await shipment.end();
		assert.equal(text().slice(10), `${head.slice(10, 60)}cut\nthe end`);
		assert.equal(existsSync(file), false);
	});

	test("pieces are bounded, and a line that is longer than one goes in parts", async (t) => {
		const file = join(folderOf(t), "log");
		const { lease, shipper, added, tick, text } = await shipperOf(100 * PIECE_BYTES);
		const shipment = shipper.begin(ID, file, lease);
		const long = "x".repeat(2 * PIECE_BYTES + 5);
		writeFileSync(file, `first\n${long}\nlast\n`);
		await tick();
		await shipment.end();
		assert.equal(text(), `first\n${long}\nlast\n`);
		assert.ok(added.every(({ bytes }) => bytes.length <= PIECE_BYTES));
		assert.deepEqual(
			added.map(({ n }) => n),
			added.map((_, index) => index + 1),
		);
	});

	test("M4 a process that lost the lane adds nothing, and ends", async (t) => {
		const file = join(folderOf(t), "log");
		const { store, lease, shipper, text } = await shipperOf(100);
		const shipment = shipper.begin(ID, file, lease);
		await lease.release();
		await store.lease("a", "US-1", 1);
		writeFileSync(file, "late\n");
		await shipment.end();
		assert.equal(text(), "");
		assert.deepEqual(await store.logs("a"), []);
	});
});
