// The last line: the keys that do something now. And the line above it, in which the person is asked for something.
import { columnsOf, cutTo } from "../text/columns.ts";
import { flat, type Paint } from "../text/text.ts";
import { canPause, canResume, canSteer, type Model, type Prompt, questionOf, scopesShown, wantsWords } from "./model.ts";

type Key = readonly [key: string, what: string];

export function footer(model: Model, columns: number, color: Paint): string {
	const all = keysNow(model);
	// The last two, help and leave, are always there.
	const [kept, ends] = [all.slice(0, -2), all.slice(-2)];
	const text = (keys: readonly Key[]) => ` ${keys.map(([key, what]) => `${color.bold(key)} ${color.dim(what)}`).join("  ")}`;
	while (kept.length > 0 && columnsOf(text([...kept, ...ends])) > columns) kept.pop();
	return text([...kept, ...ends]);
}

function keysNow(model: Model): Key[] {
	const { ui } = model;
	if (ui.prompt !== null) return promptKeys(ui.prompt);
	const leave: Key = ["q", model.own === "here" ? "stop" : "leave"];
	if (ui.page !== null) {
		const words = ui.page.kind === "ask" && wantsWords(model, ui.page);
		const asks: readonly Key[] = [
			...(words ? ([["t", "answer"]] as const) : []),
			["y", words ? "let it decide" : "approve"],
			["n", "reject"],
		];
		return [...(ui.page.kind === "ask" ? asks : []), ["↑↓ PgUp PgDn", "scroll"], ["Home End", "top, bottom"], ["Esc", "back"], leave];
	}
	const question = questionOf(model);
	const resume: Key = ["r", model.run.state.status === "failed" ? "retry" : "resume"];
	return [
		...(question !== undefined
			? ([
					["a", wantsWords(model, question) ? "answer" : "approve"],
					["x", "reject"],
				] as const)
			: []),
		...(canResume(model) ? [resume] : []),
		...(scopesShown(model.run.state).length > 1 ? ([["↑↓", "story"]] as const) : []),
		["←→", "step"],
		["l", "log"],
		["d", "diff"],
		...(canSteer(model) ? ([["s", "steer"]] as const) : []),
		...(canPause(model) ? ([["p", "pause"]] as const) : []),
		...(model.run.reasons.length > 0 ? ([["w", "why"]] as const) : []),
		["?", "help"],
		leave,
	];
}

function promptKeys(prompt: Prompt): Key[] {
	switch (prompt.kind) {
		case "steer":
		case "reject":
		case "answer":
			return [
				["Enter", "send"],
				["Esc", "back"],
			];
		case "pause":
			return [
				["y", "pause"],
				["Esc", "back"],
			];
		case "stop":
			return [["s", "stop"], ...(prompt.canLeave ? ([["l", "leave it running"]] as const) : []), ["Esc", "back"]];
	}
}

export function promptLine(prompt: Prompt, columns: number, color: Paint): string {
	switch (prompt.kind) {
		case "steer":
			return typed(" tell the agents: ", prompt.text, columns, color);
		case "reject":
			return typed(" reject, because: ", prompt.text, columns, color);
		case "answer":
			return typed(" answer: ", prompt.text, columns, color);
		case "pause":
			return color.yellow(" pause this run? its running sessions end, and start over when it is resumed");
		case "stop":
			return color.yellow(
				prompt.canLeave
					? " stop this run, or leave it running? A stopped one continues with pawl resume"
					: " stop this run? its running sessions end; pawl resume continues it",
			);
	}
}

/** The end of what was typed, with a cursor. */
function typed(label: string, text: string, columns: number, color: Paint): string {
	const room = Math.max(1, columns - columnsOf(label) - 2);
	let shown = flat(`.${text}.`).slice(1, -1);
	while (columnsOf(shown) > room) shown = [...shown].slice(1).join("");
	return cutTo(`${color.bold(label)}${shown}${color.inverse(" ")}`, columns);
}
