// What the page makes of its data, without a browser: events of a stream, patches, sessions, the timeline, the graph, what can be done.
import assert from "node:assert/strict";
import { test } from "node:test";
import { EventReader } from "../../src/web/api/sse.ts";
import type { Attempt, RunView, StoryView } from "../../src/web/api/types.ts";
import { flat, plain } from "../../src/web/plain.ts";
import { attentionOf } from "../../src/web/words/attention.ts";
import { canOf } from "../../src/web/words/can.ts";
import { pictureOf } from "../../src/web/words/graph.ts";
import { lineOf } from "../../src/web/words/journal-line.ts";
import { lanesOf, sumsOf } from "../../src/web/words/lanes.ts";
import { type Entry, LogReader } from "../../src/web/words/log-entry.ts";
import { filesOf } from "../../src/web/words/patch.ts";
import { attempt, LOG, PATCH, run, step, story } from "./sample.ts";

test("X-24: events are read wherever the stream is cut, and comments are none", () => {
	const text = ': hello\n\nevent: journal\nid: 7\ndata: {"a":1}\n\nevent: run\r\ndata: one\r\ndata: two\r\n\r\n';
	for (let cut = 0; cut <= text.length; cut += 1) {
		const reader = new EventReader();
		assert.deepEqual(
			[...reader.read(text.slice(0, cut)), ...reader.read(text.slice(cut))],
			[
				{ name: "journal", id: "7", data: '{"a":1}' },
				{ name: "run", id: null, data: "one\ntwo" },
			],
			`cut at ${cut}`,
		);
	}
});

test("a patch becomes files with rows side by side; what was taken out stands beside what came in its place", () => {
	const [changed, added, deleted] = filesOf(PATCH);
	assert.deepEqual([changed?.name, changed?.added, changed?.removed], ["src/cart.ts", 2, 2]);
	assert.deepEqual(
		changed?.rows.map((row) => [row.kind, row.before?.number ?? null, row.after?.number ?? null]),
		[
			["hunk", null, null],
			["same", 1, 1],
			["same", 2, 2],
			["changed", 3, 3],
			["changed", null, 4],
			["same", 4, 5],
			["same", 5, 6],
			["changed", 6, null],
		],
	);
	assert.deepEqual([added?.name, added?.note, deleted?.name, deleted?.note], ["README.md", "new", "old.txt", "deleted"]);
	assert.deepEqual(filesOf(""), []);
});

const read = (records: readonly unknown[]): Entry[] => {
	const reader = new LogReader();
	return records.flatMap((record) => reader.read(record));
};

test("a session becomes marks, words, tool calls and their results; thinking is folded", () => {
	assert.deepEqual(
		read(LOG).map(({ kind, title, bad }) => `${kind} ${title}${bad ? " bad" : ""}`.trim()),
		[
			"mark attempt 1",
			"prompt prompt",
			"mark session",
			"thinking thinking",
			"text",
			"tool Bash",
			"result result",
			"tool Edit",
			"result failed bad",
			"check check test: failed, exit 1 bad",
			"mark ended: done",
		],
	);
	assert.equal(read(LOG).at(-1)?.attempt, 1);
});

test("every agent's records are read, and nonsense is shown as it is", () => {
	const kinds = (record: unknown) => read([record]).map(({ kind, text, more }) => [kind, text || (more ?? "")]);
	assert.deepEqual(kinds({ type: "item.completed", item: { type: "reasoning", text: "hm" } }), [["thinking", "hm"]]);
	assert.deepEqual(
		kinds({ type: "item.completed", item: { type: "command_execution", command: "ls", aggregated_output: "a", exit_code: 1 } }),
		[
			["tool", "ls"],
			["result", "a"],
		],
	);
	assert.deepEqual(kinds({ type: "text", part: { text: "hello" } }), [["text", "hello"]]);
	assert.deepEqual(kinds({ type: "message", role: "assistant", content: "hi" }), [["text", "hi"]]);
	assert.deepEqual(kinds({ type: "tool_use", tool_name: "shell", parameters: { command: "ls" } }), [["tool", "ls"]]);
	for (const record of [
		null,
		7,
		"x",
		[],
		{},
		{ type: 9 },
		{ type: "assistant", message: { content: 3 } },
		{ type: "attempt" },
		{ update: null },
	])
		assert.doesNotThrow(() => read([record]), JSON.stringify(record));
	// A text of many lines is drawn in parts.
	assert.equal(read([{ type: "text", text: Array.from({ length: 601 }, (_, i) => i).join("\n") }]).length, 11);
});

