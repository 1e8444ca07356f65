// pawl status [RUN] [STORY]: the state of a run, or of one of its stories. Imports little: it should start about as fast as Node does.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { Command } from "commander";
import { workerText } from "../../core/assign/worker-text.ts";
import { formatDuration } from "../../core/duration.ts";
import { money } from "../../core/money.ts";
import { mergingText } from "../../runs/look/now.ts";
import type { RunView } from "../../runs/look/run-view.ts";
import { type StatusView, statusOf } from "../../runs/look/status.ts";
import { withStory } from "../../runs/story-named.ts";
import type { Context } from "../context.ts";
import { fold } from "../text/columns.ts";
import { asideLines, deliveredLines } from "../text/delivered-lines.ts";
import { document } from "../text/document.ts";
import { adviceLine } from "../text/next-text.ts";
import { besides, headlineOf, isSaidBelow, reasonLines } from "../text/reasons.ts";
import { recordedLines } from "../text/recorded-lines.ts";
import { spentText } from "../text/spent-text.ts";
import { statusCell, stepTable, storyTable } from "../text/tables.ts";
import { flat, oneLine, type Paint, paint, span, wantsColor } from "../text/text.ts";

export function command(c: Context): Command {
	return new Command("pawl status")
		.description("show a run: stories, steps, cost, what waits, where its files are")
		.argument("[run]", "an id, a unique prefix, or latest; or a story of the latest run")
		.argument("[story]", "only this story, with its steps")
		.option("--json", "as one JSON document")
		.action(async (name: string | undefined, story: string | undefined, flags: { json?: boolean }) => {
			const view = await withStory(name, story, (run, only) => statusOf(c, run, only));
			c.out(flags.json ? document(view) : statusText(view, c.width, paint(wantsColor(c.env, c.outIsTty)), c.now()));
		});
}

const ago = ({ last_sign_at: at }: StatusView, now: number): string => (at === null ? "unknown" : `${span(now - Date.parse(at))} ago`);

export function statusText(view: StatusView, width: number, color: Paint, now: number): string {
	const status = statusCell(view.status, color);
	const folded = (text: string) => fold(flat(text), width, 2);
	const cutOff = view.status === "running" && !view.driven;
	const goOn = cutOff && view.waiting.length === 0 ? view.advice.find(({ commands }) => commands.length > 0) : undefined;
	const advice = view.advice.filter((one) => one !== goOn);
	// Steps that wait for a person are shown separately, with the commands to answer.
	const reasons = view.reasons.filter((why) => why.kind !== "waits");
	const lines = [
		`${color.bold(view.workflow)} ${view.run} ${typeof status === "string" ? status : status.paint(status.text)}${view.stopping === null || view.status !== "running" ? "" : ` (stopping: ${view.stopping})`}`,
		oneLine(view.title, width),
		...(view.reason === null ? [] : folded(headlineOf(view.reason))),
		...(cutOff
			? [
					color.yellow(view.unserved ?? `no pawl process runs it now${goOn === undefined ? "" : `; ${adviceLine(goOn)}`}`),
					`last sign of life ${ago(view, now)}`,
				]
			: []),
		...(view.driver === null || view.status !== "running" ? [] : [`run by ${view.driver.who}, last sign of life ${ago(view, now)}`]),
		...wrap(numbers(view), width),
		...wrap(limits(view), width),
	];
	const [single] = view.stories.length === 1 ? view.stories : [];
	if (single) {
		const error = single.error === null || isSaidBelow(single.error, reasons) ? "" : `, ${single.error}`;
		lines.push("", ...folded(`story ${single.id}: ${single.status}${error}`));
		if (single.steps.length > 0) lines.push(stepTable(single.steps, width, color, reasons, single.id), ...doneBy(single.steps));
	} else if (view.stories.length > 0) lines.push("", storyTable(view.stories, width, color, reasons));
	if (view.steps.length > 0) lines.push("", stepTable(view.steps, width, color, reasons));
	const below = besides(view.reason, reasons);
	if (below.length > 0) lines.push("", color.bold("why"), ...reasonLines(below, width));
	lines.push(...recordedLines(new Map(Object.entries(view.not_settled)), { color, width }));
	if (view.delivery !== null) lines.push(...deliveredLines(view.delivery, { color, width }));
	if (view.delivery === null && view.pull_request !== null) lines.push("", `pull request: ${view.pull_request}`);
	if (view.merging.length > 0) lines.push(...fold(`merge queue: ${view.merging.map(mergingText).join(", ")}`, width, 2));
	for (const { story, step, agent } of view.unclaimed)
		lines.push(`${story === null ? "" : `${story} `}${step} waits for ${agent} to claim it (pawl step claim ${agent})`);
	if (view.waiting.length > 0) {
		lines.push("", color.bold("waits for a person"));
		for (const w of view.waiting)
			lines.push(...fold(`  ${flat(`${w.story === null ? "" : `${w.story} `}${w.step} ${w.type}: ${w.reason}`)}`, width, 4));
	}
	if (advice.length > 0) lines.push("", ...advice.map(adviceLine));
	if (view.recorded.length > 0) lines.push("", `recorded, not taken up yet: ${view.recorded.join(", ")}`);
	if (view.diffs.length > 0) lines.push("", color.bold("work that was put back, kept as diffs"), ...view.diffs.map((diff) => `  ${diff}`));
	lines.push(...asideLines({ aside: view.put_aside, keptRefs: view.kept_refs, putBack: view.put_back }, { color, width }));
	// A one-shot that succeeded has removed them.
	if (existsSync(view.files)) lines.push("", `files: ${view.files}`, `logs:  ${join(view.files, "logs")}`);
	else lines.push("", "files: removed when the run ended");
	return `${lines.join("\n")}\n`;
}

