// What happened, at the end of a run: steps, commits, notes, tokens, cost, time, where the files are.
import { join, relative } from "node:path";
import { summaryFile } from "../../core/mark.ts";
import { RUN_SCOPE, type RunState, type Scope, type Step } from "../../core/model.ts";
import { money } from "../../core/money.ts";
import { elapsed, typeOf, waitingSteps } from "../../core/query.ts";
import { recordedByHeading } from "../../core/recorded.ts";
import { startedWith } from "../../core/started-with.ts";
import type { EndedRun } from "../../runs/drive/ended.ts";
import { loopView } from "../../runs/look/run-view.ts";
import { columnsOf, fold } from "./columns.ts";
import { asideLines, deliveredLines } from "./delivered-lines.ts";
import { noteOf, storyCost } from "./event-lines.ts";
import { fitted } from "./fit.ts";
import { besides, headlineOf, isSaidBelow, reasonLines } from "./reasons.ts";
import { recordedLines } from "./recorded-lines.ts";
import { hasSentBack, inGroups, statusCell } from "./tables.ts";
import { flat, joined, type Paint, span, usageText } from "./text.ts";

interface Look {
	readonly width: number;
	readonly color: Paint;
	readonly now: number;
}

type Summary = EndedRun & Look;

function loopNumbers(state: RunState): string[] {
	const { loop } = loopView(state);
	if (loop === undefined) return [];
	return [
		`${loop.iteration} iteration${loop.iteration === 1 ? "" : "s"}`,
		...(loop.stories_total === null ? [] : [`${loop.stories_passed ?? 0}/${loop.stories_total} stories pass`]),
	];
}

export function summaryText(ended: EndedRun, look: Look): string {
	const s = { ...ended, ...look };
	const { state, color, width } = s;
	const status = statusCell(state.status, color);
	const said = typeof status === "string" ? status : status.paint(status.text);
	const lines = [
		"",
		...joined(
			[
				`${color.bold(state.definition.name)} ${said} ${state.status === "completed" ? "in" : "after"} ${span(elapsed(state, s.now))}`,
				...loopNumbers(state),
				...numbers(state),
			],
			width,
			"  ",
		),
	];
	if (startedWith(state).unchecked) lines.push("  nothing was checked: the run was started with --no-checks");
	if (state.reason !== null) lines.push(...fold(`  ${flat(headlineOf(state.reason))}`, width, 4));
	const single = state.stories.length === 1 ? state.stories[0] : undefined;
	if (single) lines.push("", stepTable(state, single.scope, s));
	else if (state.stories.length > 0) lines.push("", storyTable(state, s));
	const root = shownSteps(state, state.root);
	if (root.length > 0) lines.push("", stepTable(state, state.root, s));
	lines.push(...toApprove(state, s));
	const reasons = besides(state.reason, s.reasons);
	if (reasons.length > 0) lines.push("", color.bold("why"), ...reasonLines(reasons, width));
	lines.push(...recordedLines(recordedByHeading(state), s));
	lines.push(...deliveredLines(s.delivery, { color, width }));
	if (s.diffs.length > 0)
		lines.push("", color.bold("work that was put back, kept as diffs"), ...s.diffs.map((diff) => `  ${diffName(diff, s)}`));
	lines.push(...asideLines(s, s));
	const summary = summaryFile(state);
	lines.push(
		"",
		...(summary ? [`summary: ${summary}`] : []),
		s.kept ? `files: ${s.sharedDir}` : "files: removed (a one-shot keeps nothing when it succeeds)",
	);
	if (s.kept && state.status !== "completed") lines.push(`logs:  ${join(s.sharedDir, "logs")}`);
	return `${lines.join("\n")}\n`;
}

const REPORT_LINES = 60;

