// The view as lines: what is on it, at which size, and that nothing that others wrote can leave its place.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { cost, dynamic, failedCheck, linear, storyOf, type TypePart } from "../../core/testing/builders.suite.ts";
import { World } from "../../core/testing/world.suite.ts";
import { columnsOf } from "../text/columns.ts";
import { paint } from "../text/text.ts";
import { LARGE, modelOf, shown } from "./model.suite.ts";
import { hasScreen } from "./screen.ts";
import { view } from "./view.ts";

const NASTY = "宽字符 🚀 with \u001b[2J codes \u202e and\nlines, and longer than any terminal that anybody has on a desk today, by far";

function threeAgents(): World {
	const world = new World(dynamic(), {
		stories: ["US-001", storyOf("US-002", { title: NASTY, dependsOn: ["US-001"] }), "US-003", "US-004"],
		options: { agents: 2, base: "main", budgets: { cost: 10 }, allowUnknownCost: true },
	});
	return world.until("US-001 coding", {
		"US-001 planning": { usage: { costUsd: 0.25, inputTokens: 12_000, outputTokens: 800 } },
		"US-003 coding": null,
		"US-003 planning": { usage: cost(0.5) },
	});
}

const approval: TypePart = { kind: "approval", on: { approved: { action: "next" }, rejected: { action: "fail", target: "run" } } };

