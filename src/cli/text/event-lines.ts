// The lines that a person sees during a run: short ones, and none for most events. (`pawl history` shows every event, see
// event-text.ts.)

import type { Event } from "../../core/event.ts";
import { failingPart } from "../../core/failing-part.ts";
import { findingText } from "../../core/finding.ts";
import { RUN_SCOPE, type RunState, type Step, type Story } from "../../core/model.ts";
import { money } from "../../core/money.ts";
import { findStep, triesOf } from "../../core/query.ts";
import { recordNames } from "../../core/recorded.ts";
import { jsonIn } from "../../core/text/json-in.ts";
import { type Why, WhyReader } from "../../runs/look/why.ts";
import { columnsOf, cutTo, fold } from "./columns.ts";
import { linesOf } from "./reasons.ts";
import { clock, flat, oneLine, type Paint, span, usageText } from "./text.ts";

export interface LineLook {
	readonly color: Paint;
	/** null: the width is unknown, so lines are not cut. */
	readonly columns: number | null;
}

/** Reads the events of a run in their order. */
export class LineTeller {
	private readonly reader = new WhyReader();
	/** Checks whose output was just printed. */
	private printed: Extract<Event, { event: "checks_recorded" }> | null = null;

	/** Empty if a person need not know. */
	linesFor(event: Event, state: RunState, look: LineLook): string[] {
		// Before the event is read, because then its own reason counts as told.
		const untold = this.reader.untold(event.event === "story_failed" ? event.error : ("reason" in event && event.reason) || "");
		const read = this.reader.read(event, state);
		const why = read === null || !("step" in event) ? read : { ...read, reason: this.withoutPrinted(event, read.reason) };
		if (event.event === "checks_recorded") this.printed = event;
		if (machinery(event, state, why)) return [];
		const many = state.stories.length > 1;
		const widest = Math.max(...state.stories.map((s) => s.id.length), 0);
		const scope = "scope" in event && event.scope !== RUN_SCOPE ? event.scope : "";
		const prefix = `${look.color.dim(clock(event.at))}  ${many && "scope" in event ? `${scope.padEnd(widest)}  ` : ""}`;
		const indent = columnsOf(prefix) + 2;
		const told = describe(event, state, look, why, untold);
		const { columns } = look;
		// One line for normal events; reasons wrap and are never cut.
		if (columns !== null && why === null && (event.event === "step_completed" || event.event === "step_prepared"))
			return told.map((text) => cutTo(prefix + text, columns - 1));
		return told.flatMap((text) => {
			const [first = "", ...more] = text.split("\n");
			const lines = [prefix + first, ...more.map((line) => " ".repeat(indent) + line)];
			return columns === null ? lines : lines.flatMap((line) => fold(line, columns - 1, indent));
		});
	}

	/** What a check printed stands above, with the check. */
	private withoutPrinted({ scope, step }: OfStep, reason: string): string {
		const { printed } = this;
		if (printed?.scope !== scope || printed.step !== step) return reason;
		const output = new Set(printed.checks.flatMap((check) => (check.exitCode === 0 ? [] : check.output.split("\n").map(flat))));
		const isPrinted = (line: string): boolean => output.has(flat(line)) || /^… \(\d+ lines? left out\)$/.test(line.trim());
		const [first = "", ...more] = reason.split("\n");
		return [first, ...more.filter((line) => !isPrinted(line))].join("\n");
	}
}

/** Steps that a person does not follow: the one that opens stories, internal ones that end well, and those that a run gives up. */
function machinery(event: Event, state: RunState, why: Why | null): boolean {
	if (!("step" in event)) return false;
	const step = findStep(state, event.scope, event.step);
	const type = step && state.definition.types[step.type];
	// A run that gives up says so once, not for each step that it does not come to.
	if (event.event === "step_skipped" && state.aborting) return true;
	return (
		type?.kind === "each" ||
		(type?.internal === true &&
			((event.event === "step_completed" && why === null) || ["step_skipped", "step_reopened", "step_prepared"].includes(event.event)))
	);
}

