// What each key does: to the selection, to the page, and what it asks of the run.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { dynamic, linear, storyOf, type TypePart } from "../../core/testing/builders.suite.ts";
import { World } from "../../core/testing/world.suite.ts";
import type { Key } from "./keys.ts";
import { type More, modelOf, SMALL, shown } from "./model.suite.ts";
import { type Model, selectedScope, selectedStep } from "./model.ts";
import { type Action, press } from "./press.ts";

const approval: TypePart = { kind: "approval", on: { approved: { action: "next" }, rejected: { action: "fail", target: "run" } } };
const busy = (): World =>
	new World(dynamic(), {
		stories: ["US-001", "US-002", storyOf("US-003", { dependsOn: ["US-001"] })],
		options: { agents: 2, base: "main" },
	}).until("US-001 coding", { "US-002 planning": null });
const asking = (): World => {
	const world = new World(linear({ plan: {}, agree: approval, work: {} }));
	world.end("plan", { notes: "the plan" });
	return world;
};

const askOf = (world: World): number | undefined => world.find("@run", "agree").question?.version;

/** Presses keys one after the other. */
function pressed(world: World, keys: readonly Key[], more: More = {}): { readonly model: Model; readonly action: Action | undefined } {
	let model = modelOf(world, more);
	let action: Action | undefined;
	for (const key of keys) {
		const next = press(model, key, SMALL);
		model = { ...model, ui: next.ui };
		action = next.action;
	}
	return { model, action };
}

const actionOf = (world: World, keys: readonly Key[], more: More = {}): Action | undefined => pressed(world, keys, more).action;

const wondering = (): World => {
	const on = { ask: { action: "wait", target: "answer", max: 1, per: "run", exhausted: { action: "fail", target: "run" } } } as const;
	const world = new World(linear({ plan: { on }, work: {} }));
	world.end("plan", { signal: "ask", error: "JSON or YAML?" });
	return world;
};

