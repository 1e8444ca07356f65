// The list of stories, a line each: where it is, for how long, at what cost. And the steps of the selected one.
import { RUN_SCOPE, type RunState, type Step, type Story } from "../../core/model.ts";
import { money } from "../../core/money.ts";
import { findScope, typeOf } from "../../core/query.ts";
import { columnsOf, cutTo, padTo } from "../text/columns.ts";
import { noteOf, storyCost } from "../text/event-lines.ts";
import { clock, flat, type Paint } from "../text/text.ts";
import { scopeName, short } from "./header.ts";
import { currentOf, type Model, scopesShown, selectedScope, selectedStep, stepsShown } from "./model.ts";

const STATE_COLUMNS = 18;
const MOST_ID = 16;

/** The mark, and how to paint what belongs to it. */
export function markOf(status: string, color: Paint): { readonly mark: string; readonly paint: (text: string) => string } {
	switch (status) {
		case "completed":
			return { mark: "✓", paint: color.green };
		case "failed":
		case "cancelled":
			return { mark: "✗", paint: color.red };
		case "in_progress":
			return { mark: "●", paint: color.cyan };
		case "waiting":
			return { mark: "?", paint: color.yellow };
		case "blocked":
			return { mark: "✗", paint: color.yellow };
		case "skipped":
			return { mark: "–", paint: color.dim };
		default:
			return { mark: "○", paint: color.dim };
	}
}

interface Row {
	readonly scope: string;
	readonly status: string;
	readonly done: string;
	readonly state: string;
	readonly time: string;
	readonly cost: string;
	readonly title: string;
}

/** As many lines as fit, with the selected one among them, and which of all they are. */
export function storyLines(
	model: Model,
	columns: number,
	room: number,
	color: Paint,
): { readonly lines: readonly string[]; readonly title: string } {
	const { state, kept } = model.run;
	if (kept.length > 0 && state.stories.length === 0) return keptLines(model, columns, room, color);
	const scopes = scopesShown(state);
	const selected = selectedScope(model);
	const at = Math.max(0, scopes.indexOf(selected));
	// Stays still while the selection moves within it.
	const from = Math.max(0, Math.min(Math.floor(at / Math.max(1, room - 1)) * Math.max(1, room - 1), scopes.length - room));
	const shown = scopes.slice(from, from + room).map((scope) => rowOf(model, scope));
	const widest = Math.min(MOST_ID, Math.max(...scopes.map((scope) => columnsOf(scopeName(scope))), 3));
	const lines = shown.map((row) => line(row, row.scope === selected, widest, columns, color));
	const name = state.stories.length === 0 ? "run" : state.stories.length === 1 ? "story" : "stories";
	const title = scopes.length > room ? `stories ${from + 1}–${from + shown.length} of ${scopes.length}` : name;
	return { lines, title };
}

/** How many lines `storyLines` would like. */
export const storyRows = ({ run: { state, kept } }: Model): number =>
	scopesShown(state).length + (state.stories.length === 0 ? kept.length : 0);

/** The run, and below it the stories of its file as they are now. Those that are done leave first where there is little room. */
function keptLines(
	model: Model,
	columns: number,
	room: number,
	color: Paint,
): { readonly lines: readonly string[]; readonly title: string } {
	const { kept } = model.run;
	const left = Math.max(0, room - 1);
	const open = kept.findIndex(({ passes }) => !passes);
	const from = Math.max(0, Math.min(open < 0 ? kept.length : open - 1, kept.length - left));
	const widest = Math.min(MOST_ID, Math.max(...kept.map(({ id }) => columnsOf(flat(id))), 3));
	const passed = kept.filter(({ passes }) => passes).length;
	return {
		lines: [
			line(rowOf(model, RUN_SCOPE), true, 3, columns, color),
			...kept.slice(from, from + left).map((story) => {
				const { mark, paint } = markOf(story.status, color);
				return cutTo(`   ${paint(mark)} ${padTo(cutTo(flat(story.id), widest), widest)}  ${color.dim(flat(story.title))}`, columns);
			}),
		],
		title: `run, ${passed} of ${kept.length} ${kept.length === 1 ? "story passes" : "stories pass"}`,
	};
}

function line(row: Row, selected: boolean, widest: number, columns: number, color: Paint): string {
	const { mark, paint } = markOf(row.status, color);
	const id = padTo(cutTo(scopeName(row.scope), widest), widest);
	const cells = [
		row.done.padStart(5),
		paint(padTo(cutTo(row.state, STATE_COLUMNS), STATE_COLUMNS)),
		row.time.padStart(6),
		row.cost.padStart(7),
	];
	const text = `${selected ? color.bold(color.inverse(` ${id} `)) : ` ${id} `} ${cells.join("  ")}  ${color.dim(row.title)}`;
	return cutTo(`${selected ? ">" : " "}${paint(mark)}${text}`, columns);
}

