// What the prompts of a run with a task document are told beside what every prompt is: what the document says to everybody, how each
// criterion is proven, which commits belong to which task, and how far the tasks are.
import { isAccepted } from "../../core/check/accepted.ts";
import { countOf } from "../../core/counter.ts";
import { type Criterion, readCriteria } from "../../core/criterion.ts";
import { withoutMiddle } from "../../core/cut.ts";
import { routeOf } from "../../core/definition.ts";
import { findingText } from "../../core/finding.ts";
import type { Finding, RunState, Step, Story } from "../../core/model.ts";
import { droppedStories, typeOf } from "../../core/query.ts";
import { readFindings } from "../../core/report/findings.ts";
import type { PromptContext } from "../../format.ts";
import type { PromptAdditions } from "../../prompt/additions.ts";
import { ABOUT, groupsOf, labelOf } from "./phases.ts";
import { CONFLICT } from "./supervision.ts";
import { type Range, rangesOf } from "./task-commits.ts";
import { SAVE_POINT } from "./view.ts";
import { CHECK_TYPES } from "./words.ts";

const LIST_BYTES = 48 * 1024;
const EXAMPLE_CHARS = 3000;
/** Of what an earlier session said. */
const SAID_BYTES = 4000;
/** For the supervisor after a task. */
const NO_CHANGE = `

This task has changed no file. That is right only if it was done before it began: then pass, and say why in a line of its own that the person will read, such as

ALREADY_DONE: src/parse.ts trims its input since task 1.1

Otherwise say with \`auto_fix\` what is still to be done. Without that line a task that changes nothing does not pass.`;

export async function promptAdditions({ state, scope, step, writes }: PromptContext): Promise<PromptAdditions | null> {
	if (state.input["task_doc"] === undefined) return null;
	const story = state.stories.find((s) => s.id === scope);
	return {
		files: [],
		surroundings: [],
		variables: {
			task_range: story ? rangeText(state, story) : "",
			done_so_far: story ? doneSoFar(state, story) : "",
			work_before: story ? workBefore(state, story) : "",
			new_plan: newPlan(state),
			who_decides: state.root.fields["supervisor"] === "false" ? ", and add the test that shows it" : "; the supervisor decides",
			how_it_is_proven: howProven(story),
			only_add: writes ? ONLY_ADD : "",
			last_look: lastLook(state, story, step),
			report_example: story ? example(readCriteria(story.criteria).map(({ slug }) => slug)) : repairExample(findingsNow(state)),
			...planExample(state, story),
			no_change: story && !story.changed ? NO_CHANGE : "",
		},
		quoted: {
			about: aboutOf(state, story),
			[CONFLICT.resolution]: story?.scope.fields[CONFLICT.resolution] || "(nothing)",
			report_of_the_supervisor: withoutVerdict(saidIn(story, "explanation")),
			report_of_the_iteration_before: saidIn(story, "last_report"),
			why_it_was_planned_anew: whyPlannedAnew(state),
			advice: adviceOf(story) || "(nothing)",
			findings:
				findingsNow(state)
					.map((one) => `- ${findingText(one)}`)
					.join("\n") || "(none)",
			reported: keptAs(state, "found_by_the_scanner", "improvements") || "(nothing yet)",
			criteria: criteriaList(story, (criterion) => toProve(story, criterion, writes)),
			proven_criteria: criteriaList(story, (criterion) => proven(story, criterion)),
			tasks: withoutMiddle(byPhase(state, state.stories, wholeTask), LIST_BYTES, "") + droppedText(state),
			other_tasks: withoutMiddle(otherTasks(state, scope), LIST_BYTES, "") || "(there are no others)",
			later_tasks: withoutMiddle(laterTasks(state, story), LIST_BYTES, "") || "(this is the last task)",
		},
	};
}

