// The head of the view: which run it is, how it is, and what it has used of its limits.
import { formatDuration } from "../../core/duration.ts";
import { RUN_SCOPE, type RunState } from "../../core/model.ts";
import { money } from "../../core/money.ts";
import { allScopes, elapsed, waitingSteps, workedMs } from "../../core/query.ts";
import { loopView, progressView } from "../../runs/look/run-view.ts";
import { columnsOf, cutTo, padTo } from "../text/columns.ts";
import { flat, type Paint, span, tokens } from "../text/text.ts";
import type { Model } from "./model.ts";

export function headerLines(model: Model, columns: number, color: Paint): string[] {
	const { state } = model.run;
	const right = `${statusText(model, color)}  ${color.bold(short(elapsed(state, model.now)))}`;
	const left = `${color.bold(state.definition.name)} ${color.dim(state.id)}  ${flat(state.title)}`;
	const room = columns - columnsOf(right) - 2;
	const first = room < 20 ? right : `${padTo(cutTo(left, room), room)}  ${right}`;
	return [first, ...withExtras(wrapped(numbers(model, color), columns, 2), extras(model, color), columns)];
}

/** What is only good to know gets no line of its own. */
function withExtras(lines: readonly string[], parts: readonly string[], columns: number): string[] {
	let last = lines.at(-1) ?? "";
	for (const part of parts) if (columnsOf(last) + columnsOf(part) + 3 <= columns) last = `${last}   ${part}`;
	return [...lines.slice(0, -1), last];
}

/** Parts with spaces between them, on at most `most` lines. */
function wrapped(parts: readonly string[], columns: number, most: number): string[] {
	const lines: string[] = [];
	for (const part of parts) {
		const last = lines.at(-1);
		const longer = last === undefined ? part : `${last}   ${part}`;
		if (last === undefined || (columnsOf(longer) > columns && lines.length < most)) lines.push(part);
		else lines[lines.length - 1] = longer;
	}
	return lines.map((line) => cutTo(line, columns));
}

/** The status in words, as `pawl status` says it. */
export function statusText({ run: { state, driven } }: Model, color: Paint): string {
	const questions = waitingSteps(state).length;
	const asks = questions === 0 ? "" : `, ${questions} question${questions === 1 ? "" : "s"} for you`;
	if (state.status === "running") {
		if (!driven) return color.yellow("cut off: no process drives it");
		if (state.stopping !== null) return color.yellow("stopping");
		return `${color.green("running")}${color.yellow(asks)}`;
	}
	if (state.status === "completed") return color.green("completed");
	if (state.status === "waiting") return color.yellow(`waiting${asks}`);
	return ["failed", "cancelled", "refused"].includes(state.status) ? color.red(state.status) : color.yellow(state.status);
}

function numbers({ run: { state }, now }: Model, color: Paint): string[] {
	const { costUsd, inputTokens, outputTokens, unknownCost } = state.totals;
	const { progress } = progressView(state, now);
	const failed = state.stories.filter((s) => s.status === "failed").length;
	const limit = state.budgets["cost"]?.limit;
	const known = costUsd === null ? (unknownCost > 0 ? "cost unknown" : money(0)) : `${money(costUsd)}${unknownCost > 0 ? "+?" : ""}`;
	const until = limitedUntil(state, now);
	return [
		...loopParts(state),
		...(progress === undefined || progress.stories_total < 2
			? []
			: [`${progress.stories_completed} of ${progress.stories_total} stories, ${progress.percent} %`]),
		...(failed === 0 ? [] : [color.red(`${failed} failed`)]),
		...(until === null ? [] : [color.yellow(`usage limit, ${short(until - now)} left`)]),
		limit === undefined ? known : `${known} of ${money(limit)}`,
		...(inputTokens === null && outputTokens === null ? [] : [`${tokens(inputTokens ?? 0)} in / ${tokens(outputTokens ?? 0)} out`]),
		...Object.entries(state.budgets).flatMap(([name, budget]) => budgetPart(state, name, budget, now)),
	];
}

function extras({ run: { state }, now }: Model, color: Paint): string[] {
	const { progress } = progressView(state, now);
	return [
		...(progress?.eta_ms == null ? [] : [`about ${short(progress.eta_ms)} left`]),
		`${state.totals.attempts} session${state.totals.attempts === 1 ? "" : "s"}`,
		...(state.options.agents > 1 ? [`${state.options.agents} agents`] : []),
	].map(color.dim);
}

function budgetPart(state: RunState, name: string, { limit, spent }: { limit: number; spent: number }, now: number): string[] {
	if (name === "cost" || (state.definition.budgets[name]?.scope ?? "run") !== "run") return [];
	return [
		name === "time"
			? `time ${short(workedMs(state, now))} of ${formatDuration(limit)}`
			: `${name.replaceAll("_", " ")} ${spent} of ${limit}`,
	];
}

function loopParts(state: RunState): string[] {
	const { loop } = loopView(state);
	if (loop === undefined) return [];
	return [
		`iteration ${loop.iteration}${loop.max_iterations === null ? "" : ` of ${loop.max_iterations}`}`,
		...(loop.stories_total === null ? [] : [`${loop.stories_passed ?? 0}/${loop.stories_total} stories pass`]),
		...(loop.held === null ? [] : ["held"]),
	];
}

/** The earliest time at which a step that met a usage limit goes on. */
function limitedUntil(state: RunState, at: number): number | null {
	const times = allScopes(state).flatMap((scope) =>
		scope.steps.flatMap((step) => (step.postponed > 0 && step.notBefore !== null && step.notBefore > at ? [step.notBefore] : [])),
	);
	return times.length === 0 ? null : Math.min(...times);
}

/** Whole seconds: smaller parts would change with every drawing. */
export const short = (ms: number): string => (ms < 10_000 ? `${Math.max(0, Math.floor(ms / 1000))}s` : span(ms));

export const scopeName = (scope: string): string => (scope === RUN_SCOPE ? "run" : scope);
