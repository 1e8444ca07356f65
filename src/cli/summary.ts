// What happened, at the end of a run: steps, commits, notes, tokens, cost, time, where the files are.
import { join } from "node:path";
import { RUN_SCOPE, type RunState, type Scope, type Step } from "../core/model.ts";
import { elapsed } from "../core/query.ts";
import { EXIT } from "./context.ts";
import { oneLine, type Paint, span, table, usageText } from "./text.ts";

export interface Delivered {
	readonly sha: string;
	readonly subject: string;
}

export interface SummaryInput {
	readonly state: RunState;
	readonly sharedDir: string;
	/** null: the folder was removed. */
	readonly kept: boolean;
	readonly commits: readonly Delivered[];
	readonly diffs: readonly string[];
	readonly width: number;
	readonly color: Paint;
	readonly now: number;
}

export function exitCodeOf(state: RunState): number {
	switch (state.status) {
		case "completed":
			return EXIT.ok;
		case "refused":
			return EXIT.usage;
		case "waiting":
		case "paused":
			return EXIT.waits;
		case "stopped":
			return EXIT.budget;
		default:
			return EXIT.failed;
	}
}

export function summaryText(s: SummaryInput): string {
	const { state, color } = s;
	const lines: string[] = [""];
	const mark = state.status === "completed" ? color.green("completed") : state.status === "failed" ? color.red("failed") : color.yellow(state.status);
	const usage = usageText(state.totals);
	lines.push(`${color.bold(state.definition.name)} ${mark} in ${span(elapsed(state, s.now))}, ${counted(state)}${usage === "" ? "" : `, ${usage}`}${state.totals.unknownCost > 0 && state.totals.costUsd !== null ? ` (cost of ${state.totals.unknownCost} sessions unknown)` : ""}`);
	if (state.reason !== null) lines.push(`  ${oneLine(state.reason, 2000)}`);
	const single = state.stories.length === 1 ? state.stories[0] : undefined;
	if (single) lines.push("", stepTable(state, single.scope, s.width));
	else if (state.stories.length > 0) lines.push("", storyTable(state));
	const root = state.root.steps.filter((step) => state.definition.types[step.type]?.kind !== "each");
	if (root.length > 0) lines.push("", stepTable(state, state.root, s.width));
	if (s.commits.length > 0) lines.push("", color.bold("commits"), table(s.commits.map((commit) => [commit.sha.slice(0, 8), oneLine(commit.subject, 100)])));
	if (s.diffs.length > 0) lines.push("", color.bold("work that was put back, kept as diffs"), ...s.diffs.map((diff) => `  ${diff}`));
	lines.push("", s.kept ? `files: ${s.sharedDir}` : "files: removed (a one-shot keeps nothing when it succeeds)");
	if (s.kept && state.status !== "completed") lines.push(`logs:  ${join(s.sharedDir, "logs")}`);
	return `${lines.join("\n")}\n`;
}

function counted(state: RunState): string {
	const sessions = `${state.totals.attempts} agent session${state.totals.attempts === 1 ? "" : "s"}`;
	if (state.stories.length <= 1) return sessions;
	const by = (status: string) => state.stories.filter((s) => s.status === status).length;
	return `${by("completed")} of ${state.stories.length} stories, ${sessions}`;
}

function stepTable(state: RunState, scope: Scope, width: number): string {
	const shown = scope.steps.filter((step) => !state.definition.types[step.type]?.internal && state.definition.types[step.type]?.kind !== "each");
	return table(
		shown.map((step) => [
			step.id,
			step.type,
			step.restarts > 0 ? `${step.status} (${step.restarts} restart${step.restarts > 1 ? "s" : ""})` : step.status,
			step.startedAt !== null && step.completedAt !== null ? span(step.completedAt - step.startedAt) : "",
			usageText(step.usage),
			oneLine(said(step), Math.max(20, width - 80)),
		]),
	);
}

const said = (step: Step): string => step.error ?? step.skipReason ?? step.notes ?? "";

function storyTable(state: RunState): string {
	return table(
		state.stories.map((story) => {
			const usage = story.scope.steps.reduce((sum, step) => sum + (step.usage.costUsd ?? 0), 0);
			return [story.id, story.status, story.claimedAt !== null && story.completedAt !== null ? span(story.completedAt - story.claimedAt) : "", usage > 0 ? `$${usage.toFixed(2)}` : "", oneLine(story.error ?? story.title, 100)];
		}),
	);
}

export const folderName = (scope: string): string => (scope === RUN_SCOPE ? "run" : scope);
