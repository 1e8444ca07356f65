// What is running, as a few lines: the run, a line for each agent, what comes next. No line is as wide as the terminal and there are
// never more lines than it has rows, because the next drawing has to overwrite them.
import type { RunState, Step, Story } from "../../core/model.ts";
import { money } from "../../core/money.ts";
import { elapsed } from "../../core/query.ts";
import { loopView } from "../../runs/look/run-view.ts";
import { cutTo, padTo } from "../text/columns.ts";
import { storyCost } from "../text/event-lines.ts";
import { oneLine, type Paint, span, tokens } from "../text/text.ts";

export interface Drawing {
	readonly now: number;
	readonly columns: number;
	readonly rows: number;
	readonly color: Paint;
	/** The number of this drawing, for the parts that move. */
	readonly frame: number;
}

const SPIN = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
/** The head, the line above it, the two lines below, and one for the cursor. */
const AROUND = 5;

export function drawing(state: RunState, d: Drawing): string[] {
	const { color } = d;
	const spinner = SPIN[d.frame % SPIN.length] ?? "";
	const head = `${color.yellow(spinner)} ${color.bold(state.definition.name)}  ${headParts(state, d).join("  ")}`;
	const room = Math.max(0, d.rows - AROUND);
	const body = bodyLines(state, d);
	const shown = body.length <= room ? body : [...body.slice(0, Math.max(0, room - 1)), color.dim(`  and ${body.length - room + 1} more`)];
	const all = ["", head, ...shown, ...footLines(state).map((line) => color.dim(line))];
	return all.slice(0, Math.max(1, d.rows - 1)).map((line) => cutTo(line, d.columns - 1));
}

function headParts(state: RunState, d: Drawing): string[] {
	const { costUsd, inputTokens, outputTokens, unknownCost } = state.totals;
	const by = (status: Story["status"]) => state.stories.filter((s) => s.status === status).length;
	const told = (status: Story["status"], paint: (text: string) => string) => (by(status) > 0 ? [paint(`${by(status)} ${status}`)] : []);
	return [
		...loopParts(state),
		...(state.stories.length > 1 ? [`${by("completed")} of ${state.stories.length} stories`] : []),
		...told("failed", d.color.red),
		...told("blocked", d.color.yellow),
		short(elapsed(state, d.now)),
		...(costUsd === null ? (unknownCost > 0 ? ["cost unknown"] : []) : [`${money(costUsd)}${unknownCost > 0 ? "+?" : ""}`]),
		...(inputTokens === null && outputTokens === null
			? []
			: [d.color.dim(`${tokens(inputTokens ?? 0)} in / ${tokens(outputTokens ?? 0)} out`)]),
		...(state.stopping === null ? [] : [d.color.yellow("stopping")]),
	];
}

function loopParts(state: RunState): string[] {
	const { loop } = loopView(state);
	if (loop === undefined) return [];
	return [
		`iteration ${loop.iteration}${loop.max_iterations === null ? "" : ` of ${loop.max_iterations}`}`,
		...(loop.stories_total === null ? [] : [`${loop.stories_passed}/${loop.stories_total} stories pass`]),
		...(loop.held === null ? [] : ["held"]),
	];
}

function bodyLines(state: RunState, d: Drawing): string[] {
	const active = state.stories.filter((s) => s.status === "in_progress");
	const widest = Math.max(...state.stories.map((s) => s.id.length), 0);
	if (state.stories.length <= 1) return [...active.map((story) => stepLine(story, d)), ...rootLines(state, d)];
	// A line for each agent, even if it is idle: lines that come and go make the view jump.
	const lines = state.options.slots.map((slot) => {
		const story = active.find((s) => s.slot === slot);
		return story ? storyLine(story, widest, d) : d.color.dim(`  agent ${slot}  ${state.stopping === null ? "idle" : "stopped"}`);
	});
	const elsewhere = active.filter((s) => s.slot === null || !state.options.slots.includes(s.slot));
	return [...lines, ...elsewhere.map((story) => storyLine(story, widest, d)), ...rootLines(state, d)];
}

/** Steps of the run itself, except the one that opens stories. */
const rootLines = (state: RunState, d: Drawing): string[] =>
	state.root.steps
		.filter((s) => s.status === "in_progress" && state.definition.types[s.type]?.kind !== "each")
		.map((step) => {
			const under = step.running.find((a) => a.letter !== undefined);
			// For a loop: whose turn it is, and since when.
			if (under) return `  ${under.role.padEnd(17)}  ${short(d.now - under.startedAt).padStart(6)}  ${oneLine(step.description, 200)}`;
			return `  ${stepCells(step, d)}  ${oneLine(step.description, 200)}`;
		});

function storyLine(story: Story, widest: number, d: Drawing): string {
	const step = current(story);
	const cost = storyCost(story);
	const cells = [
		`agent ${story.slot ?? "?"}`,
		d.color.bold(padTo(story.id, widest)),
		progress(story).padStart(5),
		stepCells(step, d),
		(cost > 0 ? money(cost) : "").padStart(6),
		d.color.dim(oneLine(story.title, 200)),
	];
	return `  ${cells.join("  ")}`;
}

function stepLine(story: Story, d: Drawing): string {
	const step = current(story);
	return `  ${progress(story).padStart(5)}  ${step?.id ?? ""}  ${stepCells(step, d)}  ${d.color.dim(oneLine(step?.description ?? "", 200))}`;
}

function stepCells(step: Step | undefined, d: Drawing): string {
	if (step === undefined) return "".padEnd(25);
	const waits = step.notBefore !== null && step.notBefore > d.now;
	const time = waits
		? `-${short((step.notBefore ?? d.now) - d.now)}`
		: step.status === "in_progress" && step.startedAt !== null
			? short(d.now - step.startedAt)
			: "";
	const type = step.type.padEnd(17);
	return `${waits ? d.color.yellow(type) : type}  ${time.padStart(6)}`;
}

function footLines(state: RunState): string[] {
	const merging = state.stories.filter(
		(s) => s.status === "in_progress" && state.definition.types[current(s)?.type ?? ""]?.kind === "action",
	);
	const waiting = state.stories.filter((s) => s.status === "unclaimed");
	return [
		...(merging.length > 1 ? [`  merge queue  ${merging.map((s) => s.id).join(", ")}`] : []),
		...(waiting.length > 0 && state.stories.length > 1 ? [`  next     ${waiting.map((s) => needs(state, s)).join(", ")}`] : []),
	];
}

const current = (story: Story): Step | undefined =>
	story.scope.steps.find((s) => s.status === "in_progress") ??
	story.scope.steps.find((s) => s.status === "waiting" || s.status === "pending");

const progress = (story: Story): string =>
	`${story.scope.steps.filter((s) => s.status === "completed" || s.status === "skipped").length}/${story.scope.steps.length}`;

/** In tenths of a second: milliseconds would change with every drawing. */
const short = (ms: number): string => (ms < 1000 ? `${(Math.floor(Math.max(0, ms) / 100) / 10).toFixed(1)}s` : span(ms));

function needs(state: RunState, story: Story): string {
	const open = story.dependsOn.filter((id) => state.stories.find((s) => s.id === id)?.status !== "completed");
	return open.length === 0 ? story.id : `${story.id} (after ${open.join(", ")})`;
}
