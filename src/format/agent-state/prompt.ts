// What the prompts of a run with a task document are told beside what every prompt is: what the document says to everybody, how each
// criterion is proven, which commits belong to which task, and how far the tasks are.
import { readCriteria } from "../../core/criterion.ts";
import { withoutMiddle } from "../../core/cut.ts";
import type { RunState, Story } from "../../core/model.ts";
import type { PromptContext } from "../../format.ts";
import type { PromptAdditions } from "../../prompt/additions.ts";
import { ABOUT, groupsOf, labelOf } from "./phases.ts";
import { CONFLICT } from "./supervision.ts";
import { rangesOf } from "./task-commits.ts";

const LIST_BYTES = 48 * 1024;

export async function promptAdditions({ state, scope }: PromptContext): Promise<PromptAdditions | null> {
	if (state.input["task_doc"] === undefined) return null;
	const story = state.stories.find((s) => s.id === scope);
	return {
		files: [],
		surroundings: [],
		variables: {
			task_range: story ? rangeText(state, story) : "",
			report_example: example(story ? readCriteria(story.criteria).map(({ slug }) => slug) : keysIn(state.root.fields["findings"])),
			plan_example: planExample(state, story),
		},
		quoted: {
			about: aboutOf(state, story),
			[CONFLICT.resolution]: story?.scope.fields[CONFLICT.resolution] || "(nothing)",
			findings: state.root.fields["findings"] || "(none)",
			reported: keptAs(state, "improvements") || "(nothing yet)",
			criteria: criteriaList(story, (commands) =>
				commands ? `pawl runs ${commands} after you end, and it must exit 0` : "your word counts",
			),
			proven_criteria: criteriaList(story, (commands) =>
				commands ? `pawl ran ${commands} after the executor had ended: it exited 0` : "the executor's word; nobody has checked it",
			),
			tasks: withoutMiddle(state.stories.map((s) => wholeTask(state, s)).join("\n\n"), LIST_BYTES, ""),
			other_tasks: withoutMiddle(otherTasks(state, scope), LIST_BYTES, "") || "(there are no others)",
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

function criteriaList(story: Story | undefined, proof: (commands: string | null) => string): string {
	return readCriteria(story?.criteria ?? [])
		.map(({ slug, text, commands }) => {
			const named = commands.length === 0 ? null : commands.map((command) => `\`${command}\``).join(" and ");
			return `- ${slug}: ${text.trim()} (${proof(named)})`;
		})
		.join("\n");
}

/** An answer as it could be, with names of this run. */
const example = (names: readonly string[]): string => ["STATUS: done", "CRITERIA:", ...names.map((name) => `- ${name}: true`)].join("\n");

const keysIn = (findings = ""): string[] =>
	[...findings.matchAll(/^\s*[-*]\s+\[([^\]\n]{1,80})\]/gm)].map((match) => match[1] ?? "").slice(0, 20);

/** The task that is planned anew, as it is now. */
function planExample({ stories }: RunState, story: Story | undefined): string {
	const one = story ?? stories.find(({ status }) => status !== "completed");
	return one ? JSON.stringify([{ task: one.id, name: one.title, description: one.description, criteria: one.criteria }]) : "[]";
}

function rangeText(state: RunState, story: Story): string {
	const { before, now } = rangesOf(state, story);
	const earlier = before.map(({ from, to }) => `\`${from}..${to}\``);
	const here = now === null ? "" : `\`${now.from}..HEAD\``;
	return earlier.length === 0 ? here : `${here} and, from before it was planned anew, ${earlier.join(" and ")}`;
}

/** Nobody works on a completed task again: its name and commits are enough. */
function otherTasks(state: RunState, scope: string): string {
	const others = state.stories.filter((s) => s.id !== scope);
	return others.map((s) => (s.status === "completed" ? heading(state, s) : wholeTask(state, s))).join("\n\n");
}

const wholeTask = (state: RunState, story: Story): string =>
	[heading(state, story), story.description.trim(), ...story.criteria.map((one) => `- ${one.trim()}`)]
		.filter((line) => line !== "")
		.join("\n");

const STATUS: Readonly<Record<string, string>> = { in_progress: "under way", unclaimed: "not begun", blocked: "not begun" };

function heading(state: RunState, story: Story): string {
	const { now } = rangesOf(state, story);
	const commits = story.status === "completed" && now?.to ? `, commits ${now.from.slice(0, 12)}..${now.to.slice(0, 12)}` : "";
	return `${story.id}: ${story.title.replace(/\s+/g, " ")} (${STATUS[story.status] ?? story.status}${commits})`;
}

/** What a route recorded under this name. */
const keptAs = ({ root }: RunState, name: string): string =>
	root.kept
		.filter((one) => one.name === name)
		.slice(-20)
		.map(({ text }) => `- ${text.replace(/\s+/g, " ")}`)
		.join("\n");
