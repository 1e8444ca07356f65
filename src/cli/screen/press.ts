// What a key does: the next selection, and perhaps something to be done outside the view. A pure function.
import { findScope } from "../../core/query.ts";
import { paint } from "../text/text.ts";
import type { Key } from "./keys.ts";
import {
	canPause,
	canResume,
	canSteer,
	isAsked,
	type Model,
	type Page,
	type Prompt,
	type Question,
	questionOf,
	type Size,
	scopesShown,
	selectedScope,
	selectedStep,
	stepsShown,
	type Ui,
	wantsWords,
} from "./model.ts";
import { pageLines, pageRows, topOf } from "./pages.ts";

export type Action =
	| { readonly do: "leave" }
	/** Ctrl-C, or a run that this command started is to stop. */
	| { readonly do: "interrupt" }
	| { readonly do: "redraw" }
	| { readonly do: "pause" }
	| { readonly do: "resume" }
	| { readonly do: "steer"; readonly text: string }
	| { readonly do: "diff"; readonly story: string }
	| ({ readonly do: "decide"; readonly verdict: "approve" | "reject" | "answer"; readonly reason: string } & Question);

export interface Pressed {
	readonly ui: Ui;
	readonly action?: Action;
}

export function press(model: Model, key: Key, size: Size): Pressed {
	const ui: Ui = { ...model.ui, note: null };
	if (key === "ctrl-c") return { ui, action: { do: "interrupt" } };
	if (key === "ctrl-l") return { ui, action: { do: "redraw" } };
	if (ui.prompt !== null) return inPrompt(ui, ui.prompt, key);
	if (key === "q") {
		if (model.own === null) return { ui, action: { do: "leave" } };
		return { ui: { ...ui, prompt: { kind: "stop", canLeave: model.own === "apart" } } };
	}
	if (ui.page !== null) return inPage(model, ui, ui.page, key, size);
	return inList(model, ui, key);
}

function inPrompt(ui: Ui, prompt: Prompt, key: Key): Pressed {
	const closed: Ui = { ...ui, prompt: null };
	if (key === "esc") return { ui: closed };
	switch (prompt.kind) {
		case "pause":
			return key === "y" || key === "enter" ? { ui: closed, action: { do: "pause" } } : { ui: closed };
		case "stop":
			return stopOrLeave(closed, prompt.canLeave, key);
		case "steer":
		case "reject":
		case "answer":
			return key === "enter" ? sent(ui, prompt) : { ui: { ...ui, prompt: { ...prompt, text: typed(prompt.text, key) } } };
	}
}

/** Enter alone stops nothing where it could also mean to leave. */
function stopOrLeave(ui: Ui, canLeave: boolean, key: Key): Pressed {
	if (key === "s" || key === "y" || (key === "enter" && !canLeave)) return { ui, action: { do: "interrupt" } };
	return canLeave && (key === "l" || key === "q") ? { ui, action: { do: "leave" } } : { ui };
}

function sent(ui: Ui, prompt: Extract<Prompt, { text: string }>): Pressed {
	const text = prompt.text.trim();
	const closed: Ui = { ...ui, prompt: null };
	if (text === "") return { ui: { ...closed, note: prompt.kind === "reject" ? "not rejected: a reason is needed" : null } };
	if (prompt.kind === "steer") return { ui: closed, action: { do: "steer", text } };
	return { ui: { ...closed, page: null }, action: { do: "decide", ...prompt.question, verdict: prompt.kind, reason: text } };
}

const NAMED = new Set(["up", "down", "left", "right", "home", "end", "pageup", "pagedown", "tab", "ctrl-d"]);

function typed(text: string, key: Key): string {
	if (key === "backspace") return [...text].slice(0, -1).join("");
	if (key === "ctrl-u") return "";
	return NAMED.has(key) ? text : text + key;
}

function inPage(model: Model, ui: Ui, page: Page, key: Key, size: Size): Pressed {
	if (key === "esc" || key === "left" || key === "enter") return { ui: { ...ui, page: null } };
	if (page.kind === "ask" && (key === "y" || key === "n" || key === "a" || key === "x" || key === "t")) return answer(model, ui, page, key);
	const rows = pageRows({ ...size, rows: size.rows - 3 });
	const total = pageLines(model, page, size.columns - 1, paint(false)).length;
	const top = topOf(page, total, rows);
	const next = scrolled(key, top, rows, total);
	if (next === null) return { ui };
	// At its end a log is followed.
	if (page.kind === "log") return { ui: { ...ui, page: { ...page, top: next >= total - rows ? null : next } } };
	return { ui: { ...ui, page: { ...page, top: Math.max(0, Math.min(next, total - rows)) } } };
}

