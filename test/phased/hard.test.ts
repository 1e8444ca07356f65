// Hard times: pawl killed at its commit points, agents that take our files away or put links in their place, decisions while nobody runs.
import assert from "node:assert/strict";
import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { exited, kill9, pawl } from "../support/pawl.ts";
import { built, checked, DOC, documentOf, phased, quickPhased, waits } from "../support/phased-site.ts";
import { exists, list, put, read, scratchFolder, until } from "../support/scratch.ts";

const ALL = ["1.1", "1.2", "2.1"];
const learns = [{ when: { type: "execute", story: "1.1" }, do: built({ learn: ["pattern | learned-first | rule | place"] }) }];

describe("phased in hard times", () => {
	// With real files and git; every place there is, in process: src/engine/crash.test.ts.
	for (const point of ["done release_story#1"])
		it(`C-01 S-10 S-33 S-46 S-48: killed ${point}, it ends as if nothing had happened`, async () => {
			const s = phased(learns);
			const first = await pawl(["run", "phased", DOC, "--yes", "--agent-command", s.agent.command], {
				cwd: s.repo,
				env: { ...s.env, PAWL_CRASH_AT: point },
			});
			assert.notEqual(first.code, 0, `${point} was never reached`);
			exited(await s.cmd("resume"), 0);
			const state = s.state();
			assert.deepEqual([s.done(), state.orchestrator.status, state.active_agents], [ALL, "completed", []]);
			assert.deepEqual(
				[state.checkpoints.map((c) => c.task), s.snapshots().length, state.milestones.map((m) => m.phase)],
				[ALL, 3, [0, 1]],
			);
			assert.deepEqual(
				read(s.repo, ".claude/learnings.jsonl")
					.trim()
					.split("\n")
					.map((line) => JSON.parse(line)),
				state.learnings,
			);
			assert.equal(read(s.repo, ".claude/checkpoint.json"), read(s.repo, ".claude/checkpoint-003.json"));
			assert.ok(state.supervisor.checks_performed >= 6);
		});

	it("S-48 S-49: an agent that cleans the tree of all that is ignored takes no checkpoint away for long", async () => {
		const s = phased([{ when: { type: "execute", story: "1.2" }, do: ["git clean -qfdx -e .pawl", ...built()] }, ...learns]);
		exited(await s.run(), 0);
		assert.deepEqual([s.snapshots(), s.done()], [["checkpoint-001.json", "checkpoint-002.json", "checkpoint-003.json"], ALL]);
		assert.match(read(s.repo, ".claude/learnings.jsonl"), /learned-first/);
		assert.deepEqual(JSON.parse(read(s.repo, ".claude/locks.json")), []);
	});

	it("S-11 S-46: links that an agent puts in the place of our files lead nowhere", async () => {
		const outside = scratchFolder("outside");
		put(outside, { victim: "mine\n" });
		const swap = [
			"rm -rf .claude/learnings.jsonl .claude/agent-state.json .claude/milestones",
			...["learnings.jsonl", "agent-state.json"].map((name) => `ln -s ${outside}/victim .claude/${name}`),
			`ln -s ${outside} .claude/milestones`,
		];
		const s = quickPhased([{ when: { type: "execute", story: "1.1" }, do: [...swap, ...built({ learn: ["insight | a | b | c"] })] }]);
		exited(await s.run(), 0);
		assert.deepEqual([read(outside, "victim"), list(outside)], ["mine\n", ["victim"]]);
		assert.deepEqual(s.done(), ALL);
	});

	it("S-01: a state folder that is a link is refused before anything is done", async () => {
		const s = quickPhased();
		const outside = scratchFolder("outside");
		mkdirSync(join(outside, "claude"));
		symlinkSync(join(outside, "claude"), join(s.repo, ".claude"));
		assert.match(exited(await s.run(), 2).stderr, /is a link/);
		assert.deepEqual(list(outside, "claude"), []);
	});

	it("S-08: cancelled while it waits and nobody runs it, the file says failed at once", async () => {
		const s = quickPhased();
		exited(await s.cmd("run", "phased", DOC, "--agent-command", s.agent.command), 3);
		exited(await s.cmd("cancel", "latest"), 0);
		assert.deepEqual([s.state().orchestrator.status, s.state().orchestrator.end_time === null], ["failed", false]);
		exited(await s.run(), 0);
		assert.equal(s.state().orchestrator.status, "completed");
	});

	it("S-45: a bound that is raised while nobody runs is in the file at once; a file that a person changed is not written over by that", async () => {
		const s = quickPhased([{ when: { type: "execute" }, do: built({ cost: 0.2 }) }]);
		exited(await s.run("--max-cost", "0.30", "--allow-unknown-cost"), 4);
		exited(await s.cmd("extend", "latest", "--max-cost", "3"), 0);
		assert.equal(s.state().safety_bounds.max_cost, "$3");
		put(s.repo, { ".claude/agent-state.json": read(s.repo, ".claude/checkpoint-001.json") });
		exited(await s.cmd("extend", "latest", "--max-cost", "4"), 0);
		assert.equal(read(s.file), read(s.repo, ".claude/checkpoint-001.json"));
		exited(await s.cmd("resume"), 0);
		assert.deepEqual(s.done(), ALL);
	});

	it("S-46 C-02: what was learned before is in the prompts after a checkpoint was restored", async () => {
		const s = phased([...learns, { when: { type: "execute", story: "1.2", nth: 1 }, do: [waits("hang")] }]);
		const started = s.begin();
		await until("the second task", () => exists(s.agent.flag("at-hang")));
		await kill9(started);
		put(s.repo, { "work/half.txt": "what the session that was killed left" });
		exited(await s.cmd("checkpoint", "restore", "latest"), 0);
		assert.equal(exists(s.repo, "work/half.txt"), false);
		exited(await s.cmd("resume"), 0);
		assert.match(s.agent.of("execute").at(-1)?.prompt ?? "", /learned-first/);
	});

	it("S-33: a session that fails four times in a row fails the run; retry goes on", async () => {
		const s = quickPhased([1, 2, 3, 4].map((nth) => ({ when: { type: "execute", story: "1.2", nth }, do: ["exit 3"] })));
		exited(await s.run(), 1);
		assert.equal(s.state().orchestrator.status, "failed");
		exited(await s.cmd("retry"), 0);
		assert.deepEqual(s.done(), ALL);
	});

	it("S-05 S-14: pawl run --yes on a document whose plan waits approves it and goes on", async () => {
		const s = quickPhased([{ when: { type: "pre_task" }, do: checked("pass") }], documentOf(["1.1"]));
		exited(await s.cmd("run", "phased", DOC, "--agent-command", s.agent.command), 3);
		exited(await s.run(), 0);
		assert.deepEqual(s.calls(), ["plan", "pre_task 1.1", "execute 1.1", "post_task 1.1", "scan"]);
	});
});
