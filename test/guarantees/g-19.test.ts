// G-19: a re-plan is a plan: what it drops, adds or weakens is said and needs the approval that the first plan needed. Walked over every
// path whose workflow can plan anew.
import assert from "node:assert/strict";
import { test } from "node:test";
import { waitingSteps } from "../../src/core/query.ts";
import type { Harness } from "../../src/engine/testing/harness.suite.ts";
import { standingReasons } from "../../src/runs/look/why.ts";
import { say } from "../support/fake-agent.ts";
import { exited, kill9, startPawl } from "../support/pawl.ts";
import { checked, DOC, documentOf, phased, waits } from "../support/phased-site.ts";
import { complete } from "../support/real-driver.ts";
import { exists, until } from "../support/scratch.ts";
import { alsoIn } from "./also-in.ts";
import { goOn, walk } from "./walk.ts";

const task = (id: string): string =>
	`### Task ${id}: Job ${id}\n\nDo it.\n\n- [ ] File exists \`test -f work/${id}.txt\`\n- [ ] Notes are written\n`;
const DOCUMENT = `# Demo\n\nWhat it is about.\n\n## Phase 1: Part 1\n\n${task("1.1")}\n${task("1.2")}\n## Phase 2: Part 2\n\n${task("2.1")}`;
const WHY = "ACTION: re_plan\nSEVERITY: high\nCONFLICT_TYPE: architecture\nRESOLUTION: the walls cannot stand";
const NEW_PLAN = JSON.stringify([
	{ task: "1.2", name: "Job 1.2", description: "Do it.", criteria: ["File exists `test -f work/1.2.txt`", "Notes are written"] },
]);

const approves = (h: Harness) => goOn(h, { type: "decide", at: h.clock.now(), scope: null, step: null, verdict: "approve", reason: "" });

walk("G-19 a new plan drops a task: it is named, a person is asked as for the first plan, and it is never done", ({ path, definition }) => {
	const plansAnew = Object.values(definition.types).filter((type) => type.replaces);
	if (plansAnew.length === 0) return "the workflow never plans anew";
	let planned = false;
	return {
		options: { files: { ...path.options.files, "tasks/demo.md": DOCUMENT }, options: { ...path.options.options, yes: false } },
		play: (turn, usual) => {
			if (turn.type === "replan") return `STATUS: done\nTASKS_JSON: ${NEW_PLAN}\n`;
			if (turn.role !== "supervisor" || turn.story !== "1.2" || planned) return usual();
			planned = true;
			return WHY;
		},
		holds: async (h, first) => {
			assert.equal(first.status, "waiting", "the first plan needs an approval");
			const second = await approves(h);
			assert.ok(planned);
			assert.equal(second.status, "waiting", second.reason ?? "");
			assert.ok(
				h.prompts.every((one) => one.story !== "2.1"),
				"what was dropped was begun",
			);
			const asked = JSON.stringify([standingReasons(await h.events(), second), waitingSteps(second).map(({ step }) => step.description)]);
			assert.match(`${asked}${JSON.stringify(h.notices)}`, /2\.1/, "nobody says what is dropped");
			const last = await approves(h);
			assert.equal(last.status, "completed", last.reason ?? "");
			assert.deepEqual(
				last.stories.filter((story) => story.status === "completed").map((story) => story.id),
				["1.1", "1.2"],
			);
			assert.equal(h.site.show(path.branch)["work/2.1.txt"], undefined);
		},
	};
});

/** With real processes: a new plan for the first of two tasks drops the second. */
const DROPS = `STATUS: done\nTASKS_JSON: ${JSON.stringify([{ task: "1.1", name: "Job 1.1", description: "Do marker-1.1.", criteria: ["Notes are written"] }])}\n`;
const REAL = documentOf(["1.1", "1.2"]);

for (const driver of ["run", "resumed"] as const)
	test(`G-19 a plan that drops a task waits for the person, who is told what it drops (${driver})`, async () => {
		const s = phased(
			[
				{ when: { type: "pre_task", nth: 1 }, do: checked("re_plan", "high") },
				...(driver === "run" ? [] : [{ when: { type: "replan", nth: 1 }, do: [waits("hang")] }]),
				{ when: { type: "replan" }, do: [say(DROPS)] },
			],
			REAL,
		);
		exited(await s.cmd("run", "phased", DOC, "--agent-command", s.agent.command), 3);
		const approved = startPawl(["approve", "--resume"], { cwd: s.repo, env: s.env });
		if (driver === "resumed") {
			await until("it plans anew", () => exists(s.agent.flag("at-hang")));
			await kill9(approved);
		}
		const ended = exited(driver === "run" ? await approved.done : await s.cmd("resume"), 3);
		assert.match(ended.all, /drops 1\.2: Job 1\.2/);
		assert.deepEqual(s.executed(), []);
	});

test("G-19 a plan that drops a task waits for the person, who is told what it drops (pulled)", async () => {
	const s = phased([], REAL);
	exited(await s.cmd("workflow", "run", "phased", DOC), 0);
	const answers = async (role: string, text: string) => {
		const { claim } = JSON.parse(exited(await s.cmd("step", "claim", role), 0).stdout) as { claim: string };
		return exited(await complete({ cwd: s.repo, env: s.env }, claim, text), 0);
	};
	await answers("planner", "STATUS: done\n");
	exited(await s.cmd("approve"), 0);
	await answers("supervisor", `${WHY}\n`);
	assert.match((await answers("planner", DROPS)).stdout, /"status":"waiting"/);
	assert.match(exited(await s.cmd("status"), 0).stdout, /drops 1\.2: Job 1\.2/);
});

alsoIn("G-19", "src/core/decide/replace.test.ts");
