// Stopping from outside: signals, a second terminal, a second engine. Attempts end as cancelled, nothing stays alive, and the
// run goes on later as if nothing had been.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Story } from "../../src/core/model.ts";
import { journal, marked, runsOf, violations } from "../support/crash-checks.ts";
import { snapshot, until, type World, worldFor } from "../support/crash-world.ts";

const TWO = [{ id: "US-1" }, { id: "US-2" }];
const ONE = TWO.slice(0, 1);
// Ignores TERM, and has a child that has left its session.
const STUBBORN = `trap '' TERM INT; (setsid sleep 300 > /dev/null 2>&1 &); echo half > half.txt; wrote; hold coding; . "$W/do/any.plain"`;
const PLAIN = 'rm -f half.txt; echo "$S" > "$S.txt"; mkdir -p more; echo "$S" > "more/$S.txt"; wrote';

const atCoding = (world: World, count: number) => until(`${count} agents at coding`, () => world.noted("at-coding").length >= count);
const quiet = (run: string) => until("no process of the run is alive", () => marked(run).length === 0, 10_000);

describe("signals and second terminals", { concurrency: 2 }, () => {
	for (const [signal, exit, isolations] of [
		["SIGINT", 130, ["", "none"]],
		["SIGTERM", 143, [""]],
	] as const)
		for (const isolation of isolations) {
			const stories = signal === "SIGINT" && isolation === "" ? TWO : ONE;
			test(`X-03 D-47 ${signal} ends the attempts as cancelled, exit ${exit}, and resume completes${isolation && ", without isolation"}`, async (t) => {
				const world = worldFor(t, { stories, agent: { "any.coding": STUBBORN, "any.plain": PLAIN } });
				const before = snapshot(world);
				const pawl = world.start(world.runArgs(2), isolation ? { PAWL_ISOLATION: isolation } : {});
				await atCoding(world, stories.length);
				process.kill(pawl.pid, signal);
				assert.equal((await pawl.ended).code, exit);
				const stopped = journal(world);
				assert.ok(stopped);
				assert.deepEqual(marked(stopped.run), []);
				assert.equal(stopped.state.status, "paused");
				for (const { id } of stories) {
					const story: Story | undefined = stopped.state.stories.find((s) => s.id === id);
					assert.equal(story?.status, "in_progress");
					assert.equal(story?.scope.steps.find((s) => s.id === "step-005")?.status, "cancelled");
				}
				world.release("coding");
				const resumed = await world.pawl(["resume"]);
				assert.equal(resumed.code, 0, resumed.err);
				assert.deepEqual(violations(world, { before, after: snapshot(world) }), []);
			});
		}

	for (const isolation of ["", "none"])
		test(`X-03 a second Ctrl-C ends at once and leaves no process${isolation && ", without isolation"}`, async (t) => {
			const world = worldFor(t, { stories: ONE, agent: { "any.coding": STUBBORN, "any.plain": PLAIN } });
			const pawl = world.start(world.runArgs(2), isolation ? { PAWL_ISOLATION: isolation } : {});
			await atCoding(world, 1);
			process.kill(pawl.pid, "SIGINT");
			await until("pawl says that it stops", () => pawl.text().includes("press Ctrl-C again"));
			process.kill(pawl.pid, "SIGINT");
			assert.equal((await pawl.ended).code, 130);
			const run = journal(world)?.run ?? "";
			await quiet(run);
			world.release("coding");
			assert.equal((await world.pawl(["resume"])).code, 0);
			assert.deepEqual(violations(world), []);
		});

	test("X-11 a second engine on the same run is refused, whether by resume or by run, and harms nothing", async (t) => {
		const world = worldFor(t, { stories: ONE, agent: { "any.coding": STUBBORN, "any.plain": PLAIN } });
		const pawl = world.start(world.runArgs(2));
		await atCoding(world, 1);
		for (const args of [["resume"], world.runArgs(2)]) {
			const second = await world.pawl(args);
			assert.equal(second.code, 2);
			assert.match(second.err, /already being run by another pawl/);
		}
		world.release("coding");
		assert.equal((await pawl.ended).code, 0);
		assert.deepEqual(violations(world), []);
	});

	test("D-130 a second run in the same repository works at the same time, in other slots", async (t) => {
		const world = worldFor(t, { stories: [{ id: "A-1" }, { id: "A-2" }], agent: { "any.coding": STUBBORN, "any.plain": PLAIN } });
		const first = world.start(world.runArgs(2));
		await atCoding(world, 2);
		world.write("other.json", world.read("prd.json")?.replaceAll("A-", "B-") ?? "");
		const args = world.runArgs(2).map((arg) => (arg === "prd.json" ? "other.json" : arg));
		const second = world.start(args);
		await atCoding(world, 4);
		const runs = runsOf(world);
		assert.deepEqual(runs.flatMap((run) => journal(world, run)?.state.options.slots ?? []).sort(), [1, 2, 3, 4]);
		world.release("coding");
		assert.equal((await first.ended).code, 0);
		assert.equal((await second.ended).code, 0);
		assert.equal(world.git(["log", "--oneline", `${world.first}..main`]).split("\n").length, 4);
		for (const run of runs) assert.equal(journal(world, run)?.state.status, "completed");
		assert.equal(world.git(["worktree", "list"]).split("\n").length, 1);
	});

	test("X-05 pause, resume, cancel from a second terminal", async (t) => {
		const world = worldFor(t, { stories: ONE, agent: { "any.coding": STUBBORN, "any.plain": PLAIN } });
		const pawl = world.start(world.runArgs(2));
		await atCoding(world, 1);
		const paused = await world.pawl(["pause"]);
		assert.equal(paused.code, 0, paused.err);
		await pawl.ended;
		assert.equal(journal(world)?.state.status, "paused");
		const again = world.start(["resume"]);
		await atCoding(world, 2);
		const cancelled = await world.pawl(["cancel"]);
		assert.equal(cancelled.code, 0, cancelled.err);
		await again.ended;
		const found = journal(world);
		assert.equal(found?.state.status, "cancelled");
		assert.deepEqual(marked(found?.run ?? ""), []);
		assert.equal(world.git(["rev-parse", "main"]), world.first);
		assert.equal(world.git(["worktree", "list"]).split("\n").length, 1);
		assert.equal((await world.pawl(["resume"])).code, 2);
	});
});