/** What the document says to everybody, and about the phase of this task. A run of an earlier version keeps it in its input. */
function aboutOf(state: RunState, story: Story | undefined): string {
	const about = state.root.fields[ABOUT] ?? state.input["request"] ?? "";
	const phases = groupsOf(state).filter((group) => group.about !== undefined && (!story || group.label === labelOf(story)));
	const parts = [about, ...phases.map(({ label, name, about: text = "" }) => `Phase ${label}, ${name}:\n\n${text}`)];
	return parts.filter((part) => part.trim() !== "").join("\n\n") || state.title;
}

function criteriaList(story: Story | undefined, proof: (criterion: Criterion) => string): string {
	return readCriteria(story?.criteria ?? [])
		.map((criterion) => `- ${criterion.slug}: ${criterion.text.trim()} (${proof(criterion)})`)
		.join("\n");
}

const inBackticks = (commands: readonly string[]): string => commands.map((command) => `\`${command}\``).join(" and ");

/** How a criterion will be proven. `own`: whoever reads it is the one who has to make it hold. */
function toProve(story: Story | undefined, criterion: Criterion, own: boolean): string {
	const { commands } = criterion;
	if (commands.length === 0) return own ? "your word counts" : "the executor's word counts";
	if (isAcceptedBy(story, criterion)) return `${inBackticks(commands)} cannot be run, and a person approved that: nothing is to be done`;
	return `pawl runs ${inBackticks(commands)} after ${own ? "you end" : "the executor has ended"}, and it must exit 0`;
}

/** What really ran, and how it ended: nothing else is said of it. */
function proven(story: Story | undefined, criterion: Criterion): string {
	const { slug, commands } = criterion;
	if (commands.length === 0) return "the executor's word; nobody has checked it";
	if (isAcceptedBy(story, criterion)) return `${inBackticks(commands)} cannot be run; a person approved that`;
	const ran = (story?.scope.checked ?? []).filter((one) => one.name === slug && commands.includes(one.command));
	const passed = commands.every((command) => ran.some((one) => one.command === command && one.exitCode === 0));
	return passed
		? `pawl ran ${inBackticks(commands)} after the executor had ended: it exited 0`
		: `${inBackticks(commands)} has not passed; nobody has checked it`;
}

/** What pawl does after whoever works on the task, and what is left to its word. */
function howProven(story: Story | undefined): string {
	const criteria = readCriteria(story?.criteria ?? []);
	const run = criteria.some(({ commands }) => commands.length > 0);
	const word = criteria.some(({ commands }) => commands.length === 0);
	const after = run ? "pawl runs the commands itself, whatever you say, and after them the repository's own checks." : RUNS_CHECKS;
	return `${after}${word ? ` ${run ? "Where your word counts, say" : "Say"} \`true\` only of what you have checked.` : ""}`;
}

const RUNS_CHECKS = "After you pawl runs the repository's own checks.";
const ONLY_ADD = " Only add commits: if you amend, rebase or reset what was there before you, all of your work is put back.";

const isAcceptedBy = (story: Story | undefined, { slug, commands }: Criterion): boolean =>
	commands.some((command) => isAccepted(story?.scope, { name: slug, command }));

/** An answer as it could be, with names of this run. */
const example = (names: readonly string[]): string => ["STATUS: done", "CRITERIA:", ...names.map((name) => `- ${name}: true`)].join("\n");

/** What an earlier session of the task said; empty if nobody did. */
const saidIn = (story: Story | undefined, field: string): string => withoutMiddle(story?.scope.fields[field]?.trim() ?? "", SAID_BYTES, "");

const VERDICT = /^[\s>*_`#-]*(?:ACTION|SEVERITY|CONFLICT_TYPE|RESOLUTION)[*_`]*:/i;

/** Without the lines that decide: the prompt has them already. */
const withoutVerdict = (report: string): string =>
	report
		.split("\n")
		.filter((line) => !VERDICT.test(line))
		.join("\n")
		.trim();

