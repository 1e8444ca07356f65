// Stories and steps as lines for a terminal.

import { workerText } from "../../core/assign/worker-text.ts";
import { money } from "../../core/money.ts";
import type { StepView, StoryView } from "../../runs/look/run-view.ts";
import type { Why } from "../../runs/look/why.ts";
import { type Cell, fitted } from "./fit.ts";
import { isSaidBelow } from "./reasons.ts";
import { type Paint, span, usageText } from "./text.ts";

export function statusCell(status: string, color: Paint): Cell {
	switch (status) {
		case "completed":
			return { text: status, paint: color.green };
		case "failed":
		case "cancelled":
		case "refused":
			return { text: status, paint: color.red };
		case "in_progress":
		case "running":
			return { text: status, paint: color.bold };
		case "cut off":
		case "waiting":
		case "paused":
		case "stopped":
		case "limited":
		case "blocked":
			return { text: status, paint: color.yellow };
		default:
			return { text: status, paint: color.dim };
	}
}

/** `reasons`: those that are printed below the table and need not be in it. */
export function storyTable(stories: readonly StoryView[], width: number, color: Paint, reasons: readonly Why[] = []): string {
	return fitted(
		stories.map((story) => [
			story.id,
			statusCell(story.status, color),
			story.elapsed_ms === null ? "" : span(story.elapsed_ms),
			story.cost_usd === null
				? story.unknown_cost_sessions > 0
					? "$?"
					: ""
				: `${money(story.cost_usd)}${story.unknown_cost_sessions > 0 ? "+?" : ""}`,
			story.status === "in_progress" && story.slot !== null ? `agent ${story.slot}` : "",
			storyNote(story, reasons),
		]),
		width,
	);
}

function storyNote(story: StoryView, reasons: readonly Why[]): string {
	if (story.error !== null) return isSaidBelow(story.error, reasons) ? story.title : `${story.title}: ${story.error}`;
	if (story.undone) return `${story.title} (undone)`;
	const step = story.current_step;
	if (step === null)
		return story.depends_on.length > 0 && story.status === "unclaimed"
			? `${story.title} (after ${story.depends_on.join(", ")})`
			: story.title;
	return `${step.id === step.type ? step.id : `${step.id} ${step.type}`}${step.status === "pending" ? " comes next" : ""}${step.tries > 1 ? `, attempt ${step.tries}` : ""}${step.elapsed_ms === null ? "" : `, ${span(step.elapsed_ms)}`}`;
}

/** As many steps in a row that were skipped for one reason are one row. */
const MANY = 5;

/** The steps of a table as groups: most have one, a long row of skipped ones is one group. */
export function inGroups<S>(steps: readonly S[], skippedFor: (step: S) => string | null): (readonly S[])[] {
	const runs: S[][] = [];
	for (const step of steps) {
		const reason = skippedFor(step);
		const last = runs.at(-1);
		if (reason !== null && last?.[0] !== undefined && skippedFor(last[0]) === reason) last.push(step);
		else runs.push([step]);
	}
	return runs.flatMap((run) => (run.length >= MANY ? [run] : run.map((step) => [step])));
}

/** A judge that is done sent the work back, and has not looked again. */
export const hasSentBack = (
	step: { readonly id: string; readonly status: string },
	story: string | null,
	reasons: readonly Why[],
): boolean => step.status === "completed" && reasons.some((why) => why.kind === "sent_back" && why.step === step.id && why.story === story);

/** `reasons`: those of the run; `story`: whose steps these are, null for those of the run itself. */
export function stepTable(
	steps: readonly StepView[],
	width: number,
	color: Paint,
	reasons: readonly Why[] = [],
	story: string | null = null,
): string {
	const isMixed = new Set(steps.map(workerText).filter((who) => who !== "")).size > 1;
	const isOneAgent = new Set(steps.flatMap(({ agent }) => agent ?? [])).size < 2;
	return fitted(
		inGroups(steps, (step) => (step.status === "skipped" ? step.skip_reason : null)).flatMap(([step, ...more]) =>
			step === undefined
				? []
				: [
						[
							step.id,
							more.length > 0 ? `to ${more.at(-1)?.id}` : step.type === step.id ? "" : step.type,
							hasSentBack(step, story, reasons) ? { text: "sent back", paint: color.yellow } : statusCell(step.status, color),
							step.tries > 1 ? `attempt ${step.tries}` : "",
							step.restart_count > 0 ? `${step.restart_count} restart${step.restart_count > 1 ? "s" : ""}` : "",
							step.elapsed_ms === null ? "" : span(step.elapsed_ms),
							usageText({ costUsd: step.cost_usd, inputTokens: step.input_tokens, outputTokens: step.output_tokens }),
							isMixed ? workerText(isOneAgent ? { ...step, agent: null } : step) : "",
							more.length > 0 ? `${more.length + 1} steps: ${step.skip_reason}` : (step.error ?? step.skip_reason ?? step.notes ?? ""),
						],
					],
		),
		width,
	);
}