/** One text for each happening; a text may have several lines. `untold`: the event's reason without what the line before has of it. */
function describe(event: Event, state: RunState, look: LineLook, why: Why | null, untold: string): string[] {
	const { color } = look;
	const told = (what: string, paintIt: (text: string) => string, reason: string): string[] =>
		"step" in event ? [`${name(event, state)}${paintIt(what)}${because(reason)}`] : [];
	switch (event.event) {
		case "run_created":
			return [`${color.bold(event.definition.name)} run ${event.id}: ${oneLine(event.title, 80)}`];
		case "story_claimed": {
			const story = storyOf(event.scope, state);
			return story && state.stories.length > 1 ? [`${color.bold(`agent ${event.slot} starts`)}: ${oneLine(story.title, 80)}`] : [];
		}
		case "step_prepared": {
			const turn = iterationText(event, state);
			if (turn !== null) return [`${color.bold(turn)}`];
			const step = findStep(state, event.scope, event.step);
			return step === undefined ? [] : told(beginText(step, event.attempt, state), color.dim, oneLine(step.description, 100));
		}
		case "attempt_reported":
			return [...reportedText(event, state)];
		case "step_completed":
			if (why !== null) return told(why.what, color.yellow, why.reason);
			return [`${name(event, state)}${color.green(event.signal.replaceAll("_", " "))}  ${doneText(event, state, look)}`];
		case "step_failed":
		case "story_failed":
			return why === null
				? []
				: "step" in event
					? told("failed", color.red, why.reason)
					: [`${color.red("story failed")}${because(untold)}`];
		case "step_cancelled":
			return told("cancelled", color.yellow, event.error);
		case "step_skipped":
			return told("skipped", color.dim, event.reason);
		case "step_reopened":
			if (why === null) return [];
			return isLoop(event, state) ? [`${color.yellow("open again")}${because(why.reason)}`] : told(why.what, color.yellow, why.reason);
		case "report_asked":
			return why === null ? [] : told(why.what, color.yellow, why.reason);
		case "step_postponed":
			return told(`waits until ${clock(event.until)}`, color.yellow, event.reason);
		case "step_waiting":
			return told("waits for a person", color.yellow, event.reason);
		case "run_held":
			return [event.reason === null ? "goes on" : `${color.yellow("held")}${because(event.reason)}`];
		case "steps_inserted": {
			const shown = event.steps.filter(({ type }) => !state.definition.types[type]?.internal);
			return shown.length === 0
				? []
				: [`${color.yellow("adds")} ${shown.map(idAndType).join(", ")}${SIGNAL.test(untold) ? "" : because(untold)}`];
		}
		case "workflow_edited":
			return editText(event.details, event, state, look);
		case "edit_rejected":
			return told("edit rejected", color.red, event.reasons.join("; "));
		case "checks_recorded":
			return event.checks.flatMap((check) => {
				// Nothing was run: it is the word of the agent.
				if (check.said)
					return [
						`${check.name}: ${check.exitCode === 0 ? "the agent says that it holds" : color.red(check.unsaid ? "not said" : "does not hold")}${because(check.output)}`,
					];
				// pawl looked at the report itself, and found nothing wrong with it.
				if (check.exitCode === 0 && REPORT_KEY.test(check.command)) return [];
				const command = color.dim(oneLine(check.command, 80));
				if (check.exitCode === 0) return [`check ${check.name}: ${color.green("passed")}  ${command}`];
				const ended = check.exitCode === null ? "did not end" : `failed, exit ${check.exitCode}`;
				return [[`check ${check.name}: ${color.red(ended)}  ${command}`, ...failingLines(check.output)].join("\n")];
			});
		case "run_steered":
			return [`${color.yellow("a person says")}: ${flat(event.text)}`];
		case "step_extended":
			return event.reason === undefined ? [] : [`${color.yellow("why")}: ${flat(event.reason)}`];
		case "message_taken":
			return [color.yellow(`${event.inbox}: ${flat(event.text)}`)];
		case "remarked":
			return isLoop(event, state) ? [`${color.yellow("note")}: ${flat(event.text)}`] : told("note", color.yellow, event.text);
		case "converged":
			return told("found the same again", color.yellow, event.findings.map(findingText).join("; "));
		case "kept":
			return recordNames(state.definition).has(event.name)
				? told(`records (${event.name.replaceAll("_", " ")})`, color.yellow, event.text)
				: [];
		case "story_completed":
			return storyCompleted(storyOf(event.scope, state), state, event.at, color);
		case "issue_commented":
			return event.problem === undefined ? [] : [`${color.yellow("no comment")} on issue ${event.issue}: ${event.problem}`];
		case "pull_request_opened":
			return [`${color.green("pull request")}: ${event.url}`];
		case "work_undone":
			return told("undone", color.yellow, event.commits.map(({ commit }) => commit.slice(0, 12)).join(", "));
		case "story_excused":
			return [`${color.yellow("settled without a change")}${because(untold)}`];
		case "story_blocked":
			return [`${color.yellow("blocked")} by ${event.by}`];
		case "story_unblocked":
			return ["unblocked"];
		case "run_aborting":
			return [`${color.red("gives up")}${because(untold)}`];
		case "budget_warned":
			return [color.yellow(`${event.budget} at ${Math.round(event.share * 100)}% of its limit`)];
		case "stop_requested":
			return [color.yellow(`stopping (${event.how})`)];
		default:
			return [];
	}
}