function scrolled(key: Key, top: number, rows: number, total: number): number | null {
	switch (key) {
		case "up":
		case "k":
			return Math.max(0, top - 1);
		case "down":
		case "j":
			return top + 1;
		case "pageup":
		case "b":
			return Math.max(0, top - rows + 1);
		case "pagedown":
		case " ":
			return top + rows - 1;
		case "home":
		case "g":
			return 0;
		case "end":
		case "G":
			return total;
		default:
			return null;
	}
}

function answer(model: Model, ui: Ui, { scope, step, ask }: Extract<Page, { kind: "ask" }>, key: Key): Pressed {
	const question: Question = { scope, step, ask };
	if (!isAsked(model, question)) return { ui: { ...ui, page: null, note: "this does not wait any more" } };
	if (key === "n" || key === "x") return { ui: { ...ui, prompt: { kind: "reject", question, text: "" } } };
	if (key === "a" || key === "t") {
		if (wantsWords(model, question)) return { ui: { ...ui, prompt: { kind: "answer", question, text: "" } } };
		if (key === "t") return { ui };
	}
	return { ui: { ...ui, page: null }, action: { do: "decide", ...question, verdict: "approve", reason: "" } };
}

function inList(model: Model, ui: Ui, key: Key): Pressed {
	switch (key) {
		case "up":
		case "k":
			return { ui: moved(model, ui, -1) };
		case "down":
		case "j":
			return { ui: moved(model, ui, 1) };
		case "left":
			return { ui: stepped(model, ui, -1) };
		case "right":
			return { ui: stepped(model, ui, 1) };
		case "esc":
			return { ui: { ...ui, scope: null, step: null } };
		case "enter":
		case "l":
			return { ui: { ...ui, page: { kind: "log", top: null } } };
		case "w":
			return { ui: { ...ui, page: { kind: "why", top: 0 } } };
		case "?":
			return { ui: { ...ui, page: { kind: "help", top: 0 } } };
		case "d":
			return diffOf(model, ui);
		case "a":
		case "x":
			return asked(model, ui, key);
		case "s":
			return canSteer(model)
				? { ui: { ...ui, prompt: { kind: "steer", text: "" } } }
				: { ui: { ...ui, note: "the run is over: no agent would read it" } };
		case "p":
			return canPause(model)
				? { ui: { ...ui, prompt: { kind: "pause" } } }
				: { ui: { ...ui, note: `the run is ${model.run.state.status}: there is nothing to pause` } };
		case "r":
			return canResume(model) ? { ui, action: { do: "resume" } } : { ui: { ...ui, note: whyNotResume(model) } };
		default:
			return { ui };
	}
}

function whyNotResume({ run: { state, driven } }: Model): string {
	if (driven) return "it is running";
	return state.status === "waiting" ? "it continues when its question is answered" : `the run is ${state.status}: it cannot continue`;
}

function diffOf(model: Model, ui: Ui): Pressed {
	const { state } = model.run;
	if (state.stories.length === 0) return { ui: { ...ui, note: "reading what the run changed …" }, action: { do: "diff", story: "run" } };
	const scope = selectedScope(model);
	const story = state.stories.find(({ id }) => id === scope) ?? (state.stories.length === 1 ? state.stories[0] : undefined);
	if (story === undefined) return { ui: { ...ui, note: "select a story first: a diff is of a story" } };
	return { ui: { ...ui, note: `reading the diff of ${story.id} …` }, action: { do: "diff", story: story.id } };
}

function asked(model: Model, ui: Ui, key: "a" | "x"): Pressed {
	const question = questionOf(model);
	if (question === undefined) return { ui: { ...ui, note: "nothing waits for you" } };
	const page: Page = { kind: "ask", ...question, top: 0 };
	const kind = key === "x" ? "reject" : wantsWords(model, question) ? "answer" : null;
	return { ui: { ...ui, page, prompt: kind === null ? null : { kind, question, text: "" } } };
}

function moved(model: Model, ui: Ui, by: number): Ui {
	const scopes = scopesShown(model.run.state);
	const at = scopes.indexOf(selectedScope(model));
	const scope = scopes[Math.max(0, Math.min(at + by, scopes.length - 1))] ?? null;
	return { ...ui, scope, step: null };
}

function stepped(model: Model, ui: Ui, by: number): Ui {
	const scope = findScope(model.run.state, selectedScope(model));
	if (scope === undefined) return ui;
	const steps = stepsShown(model.run.state, scope);
	const at = steps.findIndex((step) => step.id === selectedStep(model)?.id);
	const step = steps[Math.max(0, Math.min(at + by, steps.length - 1))];
	return { ...ui, scope: scope.id, step: step?.id ?? null };
}
