// Pages over the whole screen: a log, a diff, all reasons, a question to a person, the keys.
import { RUN_SCOPE } from "../../core/model.ts";
import { findStep } from "../../core/query.ts";
import { cutTo, fold } from "../text/columns.ts";
import { questionLines } from "../text/question.ts";
import { reasonLines } from "../text/reasons.ts";
import type { Paint } from "../text/text.ts";
import { scopeName } from "./header.ts";
import { isAsked, type Model, type Page, type Question, type Size, selectedScope, selectedStep } from "./model.ts";

/** The title, and the footer. */
export const AROUND_PAGE = 2;

export const HELP: readonly (readonly [key: string, what: string])[] = [
	["↑ ↓  j k", "select a story, or the run's own steps; in a page: scroll"],
	["← →", "select a step of the story"],
	["Esc", "back: from a page, a question, a selection (the view follows what is going on again)"],
	["Enter  l", "open the log of the selected step; in it: End follows, PgUp PgDn Home scroll"],
	["d", "what the story, or a run without stories, changed, as a diff"],
	["w", "why: every reason in full"],
	["a", "approve: shows what is asked, then y approves, n rejects; a question in words is answered in words"],
	["x", "reject: shows what is asked, then asks for the reason"],
	["s", "steer: tell the agents something; every step that starts from now on reads it"],
	["p", "pause: running sessions end; the run can be resumed"],
	["r", "resume, or retry what failed: starts a process that drives the run, and goes on watching"],
	["?", "this page"],
	["q", "leave, and the run goes on; in pawl run it asks: stop the run, or leave it running"],
];

/** The lines of a page, folded to the width. */
export function pageLines(model: Model, page: Page, columns: number, color: Paint): string[] {
	switch (page.kind) {
		case "help":
			return HELP.flatMap(([key, what]) => fold(`  ${key.padEnd(10)}  ${what}`, columns, 14));
		case "why":
			return model.run.reasons.length === 0 ? ["  nothing: it simply goes on"] : reasonLines(model.run.reasons, columns);
		case "log":
			return model.output.flatMap((line) => outputLine(line, columns, color));
		case "diff":
			return page.lines.map((line) => cutTo(diffLine(line, color), columns));
		case "ask":
			return askLines(model, page, columns, color);
	}
}

/** Tool calls stay on one line. */
export const folded = (line: string, columns: number): string[] =>
	/^ +→ /.test(line) ? [cutTo(line, columns)] : fold(line, columns, /^ */.exec(line)?.[0].length ?? 0);

/** A line of a session's output, folded, and painted by what it is: a tool call, a line of pawl's own, or what the agent said. */
export const outputLine = (line: string, columns: number, color: Paint): string[] =>
	folded(line, columns).map(paintOf(line.trimStart(), color));

function paintOf(line: string, color: Paint): (text: string) => string {
	if (line.startsWith("→ failed")) return color.red;
	if (line.startsWith("→ ")) return color.cyan;
	if (/^--- check .*: passed$/.test(line)) return color.green;
	if (/^--- (check .*: (failed|did not end)|ended: (?!ok$|cancelled))/.test(line)) return color.red;
	return /^(--- |used \d)/.test(line) ? color.dim : (text) => text;
}

function diffLine(line: string, color: Paint): string {
	if (/^(diff |commit |---|\+\+\+)/.test(line)) return color.bold(line);
	if (line.startsWith("@@")) return color.cyan(line);
	return line.startsWith("+") ? color.green(line) : line.startsWith("-") ? color.red(line) : line;
}

/** What a step asks of a person. */
export function askLines(model: Model, page: Pick<Question, "scope" | "step" | "ask">, columns: number, color: Paint): string[] {
	const { run } = model;
	const step = findStep(run.state, page.scope, page.step);
	if (step === undefined || !isAsked(model, page)) return ["", "  this does not wait any more"];
	const reason = run.reasons.find((why) => why.kind === "waits" && why.step === page.step && (why.story ?? RUN_SCOPE) === page.scope);
	return questionLines(run.state, page.scope, step, reason?.reason ?? step.description, columns - 1, color.bold);
}

export function pageTitle(model: Model, page: Page): string {
	const scope = scopeName(selectedScope(model));
	switch (page.kind) {
		case "help":
			return "keys";
		case "why":
			return "why";
		case "log":
			return `log of ${scope} ${selectedStep(model)?.id ?? ""} ${selectedStep(model)?.type ?? ""}`;
		case "diff":
			return page.title;
		case "ask":
			return `${scopeName(page.scope)} ${page.step} asks`;
	}
}

/** The first line to show: never beyond the last full screen. */
export function topOf(page: Page, total: number, rows: number): number {
	const last = Math.max(0, total - rows);
	return page.top === null ? last : Math.min(page.top, last);
}

export const pageRows = ({ rows }: Size): number => Math.max(1, rows - AROUND_PAGE);