/** A step put in after an ordinary result has no reason that tells anything. */
const SIGNAL = /^[a-z_]*$/;
/** `TASKS_JSON`: no command. */
const REPORT_KEY = /^[A-Z]+(?:_[A-Z]+)*$/;

const because = (reason: string): string => (reason.trim() === "" ? "" : `: ${linesOf(reason.trim(), 0).join("\n")}`);

const MOST_OUTPUT = 500;

/** The lines of a failed check that say what is wrong; `pawl logs` has all of them. */
const failingLines = (output: string): string[] =>
	linesOf(`\n${failingPart(output, MOST_OUTPUT)}`, 0)
		.slice(1)
		.map((line) => cutTo(line, 200));

/** "starts", and in a gate which member does: members begin together, and each has an attempt of its own. */
function beginText(step: Step, attempt: number, state: RunState): string {
	const members = state.definition.types[step.type]?.members ?? [];
	const role = members.length < 2 ? "" : `${step.running.find((one) => one.number === attempt)?.role ?? ""} `;
	const tries = triesOf(step);
	return tries > 1 ? `${role === "" ? "" : `${role.trim()}, `}attempt ${tries}` : `${role}starts`;
}

/** For a loop: which iteration it is, and of which role. */
function iterationText(event: Extract<Event, { readonly event: "step_prepared" }>, state: RunState): string | null {
	const step = findStep(state, event.scope, event.step);
	const attempt = step?.running.find((a) => a.number === event.attempt);
	if (!step || attempt?.letter === undefined) return null;
	const { max_iterations: max, stories_passed: passed, stories_total: total } = state.root.fields;
	const stories = total === undefined ? "" : `, ${passed ?? 0}/${total} stories pass`;
	return `iteration ${step.iteration + 1}${max === undefined ? "" : ` of ${max}`}: ${attempt.role}${stories}`;
}

/** In a gate with several members, who gave which verdict. */
function reportedText(event: Extract<Event, { readonly event: "attempt_reported" }>, state: RunState): string[] {
	if (isLoop(event, state)) return [`${event.role} ends: ${event.signal}`];
	const type = findStep(state, event.scope, event.step)?.type ?? "";
	if ((state.definition.types[type]?.members ?? []).length < 2) return [];
	const advice = event.advisory ? " (advice)" : "";
	return [`${name(event, state)}${event.role} says ${event.signal.replaceAll("_", " ")}${advice}`];
}

function isLoop(event: OfStep, state: RunState): boolean {
	const step = findStep(state, event.scope, event.step);
	return step !== undefined && state.definition.types[step.type]?.kind === "loop";
}

type OfStep = Extract<Event, { readonly step: string }>;

/** Padded to a column. */
function name(event: OfStep, state: RunState): string {
	const type = stepOf(event, state)?.type ?? "";
	// A step whose id is its type needs no second name.
	return type === event.step ? `${type.padEnd(17)}  ` : `${event.step}  ${type.padEnd(17)}  `;
}

/** Also of a story that the step itself replaced by a new plan. */
function stepOf({ scope, step }: OfStep, state: RunState): Step | undefined {
	const replaced = state.replaced?.findLast(({ id, scope: { steps } }) => id === scope && steps.some((one) => one.id === step));
	return findStep(state, scope, step) ?? replaced?.scope.steps.find((one) => one.id === step);
}