function rowOf({ run: { state, storyMs }, now }: Model, scope: string): Row {
	const story = state.stories.find((s) => s.id === scope);
	const found = findScope(state, scope);
	const all = found?.steps.filter((step) => typeOf(state, step)?.kind !== "each") ?? [];
	// Of the run itself people follow only some steps.
	const steps = found !== undefined && scope === RUN_SCOPE ? stepsShown(state, found) : all;
	const ended = steps.filter((step) => step.status === "completed" || step.status === "skipped").length;
	const active = steps.find((step) => step.status === "in_progress" || step.status === "waiting");
	const next =
		active ?? (story?.status === "in_progress" || story === undefined ? steps.find((step) => step.status === "pending") : undefined);
	const worked = storyMs.get(scope);
	const cost = story === undefined ? 0 : storyCost(story);
	const sleeps = next?.notBefore != null && next.notBefore > now;
	return {
		scope,
		status: active?.status === "waiting" ? "waiting" : (story?.status ?? currentOf(steps)?.status ?? "pending"),
		done: steps.length === 0 ? "" : `${ended}/${steps.length}`,
		state: story === undefined ? stepWords(next, sleeps) : storyWords(state, story, next, sleeps),
		time: sleeps
			? `-${short((next?.notBefore ?? now) - now)}`
			: active?.startedAt != null
				? short(now - active.startedAt)
				: worked === undefined || story?.status === "in_progress"
					? ""
					: short(worked),
		cost: cost > 0 ? money(cost) : "",
		title: flat(story?.error ?? story?.title ?? currentOf(steps)?.description ?? ""),
	};
}

function storyWords(state: RunState, story: Story, next: Step | undefined, sleeps: boolean): string {
	if (story.status === "completed") return "done";
	if (story.status !== "unclaimed") return story.status === "in_progress" ? stepWords(next, sleeps) : story.status;
	const open = story.dependsOn.filter((id) => state.stories.find((s) => s.id === id)?.status !== "completed");
	return open.length === 0 ? "next" : afterText(open);
}

/** As many names as fit, and how many more. */
function afterText(open: readonly string[]): string {
	for (let n = open.length; n > 1; n--) {
		const text = `after ${open.slice(0, n).join(", ")}${n < open.length ? ` +${open.length - n}` : ""}`;
		if (columnsOf(text) <= STATE_COLUMNS) return text;
	}
	return `after ${open[0] ?? ""}${open.length > 1 ? ` +${open.length - 1}` : ""}`;
}

function stepWords(step: Step | undefined, sleeps: boolean): string {
	if (step === undefined) return "";
	if (step.status === "waiting") return "waits for you";
	return sleeps && step.notBefore !== null ? `${step.type} ${clock(step.notBefore)}` : step.type;
}

/** The steps of the selected story side by side, for a narrow terminal. Begins so that the selected one fits. */
export function stepStrip(model: Model, columns: number, color: Paint): string {
	const steps = stepsOf(model);
	const selected = selectedStep(model);
	const cells = steps.map((step) => {
		const { mark, paint } = markOf(step.status, color);
		const name = `${mark} ${step.type}`;
		return step.id === selected?.id ? color.bold(color.inverse(` ${name} `)) : paint(name);
	});
	const at = steps.findIndex((step) => step.id === selected?.id);
	const widthTo = (from: number, to: number) => cells.slice(from, to).reduce((sum, cell) => sum + columnsOf(cell) + 2, 0);
	let from = 0;
	// Room for the mark of what is left out, and for a glimpse of what comes next.
	while (from < at && widthTo(from, at + 1) + 14 > columns) from++;
	return cutTo(` ${from > 0 ? "… " : ""}${cells.slice(from).join("  ")}`, columns);
}

const stepsOf = (model: Model): Step[] => {
	const scope = findScope(model.run.state, selectedScope(model));
	return scope === undefined ? [] : stepsShown(model.run.state, scope);
};

/** The steps of the selected story, a line each, for a wide terminal. */
export function stepLines(model: Model, columns: number, room: number, color: Paint): string[] {
	const steps = stepsOf(model);
	const selected = selectedStep(model);
	const at = Math.max(
		0,
		steps.findIndex((step) => step.id === selected?.id),
	);
	const from = Math.max(0, Math.min(at - Math.floor(room / 2), steps.length - room));
	const widest = Math.max(...steps.map((step) => columnsOf(step.type)), 4);
	return steps.slice(from, from + room).map((step) => {
		const { mark, paint } = markOf(step.status, color);
		const type = padTo(step.type, widest);
		const took = step.startedAt === null ? "" : short((step.completedAt ?? model.now) - step.startedAt);
		const cost = step.usage.costUsd === null ? "" : money(step.usage.costUsd);
		const about = flat(verdictWords(step) ?? (noteOf(step) || step.description));
		const name = step.id === selected?.id ? color.bold(color.inverse(` ${type} `)) : ` ${type} `;
		return cutTo(
			`${step.id === selected?.id ? ">" : " "}${paint(mark)}${name} ${took.padStart(6)}  ${cost.padStart(7)}  ${color.dim(about)}`,
			columns,
		);
	});
}

/** What the members of a gate said, as they said it. */
export function verdictWords(step: Step): string | null {
	if (step.verdicts.length === 0 && step.running.length < 2) return null;
	return [
		...step.verdicts.map(
			({ role, signal, advisory, findings }) =>
				`${role}: ${signal}${advisory === true ? " (advisory)" : ""}${findings.length === 0 ? "" : `, ${findings.length} finding${findings.length === 1 ? "" : "s"}`}`,
		),
		...step.running.filter(({ role }) => role !== "").map(({ role }) => `${role}: at work`),
	].join("; ");
}