/** With their keys: the scanner may have given none. */
const findingsNow = ({ root }: RunState): readonly Finding[] => readFindings(root.fields["findings"] ?? "");

/** One finding of several is refused in the example, so that it shows both answers without contradicting itself. */
function repairExample(findings: readonly Finding[]): string {
	const keys = findings.map(({ key }) => key).slice(0, 20);
	const refused = keys.length > 1 ? keys.at(-1) : undefined;
	const lines = keys.map((key) => `- ${key}: ${key !== refused}`);
	const reason = refused === undefined ? [] : [`REFUSED: [${refused}] the file is generated, and \`make\` writes it anew`];
	return ["STATUS: done", "CRITERIA:", ...lines, ...reason].join("\n");
}

/** What the executor of this task was told before and during it, oldest first. What was found after it is a repair, which has its own step. */
function adviceOf(story: Story | undefined): string {
	const told = (story?.scope.kept ?? []).filter(({ name }) => name === "resolutions");
	const before = told.filter(({ step }) => BEFORE_THE_END.includes(story?.scope.steps.find(({ id }) => id === step)?.type ?? ""));
	return [...new Set(before.map(({ text }) => `- ${oneLine(text)}`))].join("\n");
}

const BEFORE_THE_END: readonly string[] = CHECK_TYPES.filter((type) => type !== "post_task");

/** What of this task is in the tree already, from before it was planned anew. */
function workBefore(state: RunState, story: Story): string {
	const { before } = rangesOf(state, story);
	if (before.length === 0) return "";
	return `Work on this task is in the tree already, from before it was planned anew: the commits ${rangeList(before)}. Keep what fits the task as it is now.`;
}

/** After a new plan the document is no longer the list. */
function newPlan({ replaced = [] }: RunState): string {
	if (replaced.length === 0) return "";
	return "The rest of the work was planned anew during this run, and that was approved. Where the task document says something else, the tasks as they stand here count. Keep to what led to the new plan as well.";
}

/** The conflicts that led to new plans. */
const whyPlannedAnew = ({ replaced = [] }: RunState): string =>
	replaced
		.filter(({ scope: { fields } }) => fields[SAVE_POINT] !== undefined && (fields[CONFLICT.resolution] ?? "").trim() !== "")
		.map(({ id, scope: { fields } }) => `- at task ${id}: ${oneLine(fields[CONFLICT.resolution] ?? "")}`)
		.join("\n");

/** How often the supervisor may still have something repaired. */
function lastLook(state: RunState, story: Story | undefined, step: Step): string {
	const type = typeOf(state, step);
	const route = type && routeOf(type, "auto_fix");
	if (!story || route?.max === undefined) return "";
	const left = route.max - countOf(story.scope, { kind: "route", owner: step.type, name: "auto_fix" });
	if (left >= route.max) return "";
	if (left > 0) return ` It can be repaired ${left === 1 ? "once" : `${left} times`} more; after that a person is asked.`;
	return ` This is your last look: it was repaired ${route.max} times. If you do not pass it, a person is asked.`;
}

/** The list as it is now: all of it, or its beginning if it is long. */
function planExample({ stories }: RunState, story: Story | undefined): Record<"plan_example" | "plan_example_of", string> {
	const open = stories.filter((one) => one.status !== "completed" || one.id === story?.id);
	const entries = open.map(({ id, title, description, criteria }) => ({ task: id, name: title, description, criteria }));
	const whole = listText(entries);
	if (whole.length <= EXAMPLE_CHARS || entries.length <= 2)
		return { plan_example: whole, plan_example_of: "this is the list as it is now" };
	return {
		plan_example: listText(entries.slice(0, 2)),
		plan_example_of: `these are the first two of the ${entries.length} entries that the list has now; yours has all that are to be done`,
	};
}

const listText = (entries: readonly object[]): string =>
	entries.length === 0 ? "[]" : `[\n${entries.map((one) => JSON.stringify(one)).join(",\n")}\n]`;

