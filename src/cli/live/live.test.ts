// The live view on a small terminal: never a line too wide, nothing left of a drawing when the next one or the end comes.
import assert from "node:assert/strict";
import { describe, it, mock } from "node:test";
import { fold } from "../../core/fold/apply.ts";
import { cost, dynamic, failedCheck, linear, storyOf, type TypePart } from "../../core/testing/builders.suite.ts";
import { World } from "../../core/testing/world.suite.ts";
import type { Context } from "../context.ts";
import { type LiveView, liveView } from "./live.ts";
import { Terminal, withoutColor } from "./terminal.suite.ts";

const SHA = "0123456789abcdef0123456789abcdef01234567";
const NASTY = "宽字符 🚀 with \u001b[2J codes \u202e and\nlines, and longer than any terminal that anybody has on a desk today";

/** Three agents; a restart, an edit, a failed check and a conflict on the way. */
function eventful(): World {
	const world = new World(dynamic(), {
		stories: [storyOf("US-001"), storyOf("US-002", { title: NASTY, dependsOn: ["US-001"] }), storyOf("US-003"), storyOf("US-004")],
		options: { agents: 3, base: "main" },
	});
	const restart = { operations: [{ operation: "restart", target_step_id: "step-005", reason: NASTY, new_description: "again" }] };
	const skip = { operations: [{ operation: "skip", target_step_id: "step-009", reason: "nothing to prune" }] };
	return world.play({
		"US-001 coding": [{ edits: restart, usage: cost(0.1) }, { usage: cost(0.2) }],
		"US-003 planning": { edits: skip, notes: "- one\n- two" },
		"US-003 initial_testing": [{ checks: [failedCheck()] }, {}],
		"US-004 merge": [
			{ signal: "conflict", error: "conflict with main in README.md" },
			{ signal: "merged", notes: SHA },
		],
		merge: { signal: "merged", notes: SHA },
	});
}

function playOn(terminal: Terminal, world: World, look: (view: LiveView, index: number) => void, env: NodeJS.ProcessEnv = {}): string {
	mock.timers.enable({ apis: ["setTimeout", "setInterval"] });
	try {
		let written = "";
		const context = {
			env,
			now: () => world.at + 3_000,
			err: (text: string) => {
				written += text;
				terminal.write(withoutColor(text));
			},
		} as unknown as Context;
		const view = liveView(context, () => terminal);
		for (const [index, event] of world.events.entries()) {
			const state = fold(world.events.slice(0, index + 1));
			assert.ok(state);
			view.report([event], state);
			look(view, index);
		}
		view.close();
		return written;
	} finally {
		mock.timers.reset();
	}
}

const draw = (): void => mock.timers.tick(100);
const drawnRows = (terminal: Terminal): string[] => terminal.text().slice(terminal.text().lastIndexOf("", -2));

