// Starting again: a PRD that changed, a budget that stopped the run, what every agent is given, and a story that was under way.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { journal, violations } from "../support/crash-checks.ts";
import { prdText, until, worldFor } from "../support/crash-world.ts";

describe("starts and restarts", { concurrency: 2 }, () => {
	test("D-146 D-147 T-10 a second start continues the unfinished run, takes up new and changed stories, reports vanished ones", async (t) => {
		const world = worldFor(t, {
			stories: [{ id: "US-1" }, { id: "US-2", title: "as it was" }],
			agent: { "US-1.coding": 'once hold && hold coding\n. "$W/do/any.coding"' },
		});
		const pawl = world.start(world.runArgs(1));
		await until("US-1 is at coding", () => world.noted("at-coding").length === 1);
		process.kill(pawl.pid, "SIGKILL");
		await pawl.ended;
		const first = journal(world);
		world.write(
			"prd.json",
			prdText([
				{ id: "US-2", title: "changed" },
				{ id: "US-9", depends_on: ["US-2"] },
			]),
		);
		const second = await world.pawl(world.runArgs(1));
		assert.equal(second.code, 0, second.err);
		assert.match(second.err, /going on with run/);
		assert.match(second.err, /new in prd\.json: US-9/);
		assert.match(second.err, /no longer in prd\.json.*US-1/);
		const last = journal(world);
		assert.equal(last?.run, first?.run);
		assert.deepEqual(last?.events.slice(0, first?.events.length), first?.events, "what was in the journal stays");
		assert.equal(last?.state.stories.find((s) => s.id === "US-2")?.title, "changed", "T-10: it was not done yet");
		assert.deepEqual(violations(world), []);
	});

	test("D-149 D-151 D-152 D-153 a killed pawl: the step is failed, its story stays in progress, no old agent beside the new one", async (t) => {
		for (const isolation of ["unshare", "none"]) {
			const world = worldFor(t, {
				stories: [{ id: "US-1" }],
				agent: { "any.linting": "once hold && { echo more > half.txt; wrote; hold linting; }" },
			});
			const pawl = world.start(world.runArgs(1), { PAWL_ISOLATION: isolation });
			await until("it is at linting", () => world.noted("at-linting").length === 1);
			process.kill(pawl.pid, "SIGKILL");
			await pawl.ended;
			const story = journal(world)?.state.stories[0];
			assert.equal(story?.status, "in_progress");
			const resumed = await world.pawl(["resume"]);
			assert.equal(resumed.code, 0, resumed.err);
			assert.deepEqual(violations(world), []);
			const steps = journal(world)?.state.stories[0]?.scope.steps.filter((s) => s.type === "linting");
			assert.deepEqual(
				steps?.map((s) => [s.id, s.status, s.error]),
				[
					["step-006", "failed", "orchestrator restart — agent not found"],
					["step-011", "completed", null],
				],
			);
			assert.match(readFileSync(join(journal(world)?.sharedDir ?? "", "failures", "US-1-step-006.diff"), "utf8"), /\+more/);
			assert.equal(world.git(["ls-tree", "main", "half.txt"]), "", "what the lost attempt left is not in the story");
		}
	});

	test("D-12 D-13 D-14 D-127 D-132 D-133 D-134 D-154 what each agent is given: one story, a slot and a branch of its own, the shared folder", async (t) => {
		const world = worldFor(t, {
			stories: [{ id: "US-1" }, { id: "US-2" }, { id: "US-3" }],
			agent: {
				"any.context_gathering":
					'echo "$S $COMPOSE_PROJECT_NAME $(git branch --show-current) $(basename "$PWD") $RALPH_SHARED_DIR $PAWL_SHARED_DIR" >> "$W/notes/given"; note now; [ "$S" = US-3 ] || hold both',
			},
		});
		const pawl = world.start(world.runArgs(2));
		await until("two are under way", () => world.noted("at-both").length === 2);
		assert.equal(world.noted("now").length, 2, "no third one beside them");
		world.release("both");
		assert.equal((await pawl.ended).code, 0);
		const found = journal(world);
		const shared = found?.sharedDir ?? "";
		const given = world.noted("given").map((line) => line.split(" "));
		assert.deepEqual(
			given.slice(0, 2).sort(),
			["US-1", "US-2"].map((id) => {
				const slot = found?.state.stories.find((s) => s.id === id)?.slot;
				return [id, `ralph_agent_${slot}`, `ralph/${id}`, `agent-${slot}`, shared, shared];
			}),
		);
		for (const story of found?.state.stories ?? []) assert.equal(story.scope.steps.filter((s) => s.type !== "merge").length, 10);
		const files = world.git(["ls-tree", "-r", "--name-only", "main"]);
		assert.doesNotMatch(files, /workflow_state|scratch|workflow_edits|logs\/|\.pawl/);
		assert.deepEqual(violations(world), []);
	});

	test("D-153 a check of a merge that outlived its pawl is ended before the merge is done again", async (t) => {
		const world = worldFor(t, {
			stories: [{ id: "US-1" }],
			config: 'checks:\n  test: sh "$TMPDIR/check.sh"\nbaseline: off\n',
			agent: { "any.final_review": "once hold && hold review" },
		});
		// Only a merge is on no branch.
		const notes = join(world.folder, "notes");
		writeFileSync(
			join(world.folder, "check.sh"),
			`git symbolic-ref -q HEAD > /dev/null && exit 0
exec 9> ${notes}/lock-check
flock -n 9 || echo "two checks at once" >> ${notes}/overlaps
mkdir ${notes}/once-check 2> /dev/null || exit 0
echo here >> ${notes}/at-check
sleep 300\n`,
		);
		const env = { PAWL_ISOLATION: "none", TMPDIR: world.folder };
		const pawl = world.start(world.runArgs(1), env);
		await until("it is at its last step", () => world.noted("at-review").length === 1);
		// Base moves: what is merged is another tree than the one that was checked before.
		world.write("of-the-user.txt", "mine\n");
		world.git(["add", "of-the-user.txt"]);
		world.git(["commit", "-qm", "mine"]);
		const foreign = [world.git(["rev-parse", "main"])];
		world.release("review");
		await until("it is at the check of the merge", () => world.noted("at-check").length === 1);
		process.kill(pawl.pid, "SIGKILL");
		await pawl.ended;
		const resumed = await world.pawl(["resume"], env);
		assert.equal(resumed.code, 0, resumed.err);
		assert.deepEqual(violations(world, { foreign }), []);
	});

	test("D-107 removes what a killed writer left beside workflow_state.json and prd.json, keeps a live one's file", async (t) => {
		const world = worldFor(t, { stories: [{ id: "US-1" }], agent: { "any.coding": 'hold coding; . "$W/do/any.plain"' } });
		world.agent("any.plain", 'echo "$S" > "$S.txt"; mkdir -p more; echo "$S" > "more/$S.txt"');
		const pawl = world.start(world.runArgs(1));
		await until("it is at coding", () => world.noted("at-coding").length === 1);
		process.kill(pawl.pid, "SIGKILL");
		await pawl.ended;
		const dead = `${pawl.pid}.0123456789ab.tmp`;
		const live = `${process.pid}.0123456789ab.tmp`;
		world.write(`prd.json.${dead}`, "{");
		world.write(`prd.json.${live}`, "{");
		writeFileSync(join(journal(world)?.sharedDir ?? "", `workflow_state.json.${dead}`), "{");
		world.release("coding");
		assert.equal((await world.pawl(["resume"])).code, 0);
		assert.deepEqual(violations(world), []);
		assert.deepEqual([world.read(`prd.json.${dead}`), world.read(`prd.json.${live}`)], [null, "{"]);
	});
});