/** What a person is asked to approve: what was said about it, and the stories that will be worked on, each with its criteria. */
function toApprove(state: RunState, { color, width }: Summary): string[] {
	const asked = waitingSteps(state).find(({ scope, step }) => scope === RUN_SCOPE && typeOf(state, step)?.kind === "approval");
	const open = state.stories.filter(({ status }) => status !== "completed");
	if (asked === undefined || open.length === 0) return [];
	const before = state.root.steps.slice(0, state.root.steps.indexOf(asked.step)).findLast(({ notes }) => (notes ?? "") !== "");
	const report = (before?.notes ?? "").trim().split("\n");
	const left = report.length - REPORT_LINES;
	return [
		...(before === undefined
			? []
			: [
					"",
					color.bold(`what ${before.type} says`),
					...report.slice(0, REPORT_LINES).flatMap((line) => fold(`  ${flat(line)}`, width, 4)),
					...(left > 0 ? [`  … (${left} lines more: pawl logs)`] : []),
				]),
		"",
		color.bold("what you approve"),
		...open.flatMap(({ id, title, criteria }) => [
			...fold(`  ${id}: ${flat(title)}`, width, 4),
			...criteria.flatMap((text) => fold(`    - ${flat(text)}`, width, 6)),
		]),
	];
}

/** The whole path after a failure, because people will want to open it; else a path that fits the line. */
const diffName = (diff: string, s: Summary): string =>
	s.state.status === "completed" && columnsOf(diff) > s.width - 2 ? relative(s.sharedDir, diff) : diff;

function numbers(state: RunState): string[] {
	const { totals, stories } = state;
	const usage = usageText(totals);
	return [
		...(stories.length > 1 ? [`${stories.filter((s) => s.status === "completed").length} of ${stories.length} stories`] : []),
		`${totals.attempts} agent session${totals.attempts === 1 ? "" : "s"}`,
		...(usage === "" ? [] : [usage]),
		...(totals.unknownCost === 0
			? []
			: [totals.costUsd === null ? "cost unknown" : `cost of ${totals.unknownCost} session${totals.unknownCost === 1 ? "" : "s"} unknown`]),
	];
}

const shownSteps = ({ definition }: RunState, { steps }: Scope): readonly Step[] =>
	steps.filter(({ type }) => !definition.types[type]?.internal && definition.types[type]?.kind !== "each");

function stepTable(state: RunState, scope: Scope, s: Summary): string {
	const shown = shownSteps(state, scope);
	// On a narrow terminal the notes matter more than the tokens.
	const wide = s.width >= 110;
	return fitted(
		inGroups(shown, (step) => (step.status === "skipped" ? step.skipReason : null)).flatMap(([step, ...more]) =>
			step === undefined
				? []
				: [
						[
							step.id,
							more.length > 0 ? `to ${more.at(-1)?.id}` : step.type === step.id ? "" : step.type,
							hasSentBack(step, scope.id === RUN_SCOPE ? null : scope.id, s.reasons)
								? { text: "sent back", paint: s.color.yellow }
								: statusCell(step.status, s.color),
							step.startedAt !== null && step.completedAt !== null ? span(step.completedAt - step.startedAt) : "",
							wide || step.usage.costUsd === null ? usageText(step.usage) : money(step.usage.costUsd),
							{
								text: more.length > 0 ? `${more.length + 1} steps: ${step.skipReason}` : `${restarts(step)}${noteOf(step)}`,
								paint: s.color.dim,
							},
						],
					],
		),
		s.width,
	);
}

const restarts = (step: Step): string => (step.restarts > 0 ? `(${step.restarts} restart${step.restarts > 1 ? "s" : ""}) ` : "");

function storyTable(state: RunState, s: Summary): string {
	return fitted(
		state.stories.map((story) => {
			const cost = storyCost(story);
			return [
				story.id,
				statusCell(story.status, s.color),
				story.completedAt === null ? "" : span(s.storyMs.get(story.id) ?? 0),
				cost > 0 ? money(cost) : "",
				story.error === null || isSaidBelow(story.error, s.reasons) ? story.title : story.error,
			];
		}),
		s.width,
	);
}
