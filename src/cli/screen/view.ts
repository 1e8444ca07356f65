// The whole view as lines: exactly as many as the terminal has rows. A pure function of the run, what the person selected and the size. The last
// column stays empty: to clear the rest of a row that is full would take its last character.
import { findScope, triesOf } from "../../core/query.ts";
import { mergingText, mergingView } from "../../runs/look/now.ts";
import { columnsOf, cutTo, padTo } from "../text/columns.ts";
import { reasonLines } from "../text/reasons.ts";
import { flat, type Paint } from "../text/text.ts";
import { footer, promptLine } from "./footer.ts";
import { headerLines, scopeName, short } from "./header.ts";
import { type Model, type Size, selectedScope, selectedStep } from "./model.ts";
import { askLines, folded, outputLine, pageLines, pageRows, pageTitle, topOf } from "./pages.ts";
import { stepLines, stepStrip, storyLines, storyRows, verdictWords } from "./stories.ts";

/** From here on stories and output stand side by side. */
const WIDE = 130;
/** Below this there is no room for anything else than the run and the keys. */
const LEAST_ROWS = 8;

export function view(model: Model, size: Size, color: Paint): string[] {
	const { rows } = size;
	const columns = size.columns - 1;
	const head = headerLines(model, columns, color).slice(0, rows < 16 ? 2 : 3);
	const foot = [...noteLines(model, columns, color), cutTo(footer(model, columns, color), columns)];
	const room = Math.max(0, rows - head.length - foot.length);
	const body =
		model.ui.page !== null
			? pageBody(model, { columns, rows: room }, color)
			: rows < LEAST_ROWS
				? []
				: columns >= WIDE
					? wideBody(model, columns, room, color)
					: narrowBody(model, columns, room, color);
	const lines = [...head, ...fill(body, room), ...foot];
	return fill(lines, rows).map((line) => cutTo(line, columns));
}

const fill = (lines: readonly string[], rows: number): string[] => [...lines, ...Array<string>(rows).fill("")].slice(0, rows);

function noteLines({ ui }: Model, columns: number, color: Paint): string[] {
	if (ui.prompt !== null) return [cutTo(promptLine(ui.prompt, columns, color), columns)];
	return ui.note === null ? [] : [cutTo(color.yellow(` ${flat(ui.note)}`), columns)];
}

function pageBody(model: Model, size: Size, color: Paint): string[] {
	const { page } = model.ui;
	if (page === null) return [];
	const lines = pageLines(model, page, size.columns - 1, color);
	const rows = pageRows({ ...size, rows: size.rows + 1 });
	const top = topOf(page, lines.length, rows);
	const where = lines.length <= rows ? "" : `${top + 1}–${Math.min(lines.length, top + rows)} of ${lines.length}`;
	return [rule(pageTitle(model, page), where, size.columns, color), ...lines.slice(top, top + rows)];
}

/** A line across, with a title and a remark at its end. */
function rule(title: string, end: string, columns: number, color: Paint): string {
	const left = `── ${cutTo(flat(title), Math.max(0, columns - columnsOf(end) - 8))} `;
	const right = end === "" ? "" : ` ${end} ──`;
	const dashes = "─".repeat(Math.max(0, columns - columnsOf(left) - columnsOf(right)));
	return color.dim(`${left}${dashes}${right}`);
}

function narrowBody(model: Model, columns: number, room: number, color: Paint): string[] {
	const reasons = reasonsShown(model, columns, Math.max(1, Math.floor(room / 5)), color);
	const queue = queueLine(model, columns, color);
	const below = [...queue, ...reasons];
	// Two rules, the strip of steps, and at least three lines of output.
	const most = Math.max(1, Math.min(storyRows(model), room - below.length - 6, Math.ceil(room / 2)));
	const stories = storyLines(model, columns, most, color);
	const left = room - stories.lines.length - below.length - 3;
	return [
		rule(stories.title, "", columns, color),
		...stories.lines,
		outputRule(model, columns, color),
		stepStrip(model, columns, color),
		...fill(outputLines(model, columns, left, color), Math.max(0, left)),
		...below,
	];
}

