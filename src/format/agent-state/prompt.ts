// What the prompts of a run with a task document are told beside what every prompt is: what the document says to everybody, how each
// criterion is proven, which commits belong to which task, and how far the tasks are.
import { isAccepted } from "../../core/check/accepted.ts";
import { type Criterion, readCriteria } from "../../core/criterion.ts";
import { withoutMiddle } from "../../core/cut.ts";
import type { RunState, Story } from "../../core/model.ts";
import { droppedStories } from "../../core/query.ts";
import type { PromptContext } from "../../format.ts";
import type { PromptAdditions } from "../../prompt/additions.ts";
import { ABOUT, groupsOf, labelOf } from "./phases.ts";
import { CONFLICT } from "./supervision.ts";
import { rangesOf } from "./task-commits.ts";

const LIST_BYTES = 48 * 1024;
const EXAMPLE_CHARS = 3000;
/** For the supervisor after a task. */
const NO_CHANGE = `

This task has changed no file. That is right only if it was done before it began: then pass, and say why in a line of its own that the person will read, such as

ALREADY_DONE: src/parse.ts trims its input since task 1.1

Otherwise say with \`auto_fix\` what is still to be done. Without that line a task that changes nothing does not pass.`;

export async function promptAdditions({ state, scope, writes }: PromptContext): Promise<PromptAdditions | null> {
	if (state.input["task_doc"] === undefined) return null;
	const story = state.stories.find((s) => s.id === scope);
	return {
		files: [],
		surroundings: [],
		variables: {
			task_range: story ? rangeText(state, story) : "",
			done_so_far: story ? doneSoFar(state, story) : "",
			report_example: example(story ? readCriteria(story.criteria).map(({ slug }) => slug) : keysIn(state.root.fields["findings"])),
			...planExample(state, story),
			no_change: story && !story.changed ? NO_CHANGE : "",
		},
		quoted: {
			about: aboutOf(state, story),
			[CONFLICT.resolution]: story?.scope.fields[CONFLICT.resolution] || "(nothing)",
			findings: state.root.fields["findings"] || "(none)",
			reported: keptAs(state, "improvements") || "(nothing yet)",
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

const isAcceptedBy = (story: Story | undefined, { slug, commands }: Criterion): boolean =>
	commands.some((command) => isAccepted(story?.scope, { name: slug, command }));

/** An answer as it could be, with names of this run. */
const example = (names: readonly string[]): string => ["STATUS: done", "CRITERIA:", ...names.map((name) => `- ${name}: true`)].join("\n");

const keysIn = (findings = ""): string[] =>
	[...findings.matchAll(/^[ \t]*[-*][ \t]+\[([^\]\n]{1,80})\]/gm)].map((match) => match[1] ?? "").slice(0, 20);

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
	const earlier = before.map(({ from, to }) => `\`${from}..${to}\``);
	const here = now === null ? "" : `\`${now.from}..HEAD\``;
	return earlier.length === 0 ? here : `${here} and, from before it was planned anew, ${earlier.join(" and ")}`;
}

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
	const { now } = rangesOf(state, story);
	const commits = story.status === "completed" && now?.to ? `, commits ${now.from.slice(0, 12)}..${now.to.slice(0, 12)}` : "";
	return `${story.id}: ${oneLine(story.title)} (${STATUS[story.status] ?? story.status}${commits})`;
}

/** What a route recorded under this name. */
const keptAs = ({ root }: RunState, name: string): string =>
	root.kept
		.filter((one) => one.name === name)
		.slice(-20)
		.map(({ text }) => `- ${text.replace(/\s+/g, " ")}`)
		.join("\n");
