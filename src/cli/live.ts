// The live view on a terminal: what happens scrolls above, what is under way stands below and is drawn anew. Plain cursor
// movements, nothing of the screen is taken away, and the last drawing is wiped when the run has ended.
import type { Event } from "../core/event.ts";
import type { RunState, Step, Story } from "../core/model.ts";
import { elapsed } from "../core/query.ts";
import type { Context } from "./context.ts";
import { lineFor, type Reporter } from "./progress.ts";
import { oneLine, paint, span, usageText, wantsColor } from "./text.ts";

const REDRAW_MS = 100;
const TICK_MS = 1000;
const SPIN = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];

export interface LiveView {
	readonly report: Reporter;
	/** A line that is no event. */
	note(text: string): void;
	close(): void;
}

export function liveView(c: Context, size: () => { readonly columns: number; readonly rows: number }): LiveView {
	const color = paint(wantsColor(c.env, true));
	let state: RunState | null = null;
	let lines: string[] = [];
	let drawn = 0;
	let spin = 0;
	let timer: NodeJS.Timeout | null = null;

	const draw = (final = false) => {
		timer = null;
		const { columns, rows } = size();
		const region = final || state === null ? [] : drawing(state, c.now(), columns, rows, color, SPIN[spin++ % SPIN.length] ?? "");
		// Up to the first line of the last drawing, clear to the end of the screen.
		c.err(`${drawn > 0 ? `\u001b[${drawn}A\r\u001b[J` : ""}${lines.map((line) => `${line}\n`).join("")}${region.map((line) => `${line}\n`).join("")}`);
		lines = [];
		drawn = region.length;
	};
	const soon = () => {
		timer ??= setTimeout(draw, REDRAW_MS);
	};
	const tick = setInterval(soon, TICK_MS);
	tick.unref();
	return {
		report: (events: readonly Event[], now: RunState) => {
			state = now;
			for (const event of events) {
				const line = lineFor(event, now, color, shown(event, now));
				if (line !== null) lines.push(line);
			}
			soon();
		},
		note: (text) => {
			lines.push(text);
			soon();
		},
		close: () => {
			clearInterval(tick);
			if (timer !== null) clearTimeout(timer);
			draw(true);
		},
	};
}

/** With many stories the steps are to be seen below; only what a person would want to read again scrolls. */
function shown(event: Event, state: RunState): boolean {
	if (state.stories.length <= 1) return true;
	return !["step_prepared", "step_skipped"].includes(event.event) && !(event.event === "step_completed" && event.signal !== "merged") && !(event.event === "checks_recorded" && event.checks.every((check) => check.exitCode === 0));
}

function drawing(state: RunState, now: number, columns: number, rows: number, color: ReturnType<typeof paint>, spinner: string): string[] {
	const active = state.stories.filter((s) => s.status === "in_progress");
	const by = (status: Story["status"]) => state.stories.filter((s) => s.status === status).length;
	const counts = [
		`${by("completed")} of ${state.stories.length} done`,
		...(by("failed") > 0 ? [`${by("failed")} failed`] : []),
		...(by("blocked") > 0 ? [`${by("blocked")} blocked`] : []),
	].join(", ");
	const usage = usageText(state.totals);
	const head = `${spinner} ${state.definition.name}  ${span(elapsed(state, now))}${usage === "" ? "" : `  ${usage}`}${state.stories.length > 1 ? `  ${counts}` : ""}`;
	const limit = Math.max(1, rows - 6);
	const body = active.slice(0, limit).map((story) => storyLine(state, story, now, columns));
	const waiting = state.stories.filter((s) => s.status === "unclaimed");
	const merges = active.filter((s) => current(s)?.type !== undefined && state.definition.types[current(s)?.type ?? ""]?.kind === "action").map((s) => s.id);
	const foot: string[] = [];
	if (merges.length > 1) foot.push(`  merge queue: ${merges.join(", ")}`);
	if (waiting.length > 0) foot.push(`  next: ${waiting.map((s) => needs(state, s)).join(", ")}`);
	return [color.bold(oneLine(head, columns)), ...body, ...foot.map((line) => color.dim(cut(line, columns)))];
}

const cut = (line: string, columns: number): string => (line.length <= columns ? line : `${line.slice(0, columns - 1)}…`);

const current = (story: Story): Step | undefined => story.scope.steps.find((s) => s.status === "in_progress") ?? story.scope.steps.find((s) => s.status === "waiting" || s.status === "pending");

function storyLine(state: RunState, story: Story, now: number, columns: number): string {
	const step = current(story);
	const done = story.scope.steps.filter((s) => s.status === "completed" || s.status === "skipped").length;
	const cost = story.scope.steps.reduce((sum, s) => sum + (s.usage.costUsd ?? 0), 0);
	const parts = [
		`agent-${story.slot ?? "?"}`,
		story.id.padEnd(8),
		`${done}/${story.scope.steps.length}`.padStart(5),
		(step === undefined ? "" : step.notBefore !== null ? `${step.type} (waits)` : step.type).padEnd(18),
		(step?.startedAt ? span(now - step.startedAt) : "").padStart(6),
		cost > 0 ? `$${cost.toFixed(2)}` : "",
		state.stories.length > 1 ? story.title : (step?.description ?? ""),
	];
	return cut(`  ${parts.filter((p) => p !== "").join("  ")}`, columns);
}

function needs(state: RunState, story: Story): string {
	const open = story.dependsOn.filter((id) => state.stories.find((s) => s.id === id)?.status !== "completed");
	return open.length === 0 ? story.id : `${story.id} (after ${open.join(", ")})`;
}