function wideBody(model: Model, columns: number, room: number, color: Paint): string[] {
	const left = Math.min(110, Math.floor(columns * 0.48));
	const right = columns - left - 1;
	const reasons = reasonsShown(model, left, Math.max(3, Math.floor(room / 4)), color);
	const queue = queueLine(model, left, color);
	const scope = findScope(model.run.state, selectedScope(model));
	const free = room - reasons.length - queue.length - 2;
	const stories = storyLines(model, left, Math.max(1, Math.min(storyRows(model), Math.ceil(free * 0.6))), color);
	const steps = stepLines(model, left, Math.max(0, free - stories.lines.length), color);
	const column = [
		rule(stories.title, "", left, color),
		...stories.lines,
		rule(`steps of ${scopeName(scope?.id ?? "")}`, "", left, color),
		...steps,
	];
	const own = [...fill(column, room - reasons.length - queue.length), ...queue, ...reasons];
	const output = [outputRule(model, right, color), ...outputLines(model, right, room - 1, color)];
	const bar = color.dim("│");
	return fill(own, room).map((line, i) => `${padTo(cutTo(line, left), left)}${bar}${output[i] ?? ""}`);
}

/** Which session the output is of, and what pawl knows of it. */
function outputRule(model: Model, columns: number, color: Paint): string {
	const step = selectedStep(model);
	if (step === undefined) return rule("no steps yet", "", columns, color);
	const [attempt] = step.running.filter(({ role }) => role !== "");
	const parts = [
		`${scopeName(selectedScope(model))} ${step.id}${step.type === step.id ? "" : ` ${step.type}`}`,
		step.status.replaceAll("_", " "),
		...(triesOf(step) > 1 ? [`attempt ${triesOf(step)}`] : []),
		...(step.restarts > 0 ? [`${step.restarts} restart${step.restarts === 1 ? "" : "s"}`] : []),
		...(attempt === undefined || attempt.role === step.type || attempt.role === "agent" ? [] : [attempt.role]),
		...[verdictWords(step)].filter((words) => words !== null),
	];
	const since = attempt?.startedAt ?? step.startedAt;
	return rule(parts.join(" · "), since === null ? "" : short((step.completedAt ?? model.now) - since), columns, color);
}

/** The end of what the session printed. */
function outputLines(model: Model, columns: number, room: number, color: Paint): string[] {
	if (room <= 0) return [];
	const step = selectedStep(model);
	if (step?.status === "waiting") {
		const question = { scope: selectedScope(model), step: step.id, ask: step.question?.version };
		return askLines(model, question, columns - 1, color)
			.slice(0, room)
			.map((line) => ` ${line}`);
	}
	if (model.output.length === 0) {
		const description = flat(step?.description ?? "");
		return [`  ${description === "" ? "no output yet" : description}`].map((line) => cutTo(line, columns));
	}
	const lines: string[] = [];
	for (const line of model.output.toReversed()) {
		lines.unshift(...outputLine(` ${line}`, columns, color));
		if (lines.length >= room) break;
	}
	return lines.slice(-room);
}

function queueLine(model: Model, columns: number, color: Paint): string[] {
	const queue = mergingView(model.run.state).map(mergingText);
	return queue.length === 0 ? [] : [cutTo(`${color.bold(" merge queue")}  ${queue.join(", ")}`, columns)];
}

const URGENT = ["waits", "held", "failed", "postponed", "blocked", "sent_back", "again", "rejected_edit"];

/** What waits and why: the most urgent first, as many as fit; `w` shows all of them in full. */
function reasonsShown(model: Model, columns: number, most: number, color: Paint): string[] {
	const { state, reasons } = model.run;
	// There is little room: `w` also shows what checks printed.
	const short = reasons.map(({ output: _, ...why }) => why);
	const sorted = short.toSorted((a, b) => URGENT.indexOf(a.kind) - URGENT.indexOf(b.kind));
	// A run that waits only repeats what its steps wait for.
	const own = state.reason !== null && state.status !== "completed" && state.status !== "waiting" ? [` ${flat(state.reason)}`] : [];
	const lines = [...own.flatMap((text) => folded(text, columns)), ...reasonLines(sorted, columns)];
	if (lines.length === 0) return [];
	const shown = lines.length <= most ? lines : lines.slice(0, most);
	return [rule("why", lines.length > most ? `${lines.length - most} more lines: w` : "", columns, color), ...shown];
}