describe("the live view", () => {
	for (const columns of [30, 80, 200])
		it(`on ${columns} columns no line wraps, and only what happened is left at the end`, () => {
			const terminal = new Terminal(columns, 24);
			let seen = 0;
			playOn(terminal, eventful(), () => {
				draw();
				seen = Math.max(seen, drawnRows(terminal).length);
			});
			assert.ok(seen > 3, "something was under way");
			const text = terminal.text();
			assert.deepEqual([text.at(-1), terminal.cursor()], ["", { row: text.length - 1, column: 0 }], "the cursor is below the last line");
			const lines = text.slice(0, -1);
			assert.ok(
				lines.every((line) => /^(\d\d:\d\d:\d\d | {8,})/.test(line)),
				lines.join("\n"),
			);
			const all = lines.join("\n");
			for (const word of ["restarts", "skips", "failed", "rebase_resolve", "runs"]) assert.match(all, new RegExp(word));
			assert.equal(lines.filter((line) => line.includes("completed")).length, 4);
		});

	it("shows a line for each agent, what it does, and what comes next", () => {
		const terminal = new Terminal(80, 24);
		const world = new World(dynamic(), {
			stories: ["US-001", storyOf("US-002", { dependsOn: ["US-001"] })],
			options: { agents: 2, base: "main" },
		});
		world.until("US-001 coding", { merge: { signal: "merged" } });
		let rows: string[] = [];
		playOn(terminal, world, () => {
			draw();
			rows = terminal.text();
		});
		const shown = rows.slice(-6, -1);
		assert.equal(shown[0], "");
		assert.match(shown[1] ?? "", /^\S tiny {2}0 of 2 stories {2}3\.0s {2}cost unknown$/);
		assert.match(shown[2] ?? "", /^ {2}agent 1 {2}US-001 +4\/11 {2}coding .*Story US-001$/);
		assert.equal(shown[3], "  agent 2  idle");
		assert.equal(shown[4], "  next     US-002 (after US-001)");
	});

	it("X-28 of a loop it has the iteration, the role that has its turn and for how long, and the stories that pass", () => {
		const terminal = new Terminal(100, 24);
		const roles = { W: { role: "worker" }, R: { role: "reviewer" } };
		const loop: TypePart = {
			kind: "loop",
			loop: { schedule: "WR", roles, max: "{{max_iterations}}", inject: {} },
			on: { done: { action: "retry" } },
		};
		const world = new World(linear({ loop }), { fields: { max_iterations: "9", stories_passed: "1", stories_total: "3" } });
		world.end("loop");
		let rows: string[] = [];
		playOn(terminal, world, () => {
			draw();
			rows = terminal.text();
		});
		assert.match(rows.at(-3) ?? "", /^\S \S+ {2}iteration 2 of 9 {2}1\/3 stories pass {2}3\.0s {2}cost unknown$/);
		assert.match(rows.at(-2) ?? "", /^ {2}reviewer +3\.0s/);
	});

	it("has nothing left of a drawing when the terminal became narrower or wider", () => {
		const terminal = new Terminal(120, 24);
		playOn(terminal, eventful(), (_, index) => {
			draw();
			if (index % 7 === 3) terminal.resize([50, 120, 80][index % 3] ?? 80);
		});
		const left = terminal.text().filter((line) => /agent \d {2}|of 4 stories|^ {2}next/.test(line));
		assert.deepEqual(left, []);
	});

	it("never has more lines than a small terminal has rows", () => {
		const terminal = new Terminal(80, 8);
		const ids = Array.from({ length: 40 }, (_, i) => `US-${i + 1}`);
		playOn(terminal, new World(dynamic(), { stories: ids, options: { agents: 30 } }), () => {
			draw();
			assert.ok(drawnRows(terminal).length <= 8);
		});
	});

	it("keeps drawing while nothing happens, and prints warnings on their own lines", () => {
		const terminal = new Terminal(60, 24);
		const world = new World(dynamic(), { stories: ["US-001"] });
		let writes = 0;
		playOn(terminal, world, (view, index) => {
			if (index < world.events.length - 1) return;
			draw();
			const before = terminal.text().at(-3);
			for (let i = 0; i < 3; i++) draw();
			assert.notEqual(terminal.text().at(-3), before, "the head turns");
			view.note(`pawl: ${NASTY}`);
			draw();
			writes++;
		});
		assert.equal(writes, 1);
		assert.match(terminal.text().at(-2) ?? "", /^pawl: 宽字符 🚀 with .*…$/);
	});

	it("NO_COLOR is obeyed", () => {
		// biome-ignore lint/suspicious/noControlCharactersInRegex: a colour begins with a control character
		const colors = /\u001b\[[0-9;]*m/;
		assert.match(playOn(new Terminal(80, 24), eventful(), draw), colors);
		assert.doesNotMatch(playOn(new Terminal(80, 24), eventful(), draw, { NO_COLOR: "1" }), colors);
	});
});