/** If all steps of a story were done with the same model, it is said once, below their table. */
function doneBy(steps: RunView["steps"]): string[] {
	const [who, ...others] = new Set(steps.map(workerText).filter((text) => text !== ""));
	const isChosen = steps.some(({ model, effort }) => (model ?? effort) !== null);
	return who === undefined || others.length > 0 || !isChosen ? [] : [`  by ${who}`];
}

function numbers(view: RunView): string[] {
	const done = view.stories.filter((s) => s.status === "completed").length;
	const spent = spentText({
		costUsd: view.cost_usd,
		inputTokens: view.input_tokens,
		outputTokens: view.output_tokens,
		sessions: view.sessions,
		unknown: view.unknown_cost_sessions,
	});
	return [
		...loopWords(view),
		view.stories.length > 1 ? `${done} of ${view.stories.length} stories` : "",
		...progressWords(view),
		span(view.elapsed_ms),
		view.base === null ? "" : `base ${view.base}`,
		`${view.sessions} agent session${view.sessions === 1 ? "" : "s"}`,
		...spent.split(", "),
	].filter((part) => part !== "");
}

function progressWords({ progress }: RunView): string[] {
	if (progress === undefined || progress.stories_total < 2) return [];
	return [
		`${progress.percent} %`,
		...(progress.phases_total === undefined ? [] : [`${progress.phases_completed} of ${progress.phases_total} phases`]),
		...(progress.eta_ms === null ? [] : [`about ${span(progress.eta_ms)} left`]),
	];
}

function loopWords({ loop, status }: RunView): string[] {
	if (loop === undefined) return [];
	return [
		`iteration ${loop.iteration}${loop.max_iterations === null ? "" : ` of ${loop.max_iterations}`}${loop.role === null ? "" : ` (${loop.role})`}`,
		...(loop.held === null ? [] : ["held"]),
		...(loop.stories_total === null ? [] : [`${loop.stories_passed}/${loop.stories_total} stories pass`]),
		...(loop.story === null ? [] : [`${status === "completed" ? "left open" : "next"}: ${loop.story}`]),
	];
}

function limits(view: RunView): string[] {
	return Object.entries(view.budgets).map(([name, { limit, spent, per, story }]) => {
		if (name === "cost") {
			if (view.unknown_cost_sessions === 0) return `cost ${money(spent)} of ${money(limit)}`;
			return view.cost_usd === null ? `cost unknown, of ${money(limit)}` : `known cost ${money(spent)} of ${money(limit)}`;
		}
		if (name === "time") return `time ${span(spent)} of ${formatDuration(limit)}`;
		const words = name.replaceAll("_", " ");
		if (per === "run") return `${words} ${spent} of ${limit}`;
		return per === "story" && story !== null ? `${words} of ${story}: ${spent} of ${limit}` : `${words}: at most ${limit} a ${per}`;
	});
}

/** Parts with commas between them, on as many lines as they need: numbers must not be cut. */
function wrap(parts: readonly string[], width: number): string[] {
	const lines: string[] = [];
	for (const part of parts) {
		const line = lines.at(-1);
		if (line !== undefined && line.length + 3 + part.length <= width) lines[lines.length - 1] = `${line}, ${part}`;
		else {
			if (line !== undefined) lines[lines.length - 1] = `${line},`;
			lines.push(part);
		}
	}
	return lines;
}