function doneText(event: OfStep, state: RunState, look: LineLook): string {
	const step = stepOf(event, state);
	if (!step) return "";
	const took = step.startedAt === null ? "" : span(event.at - step.startedAt);
	const used = usageText(step.usage);
	if (look.columns === null) return `${took}${used === "" ? "" : `, ${used}`}`;
	const cost = step.usage.costUsd === null ? "" : money(step.usage.costUsd);
	return `${took.padStart(5)}  ${cost.padStart(6)}  ${look.color.dim(noteOf(step))}`;
}

/** The notes of a step as one sentence, without the marks of a list, a heading or a fence. */
export function noteOf(step: Step): string {
	const lines = withoutJson((step.error ?? step.skipReason ?? step.notes ?? "").slice(0, 20_000))
		.split("\n")
		.filter((line) => !/^[ \t]*(?:```|~~~)/.test(line))
		.map(withoutMarks)
		// The line has the signal already.
		.filter((line) => line !== "" && !/^[A-Z_]+:[ \t]*done$/.test(line));
	const begins = lines.findIndex((line) => /^[A-Z][A-Z_]+:/.test(line));
	return oneLine(
		// "Here is my report:" says nothing.
		lines
			.filter((line, at) => !(at < begins && line.endsWith(":")))
			.reduce((text, line) => (text === "" ? line : `${text}${/[.!?:;,]$/.test(text) ? "" : ";"} ${line}`), ""),
		500,
	);
}

/** A report's key with a list or an object as its value is for programs; who reads the line would see its first brackets. */
function withoutJson(text: string): string {
	const key = /^[A-Z][A-Z_]*:[ \t]*(?:\r?\n[ \t]*)?(?=\{\s*["}]|\[\s*["{[\]])/m.exec(text);
	if (key === null) return text;
	const before = text.slice(0, key.index);
	const json = jsonIn(text.slice(key.index + key[0].length));
	// One that was cut off goes to the end.
	return json.ok ? before + withoutJson(text.slice(key.index + key[0].length + json.text.length)) : before;
}

const withoutMarks = (line: string): string =>
	line
		.trim()
		.replace(/^(?:#{1,6}|[-*+])[ \t]+/, "")
		.replaceAll("**", "")
		.trim();

type EditDetails = Extract<Event, { event: "workflow_edited" }>["details"];

function editText(details: EditDetails, event: OfStep, state: RunState, look: LineLook): string[] {
	const reason = flat(details.reason);
	if (details.operation === "restart") return [`${name(event, state)}${look.color.yellow("restarts itself")}: ${reason}`];
	return [`${name(event, state)}${look.color.yellow("edits")}: ${editOperation(details)}: ${reason}`];
}

/** A step whose id is its type is named once. */
const idAndType = ({ id, type }: { readonly id: string; readonly type: string }): string => (id === type ? id : `${id} ${type}`);

/** What an edit did, in words: `splits step-005 into step-011 coding, step-012 coding`. */
export function editOperation(details: EditDetails): string {
	const made = (details.new_steps ?? []).map(idAndType).join(", ");
	const target = details.target_step_id ?? "";
	switch (details.operation) {
		case "add_after":
			return `adds ${made} after ${target}`;
		case "split":
			return `splits ${target} into ${made}`;
		case "skip":
			return `skips ${target}`;
		case "reorder":
			return "another order";
		case "edit_description":
			return `describes ${target} anew`;
		case "restart":
			return `restarts ${target}`;
	}
}

const storyOf = (scope: string, state: RunState): Story | undefined => state.stories.find((s) => s.id === scope);

function storyCompleted(story: Story | undefined, state: RunState, at: number, color: Paint): string[] {
	if (!story) return [];
	const commit = story.scope.steps.findLast(
		(s) => state.definition.types[s.type]?.kind === "action" && /^[0-9a-f]{40,64}$/.test(s.notes ?? ""),
	)?.notes;
	if (state.stories.length === 1 && !commit) return [];
	const cost = storyCost(story);
	const parts = [
		...(story.claimedAt === null ? [] : [span(at - story.claimedAt)]),
		...(cost > 0 ? [money(cost)] : []),
		...(commit ? [`commit ${commit.slice(0, 8)}`] : []),
	];
	return [`${color.green("completed")}${parts.length > 0 ? `: ${parts.join(", ")}` : ""}`];
}

export const storyCost = (story: Story): number => story.scope.steps.reduce((sum, step) => sum + (step.usage.costUsd ?? 0), 0);