test("the timeline has a lane for each slot; what overlaps stands below each other, and a wait lasts until the next attempt", () => {
	const at = (...given: Parameters<typeof attempt>) => attempt(...given) as unknown as Attempt;
	const { lanes, from, to } = lanesOf(
		[
			at(null, "plan", "planning", 0, 1),
			// Lasts as long as its stories, and is no work of its own.
			at(null, "stories", "stories", 1, 9, { kind: "each", role: "" }),
			at("A", "code", "coding", 1, 2, { signal: "postponed" }),
			at("A", "code", "coding", 5, 6, { number: 2 }),
			at("B", "review", "review", 1, 4, { slot: 2, role: "a" }),
			at("B", "review", "review", 2, null, { slot: 2, role: "b" }),
		],
		Date.UTC(2026, 0, 5, 9, 10),
	);
	assert.deepEqual(
		lanes.map((lane) => [lane.name, lane.rows, lane.pieces.length]),
		[
			["run", 1, 1],
			["agent 1", 1, 3],
			["agent 2", 2, 2],
		],
	);
	assert.equal((to - from) / 60_000, 10);
	assert.equal(sumsOf(lanes).find((sum) => sum.type === "waiting")?.ms, 180_000);
});

test("the graph draws dependencies by layers, leaves out what it does not know, and puts the rest into a grid", () => {
	const picture = pictureOf(
		[
			{ id: "A", depends_on: [] },
			{ id: "B", depends_on: ["A", "elsewhere", "B"] },
			{ id: "C", depends_on: [] },
			{ id: "D", depends_on: [] },
		],
		2,
	);
	const place = new Map(picture.nodes.map((node) => [node.id, node]));
	assert.deepEqual(
		picture.arrows.map(({ from, to }) => `${from} ${to}`),
		["A B"],
	);
	assert.ok((place.get("A")?.x ?? 0) < (place.get("B")?.x ?? 0));
	assert.ok((place.get("C")?.y ?? 0) > (place.get("A")?.y ?? 0));
	assert.equal(place.get("C")?.y, place.get("D")?.y);
	// A ring, as a broken list may have.
	assert.equal(
		pictureOf(
			[
				{ id: "A", depends_on: ["B"] },
				{ id: "B", depends_on: ["A"] },
			],
			2,
		).arrows.length,
		2,
	);
});

const view = (more: object): RunView => run("r", more) as unknown as RunView;

test("A-72: an action is offered only while it can be done", () => {
	const names = (more: object): string =>
		Object.entries(canOf(view({ budgets: {}, ...more })))
			.filter(([, can]) => can)
			.map(([name]) => name)
			.join(" ");
	assert.equal(names({}), "pause steer cancel");
	assert.equal(names({ driven: false }), "resume steer cancel");
	assert.equal(names({ stopping: "pause" }), "steer cancel");
	assert.equal(names({ status: "paused", driven: false }), "resume steer cancel");
	assert.equal(names({ status: "waiting", driven: false }), "steer cancel");
	assert.equal(names({ status: "completed", driven: false }), "");
	assert.equal(names({ status: "cancelled", driven: false }), "");
	const advice = (command: string) => [{ text: "", commands: [`pawl ${command} r`] }];
	assert.equal(names({ status: "failed", driven: false, advice: advice("retry") }), "retry");
	assert.equal(names({ status: "failed", driven: false, advice: advice("resume") }), "resume");
	assert.match(names({ budgets: { cost: { limit: 5, spent: 1, per: "run", story: null } } }), /extend/);
});

test("stories stand by the attention that they need", () => {
	const of = (status: string, more: object = {}, ofRun: object = {}) =>
		attentionOf(view(ofRun), story("S", status, more) as unknown as StoryView, 1_000);
	assert.equal(of("in_progress", {}, { waiting: [{ story: "S", step: "s", type: "t", reason: "" }] }), "asks");
	assert.equal(of("in_progress", {}, { merging: [{ story: "S" }] }), "merging");
	assert.equal(of("in_progress", { current_step: step("s", "t", "pending", { not_before: "2030-01-01T00:00:00Z" }) }), "waits");
	assert.deepEqual(
		["in_progress", "completed", "failed", "blocked", "unclaimed"].map((status) => of(status)),
		["working", "done", "failed", "waits", "open"],
	);
});

test("what agents wrote comes without the codes of a terminal and without characters that turn a line around", () => {
	assert.equal(plain("\u001b[31mred\u001b[0m \u001b]0;title\u0007x\u202eevil\u2066 \u0000\ta\nb"), "red xevil \ta\nb");
	assert.equal(flat(" a\n\n b\t"), "a b");
	assert.equal(
		lineOf({ event: "some_day", at: 1, version: 3, scope: "A", step: "s", reason: "why\nnot", by: { user: "ann", how: "ui" } }).detail,
		"why not · by ann (ui)",
	);
});