function rangeText(state: RunState, story: Story): string {
	const { before, now } = rangesOf(state, story);
	const here = now === null ? "" : `\`${now.from}..HEAD\``;
	return before.length === 0 ? here : `${here} and, from before it was planned anew, ${rangeList(before)}`;
}

const rangeList = (ranges: readonly Range[]): string => ranges.map(({ from, to }) => `\`${from}..${to}\``).join(" and ");

/** A task may be stopped before anything was done. */
const doneSoFar = (state: RunState, story: Story): string =>
	story.changed || rangesOf(state, story).before.length > 0
		? `What was done of the task so far is in the commits ${rangeText(state, story)}, and stays there.`
		: "Nothing has been done of the task yet.";

/** Nobody works on a completed task again: its name and commits are enough. */
function otherTasks(state: RunState, scope: string): string {
	const others = state.stories.filter((s) => s.id !== scope);
	return byPhase(state, others, (run, s) => (s.status === "completed" ? heading(run, s) : wholeTask(run, s)));
}

/** The names of the tasks after this one: others do them. */
function laterTasks(state: RunState, story: Story | undefined): string {
	const at = state.stories.findIndex((s) => s.id === story?.id);
	return at < 0 ? "" : byPhase(state, state.stories.slice(at + 1), (_, s) => `${s.id}: ${oneLine(s.title)}`, "\n");
}

/** Each phase by its name, above its tasks. */
function byPhase(state: RunState, stories: readonly Story[], text: (state: RunState, story: Story) => string, between = "\n\n"): string {
	const phases = groupsOf(state);
	return stories
		.map((story, i) => {
			const label = labelOf(story);
			const before = stories[i - 1];
			const { name = "" } = phases.find((phase) => phase.label === label) ?? {};
			const begins = before === undefined || labelOf(before) !== label;
			return `${begins ? `Phase ${label}${name === "" || name === `Phase ${label}` ? "" : `, ${oneLine(name)}`}:${between}` : ""}${text(state, story)}`;
		})
		.join(between);
}

function droppedText(state: RunState): string {
	const dropped = droppedStories(state).map((s) => `- ${s.id}: ${oneLine(s.title)}`);
	return dropped.length === 0 ? "" : `\n\nDropped by a new plan, so not to be done:\n\n${dropped.join("\n")}`;
}

function wholeTask(state: RunState, story: Story): string {
	const criteria = readCriteria(story.criteria).map((one) => {
		const accepted = isAcceptedBy(story, one) ? ` (${inBackticks(one.commands)} cannot be run; a person approved that)` : "";
		return `- ${one.text.trim()}${accepted}`;
	});
	return [heading(state, story), story.description.trim(), ...criteria].filter((line) => line !== "").join("\n");
}

const oneLine = (text: string): string => text.replace(/\s+/g, " ").trim();

const STATUS: Readonly<Record<string, string>> = { in_progress: "under way", unclaimed: "not begun", blocked: "not begun" };

function heading(state: RunState, story: Story): string {
	const { before, now } = rangesOf(state, story);
	const done = story.status === "completed" && now?.to && now.to !== now.from ? [...before, now] : before;
	const ranges = done.map(({ from, to }) => `${from.slice(0, 12)}..${to.slice(0, 12)}`);
	const commits = ranges.length === 0 ? "" : `, commits ${ranges.join(" and ")}`;
	const begun = story.status === "in_progress" && !story.changed ? "begun, nothing is done of it yet" : null;
	return `${story.id}: ${oneLine(story.title)} (${begun ?? STATUS[story.status] ?? story.status}${commits})`;
}

/** What a route recorded under this name. */
const keptAs = ({ root }: RunState, ...names: readonly string[]): string =>
	root.kept
		.filter((one) => names.includes(one.name))
		.slice(-20)
		.map(({ text }) => `- ${text.replace(/\s+/g, " ")}`)
		.join("\n");