describe("keys of the terminal view", () => {
	it("a question in words is answered in words: a or t asks for them, y lets the agent decide, n rejects", () => {
		const of = { scope: "@run", step: "step-001", ask: wondering().find("@run", "plan").question?.version };
		const { model } = pressed(wondering(), ["a"]);
		assert.match(shown(model).join("\n"), /plan asks:\n\s+JSON or YAML\?/);
		assert.deepEqual(model.ui.prompt, { kind: "answer", question: of, text: "" });
		const answered = { do: "decide", ...of, verdict: "answer", reason: "y" };
		assert.deepEqual(actionOf(wondering(), ["a", "y", "enter"]), answered);
		assert.deepEqual(actionOf(wondering(), ["a", "esc", "t", "y", "enter"]), answered);
		assert.deepEqual(actionOf(wondering(), ["a", "esc", "y"]), { ...answered, verdict: "approve", reason: "" });
		assert.equal(actionOf(asking(), ["a", "t"]), undefined, "a question that wants a yes or a no");
	});

	it("up and down select a story, left and right a step, Esc follows again", () => {
		const { model } = pressed(busy(), ["down"]);
		assert.equal(selectedScope(model), "US-002");
		assert.equal(selectedScope(pressed(busy(), ["j", "j", "j", "j", "k"]).model), "US-002");
		assert.equal(selectedStep(pressed(busy(), ["left"]).model)?.type, "test_architecture");
		assert.equal(selectedStep(pressed(busy(), ["right"]).model)?.type, "linting");
		assert.equal(selectedStep(pressed(busy(), ["left", "down", "up"]).model)?.type, "coding", "another story begins at its current step");
		assert.equal(selectedScope(pressed(busy(), ["down", "esc"]).model), "US-001");
	});

	it("l opens the log, which follows its end until one scrolls", () => {
		const output = Array.from({ length: 100 }, (_, i) => `line ${i}`);
		const log = pressed(busy(), ["l"], { output });
		assert.match(shown(log.model).join("\n"), /log of US-001 step-005 coding/);
		assert.match(shown(log.model).join("\n"), /line 99$/m);
		const up = pressed(busy(), ["enter", "pageup"], { output }).model;
		assert.doesNotMatch(shown(up).join("\n"), /line 99$/m);
		assert.deepEqual(pressed(busy(), ["l", "pageup", "end"], { output }).model.ui.page, { kind: "log", top: null });
		assert.match(shown(pressed(busy(), ["l", "home"], { output }).model).join("\n"), /^line 0$/m);
		assert.equal(pressed(busy(), ["l", "esc"], { output }).model.ui.page, null);
	});

	it("d asks for the diff of the selected story", () => {
		assert.deepEqual(actionOf(busy(), ["down", "d"]), { do: "diff", story: "US-002" });
		const { model, action } = pressed(asking(), ["d"]);
		assert.deepEqual(action, { do: "diff", story: "run" }, "a run without stories: what the run changed");
		assert.match(model.ui.note ?? "", /what the run changed/);
	});

	it("a shows what is asked before anything is approved", () => {
		const { model, action } = pressed(asking(), ["a"]);
		assert.equal(action, undefined);
		assert.match(shown(model).join("\n"), /the plan/);
		assert.deepEqual(actionOf(asking(), ["a", "y"]), {
			do: "decide",
			scope: "@run",
			step: "step-002",
			ask: askOf(asking()),
			verdict: "approve",
			reason: "",
		});
		assert.equal(actionOf(asking(), ["a", "esc"]), undefined);
		assert.equal(pressed(busy(), ["a"]).model.ui.note, "nothing waits for you");
	});

	it("x and n ask for the reason of a rejection", () => {
		const reason = { do: "decide", scope: "@run", step: "step-002", ask: askOf(asking()), verdict: "reject", reason: "too big" } as const;
		assert.deepEqual(actionOf(asking(), ["x", "t", "o", "o", " ", "big", "enter"]), reason);
		assert.deepEqual(actionOf(asking(), ["a", "n", "too bigg", "backspace", "enter"]), reason);
		const { model, action } = pressed(asking(), ["x", "enter"]);
		assert.equal(action, undefined);
		assert.match(model.ui.note ?? "", /a reason is needed/);
	});

	it("a question that was answered elsewhere meanwhile is not answered again", () => {
		const { model } = pressed(asking(), ["a"]);
		const later = asking();
		later.feed({ type: "decide", scope: "@run", step: "step-002", verdict: "approve", reason: "" });
		const next = press({ ...modelOf(later), ui: model.ui }, "y", SMALL);
		assert.equal(next.action, undefined);
		assert.match(next.ui.note ?? "", /does not wait any more/);
	});

	it("s steers with what was typed; q and keys of the list are letters there", () => {
		assert.deepEqual(actionOf(busy(), ["s", "q", "d", "up", "p", "enter"]), { do: "steer", text: "qdp" });
		assert.equal(actionOf(busy(), ["s", "a", "ctrl-u", "enter"]), undefined);
		assert.match(shown(pressed(busy(), ["s", "hello"]).model).join("\n"), /^ tell the agents: hello$/m);
	});

	it("p pauses after a confirmation, r resumes what nobody drives", () => {
		assert.equal(actionOf(busy(), ["p"]), undefined);
		assert.deepEqual(actionOf(busy(), ["p", "y"]), { do: "pause" });
		assert.equal(actionOf(busy(), ["p", "n"]), undefined);
		assert.equal(actionOf(busy(), ["r"]), undefined);
		assert.deepEqual(actionOf(busy(), ["r"], { driven: false }), { do: "resume" });
		assert.match(pressed(asking(), ["r"]).model.ui.note ?? "", /when its question is answered/);
	});

	it("? lists every key, w shows all reasons", () => {
		const help = shown(pressed(busy(), ["?"]).model).join("\n");
		for (const key of ["↑ ↓", "← →", "Enter", "d ", "w ", "a ", "x ", "s ", "p ", "r ", "q "]) assert.ok(help.includes(`  ${key}`), key);
		assert.match(shown(pressed(asking(), ["w"]).model).join("\n"), /step-002 agree waits for a person/);
	});

	it("q leaves; in the command that started the run it asks first: stop it or, where that is possible, leave it", () => {
		assert.deepEqual(actionOf(busy(), ["q"]), { do: "leave" });
		assert.deepEqual(actionOf(busy(), ["l", "q"]), { do: "leave" });
		for (const own of ["here", "apart"] as const) {
			assert.equal(actionOf(busy(), ["q"], { own }), undefined);
			for (const key of ["s", "y"]) assert.deepEqual(actionOf(busy(), ["q", key], { own }), { do: "interrupt" });
			for (const key of ["esc", "n", "x"]) assert.equal(actionOf(busy(), ["q", key], { own }), undefined);
		}
		for (const key of ["l", "q"]) {
			assert.deepEqual(actionOf(busy(), ["q", key], { own: "apart" }), { do: "leave" });
			assert.equal(actionOf(busy(), ["q", key], { own: "here" }), undefined);
		}
		assert.deepEqual(actionOf(busy(), ["q", "enter"], { own: "here" }), { do: "interrupt" });
		assert.equal(actionOf(busy(), ["q", "enter"], { own: "apart" }), undefined);
		assert.match(
			shown(pressed(busy(), ["q"], { own: "apart" }).model).join("\n"),
			/leave it running\?.*\n s stop {2}l leave it running {2}Esc back$/,
		);
		for (const keys of [["ctrl-c"], ["s", "ctrl-c"], ["l", "ctrl-c"]]) assert.deepEqual(actionOf(busy(), keys), { do: "interrupt" });
	});
});
