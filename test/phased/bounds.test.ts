// Bounds: warnings, stopping with exit 4, going on after they were raised.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { exited } from "../support/pawl.ts";
import { built, documentOf, phased, quickPhased } from "../support/phased-site.ts";

describe("bounds of a phased run", () => {
	it("S-40 S-41 X-20: iterations: exit 4, failed, named; extend and resume go on, and the finished task is not run again", async () => {
		const s = quickPhased([
			{ when: { type: "execute", story: "1.2", nth: 1 }, do: built({ status: "incomplete" }) },
			{ when: { type: "execute", story: "1.2", nth: 2 }, do: built({ status: "incomplete" }) },
		]);
		const ended = exited(await s.run("--max-iterations", "2"), 4);
		assert.match(ended.all, /2 iterations/);
		const { orchestrator: o, safety_bounds: b, completed_tasks } = s.state();
		assert.deepEqual([o.status, o.end_time === null, o.ralph_iteration, b.max_iterations_per_task], ["failed", false, 2, 2]);
		assert.match(b.warnings.at(-1) ?? "", /2 iterations is used up in 1\.2/);
		assert.deepEqual(
			completed_tasks.map((t) => t.task),
			["1.1"],
		);
		assert.match(exited(await s.cmd("resume"), 4).stderr, /pawl extend .* --max-iterations/);
		assert.match(exited(await s.cmd("extend", "latest", "--max-iterations", "2"), 2).stderr, /new total/);
		exited(await s.cmd("extend", "latest", "--max-iterations", "5"), 0);
		exited(await s.cmd("resume"), 0);
		assert.deepEqual(
			[s.executed(), s.state().completed_tasks.map((t) => t.iterations)],
			[
				["1.1", "1.2", "1.2", "1.2", "2.1"],
				[1, 3, 1],
			],
		);
		assert.deepEqual([s.state().safety_bounds.max_iterations_per_task, s.state().orchestrator.status], [5, "completed"]);
	});

	it("S-44 S-42: cost warns at 75 % and 90 %, each once, and adds up", async () => {
		const s = quickPhased([{ when: { type: "execute" }, do: built({ cost: 0.3 }) }]);
		exited(await s.run("--max-cost", "1", "--allow-unknown-cost"), 0);
		const { safety_bounds: b, completed_tasks } = s.state();
		assert.deepEqual([b.cost_so_far, completed_tasks.map((t) => t.cost)], ["$0.90", ["$0.30", "$0.30", "$0.30"]]);
		assert.deepEqual(b.warnings, ["Cost at 75% of limit", "Cost at 90% of limit"]);
		assert.deepEqual(s.during("execute", "2.1")[0]?.safety_bounds.warnings, []);
	});

	it("S-45 X-20: cost: no new session starts, the one under way may finish; raised, the run goes on", async () => {
		const s = quickPhased([{ when: { type: "execute" }, do: built({ cost: 0.2 }) }]);
		exited(await s.run("--max-cost", "0.30", "--allow-unknown-cost"), 4);
		assert.deepEqual([s.calls().at(-1), s.state().orchestrator.status], ["execute 1.2", "failed"]);
		exited(await s.cmd("extend", "latest", "--max-cost", "5"), 0);
		exited(await s.cmd("resume"), 0);
		assert.deepEqual([s.executed(), s.state().safety_bounds.max_cost], [["1.1", "1.2", "2.1"], "$5"]);
	});

	it("S-45 S-43: time: stops with exit 4; raised, the run goes on, and the pause does not count", async () => {
		const s = phased([{ when: { type: "execute", story: "1.1" }, do: ["sleep 1.2", ...built()] }], documentOf(["1.1", "1.2"]));
		exited(await s.run("--max-time", "1s"), 4);
		assert.match(s.state().safety_bounds.warnings.join("\n"), /time budget/);
		assert.equal(s.state().safety_bounds.max_time, "1s");
		exited(await s.cmd("extend", "latest", "--max-time", "1h"), 0);
		exited(await s.cmd("resume"), 0);
		const { start_time, end_time } = s.state().orchestrator;
		const [, h, m, sec] = /^(\d+)h (\d+)m (\d+)s$/.exec(s.state().safety_bounds.elapsed_time) ?? [];
		const elapsed = (Number(h) * 60 + Number(m)) * 60 + Number(sec);
		assert.ok(elapsed >= 1 && elapsed * 1000 <= Date.parse(end_time ?? "") - Date.parse(start_time), `${elapsed} s`);
	});
});