describe("the terminal view", () => {
	it("A-71 shows the run, its limits, its stories with their steps, the output and the keys on 80 by 24", () => {
		const output = ["I will look at the code.", "  → Bash npm test", "all good"];
		const lines = shown(modelOf(threeAgents(), { output }));
		assert.equal(lines.length, 24);
		assert.match(lines[0] ?? "", /^tiny run-1 {2}A run +running {2}3s$/);
		assert.match(lines[1] ?? "", /^0 of 4 stories, \d+ % {3}\$0\.75\+\? of \$10\.00 {3}12k in \/ 800 out/);
		const text = lines.join("\n");
		assert.match(text, /^>● US-001 +4\/11 +coding +3s +\$0\.25 +Story US-001$/m);
		assert.match(text, /^ ○ US-002 +after US-001 /m);
		assert.match(text, /^ ● US-003 +4\/11 +coding /m);
		assert.match(text, /^ ○ US-004 +next +Story US-004$/m);
		assert.match(text, /^── US-001 step-005 coding · in progress ─+ 3s ──$/m);
		assert.match(text, /✓ test_architecture {3}● coding {3}○ linting/);
		assert.match(text, /^ I will look at the code\.\n {3}→ Bash npm test\n all good$/m);
		assert.equal(lines.at(-1), " ↑↓ story  ←→ step  l log  d diff  s steer  p pause  ? help  q leave");
	});

	it("A-71 a run that keeps its stories in a file of its own shows them below the run, the open ones first where there is little room", () => {
		const world = new World(linear({ iterations: {} }));
		const kept = Array.from({ length: 30 }, (_, n) => ({
			...{ id: `S${n + 1}`, title: `Title ${n + 1}`, notes: "", description: "", acceptance_criteria: [] },
			...{ passes: n < 20, status: n < 20 ? ("completed" as const) : n === 20 ? ("in_progress" as const) : ("unclaimed" as const) },
		}));
		const model = modelOf(world);
		const lines = shown({ ...model, run: { ...model.run, kept } });
		assert.equal(lines.length, 24);
		const text = lines.join("\n");
		assert.match(text, /^── run, 20 of 30 stories pass ─/m);
		assert.match(text, /^ {3}✓ S20 +Title 20\n {3}● S21 +Title 21\n {3}○ S22 +Title 22$/m);
		assert.doesNotMatch(text, /Title 19/);
	});

	it("what is only good to know takes no line of its own, so that the rest does not move when numbers grow", () => {
		const wide = shown(modelOf(threeAgents()), LARGE);
		assert.match(wide[1] ?? "", / about \S+ left {3}8 sessions {3}2 agents$|12k in \/ 800 out {3}8 sessions {3}2 agents$/);
		assert.match(shown(modelOf(threeAgents()), { columns: 60, rows: 24 })[2] ?? "", /^── stories /);
	});

	it("output is painted by what it is; several dependencies fit or are counted", () => {
		const output = [
			"  → Bash npm test",
			"--- check test (npm test): failed, exit 1",
			"--- check lint (x): passed",
			"--- ended: ok",
			"hello",
		];
		const lines = view(modelOf(threeAgents(), { output }), { columns: 80, rows: 24 }, paint(true)).join("\n");
		for (const [code, text] of [
			[36, "   → Bash npm test"],
			[31, " --- check test (npm test): failed, exit 1"],
			[32, " --- check lint (x): passed"],
			[2, " --- ended: ok"],
		] as const)
			assert.ok(lines.includes(`\u001b[${code}m${text}`), text);
		assert.match(lines, /^ hello/m);
		const ids = ["US-001", "US-002", "US-003"];
		const world = new World(dynamic(), { stories: [...ids, storyOf("US-004", { dependsOn: ids })], options: { base: "main" } });
		assert.match(shown(modelOf(world)).join("\n"), /^ ○ US-004 +after US-001 \+2 /m);
	});

	it("stands side by side on 200 columns, with a line for each step", () => {
		const lines = shown(modelOf(threeAgents(), { output: ["hello"] }), LARGE);
		assert.equal(lines.length, 60);
		assert.match(lines.join("\n"), /^── stories ─+│── US-001 step-005 coding /m);
		assert.match(lines.join("\n"), /^>● US-001 .*│ hello$/m);
		assert.match(lines.join("\n"), /^── steps of US-001 ─+│$/m);
		assert.match(lines.join("\n"), /^>● coding +3s/m);
	});

	it("keeps what others wrote on its line, at every size", () => {
		const world = threeAgents();
		world.end("US-003 coding", { checks: [failedCheck()], notes: NASTY });
		for (const columns of [20, 40, 80, 129, 130, 200])
			for (const rows of [3, 8, 12, 24, 60])
				for (const ui of [{}, { scope: "US-002" }, { note: NASTY }, { prompt: { kind: "steer", text: NASTY } as const }]) {
					const lines = view(
						modelOf(world, { ui, output: ["x".repeat(500), NASTY.replaceAll(/\p{Cc}/gu, "")] }),
						{ columns, rows },
						paint(false),
					);
					assert.equal(lines.length, rows);
					for (const line of lines) {
						assert.ok(columnsOf(line) < columns, `${columns} columns: ${line}`);
						// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
						assert.doesNotMatch(line, /[\u0000-\u001f\u007f-\u009f]/);
					}
				}
	});

	it("G-16 says what waits and why, in the sentences of every other front end", () => {
		const world = new World(linear({ plan: {}, agree: approval, work: {} }));
		world.end("plan", { notes: "first this, then that" });
		const lines = shown(modelOf(world)).join("\n");
		assert.match(lines, /waiting, 1 question for you {2}\d+s$/m);
		assert.match(lines, /^── why ─+\n {2}step-002 agree waits for a person: /m);
		assert.match(lines, /^ agree waits for you: .*\n\n {3}first this, then that$/m, "the question is where the output would be");
		assert.match(lines, /^ a approve {2}x reject {2}/m);
		assert.doesNotMatch(lines, /r resume/, "an answer comes first");
		const asked = shown(
			modelOf(world, {
				ui: { page: { kind: "ask", scope: "@run", step: "step-002", ask: world.find("@run", "agree").question?.version, top: 0 } },
			}),
		).join("\n");
		assert.match(asked, /^agree waits for you: .*\n\n {2}first this, then that$/m);
		assert.match(asked, /^ y approve {2}n reject {2}/m);
	});

	it("says that no process drives a run, and offers to resume it", () => {
		const lines = shown(modelOf(threeAgents(), { driven: false }));
		assert.match(lines[0] ?? "", /cut off: no process drives it/);
		assert.match(lines.at(-1) ?? "", /^ r resume /);
	});

	it("shows a window of a thousand stories around the selected one", () => {
		const ids = Array.from({ length: 1_000 }, (_, i) => `US-${i + 1}`);
		const world = new World(dynamic(), { stories: ids, options: { agents: 3 } });
		const model = modelOf(world, { ui: { scope: "US-500" } });
		const text = shown(model).join("\n");
		assert.match(text, /^── stories \d+–\d+ of 1000 ─/m);
		assert.match(text, /^>○ US-500 /m);
	});

	it("counts down a usage limit", () => {
		const world = new World(dynamic(), { stories: ["US-001"], options: { base: "main" } });
		world.end("context_gathering", { signal: "rate_limited", error: "limit reached", retryAt: world.at + 600_000 });
		assert.match(shown(modelOf(world)).join("\n"), /usage limit, 9m57s left/);
	});

	it("X-28 of a loop it has the iteration, the role that has its turn and for how long, and the stories that pass", () => {
		const roles = { W: { role: "worker" }, R: { role: "reviewer" } };
		const loop: TypePart = {
			kind: "loop",
			loop: { schedule: "WR", roles, max: "{{max_iterations}}", inject: {} },
			on: { done: { action: "retry" } },
		};
		const world = new World(linear({ loop }), { fields: { max_iterations: "9", stories_passed: "1", stories_total: "3" } });
		world.end("loop");
		const text = shown(modelOf(world)).join("\n");
		assert.match(text, /^iteration 2 of 9 {3}1\/3 stories pass /m);
		assert.match(text, /^── run step-001 loop · in progress .*· reviewer ─+ 3s ──$/m);
	});

	it("plain lines where there is no screen, or none is wanted", () => {
		const here = { errIsTty: true, env: { TERM: "xterm" } };
		assert.ok(hasScreen(here, true));
		assert.ok(hasScreen({ ...here, env: { CI: "", NO_COLOR: "" } }, true));
		for (const env of [{ TERM: "dumb" }, { CI: "true" }, { NO_COLOR: "1" }]) assert.ok(!hasScreen({ ...here, env }, true));
		assert.ok(!hasScreen({ ...here, errIsTty: false }, true));
		assert.ok(!hasScreen(here, false));
	});

	it("names the merge queue, and takes no other action of pawl for a merge", () => {
		const world = new World(dynamic(), { stories: ["US-001", "US-002"], options: { agents: 2, base: "main" } });
		assert.doesNotMatch(shown(modelOf(world)).join("\n"), /merge queue/);
		world.until("US-001 merge", { merge: null });
		assert.match(shown(modelOf(world)).join("\n"), /^ merge queue {2}US-001/m);
	});
});
