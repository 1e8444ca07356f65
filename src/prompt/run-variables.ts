// Variables about the whole run and about the agent: the current story and the others, the agent's own files, and where it works.
// Pure, like all of the prompt.
import { howToCheck } from "../core/check/how-to-check.ts";
import type { StepType } from "../core/definition.ts";
import type { RunState, Story } from "../core/model.ts";
import { startedWith } from "../core/started-with.ts";
import { renderTemplate } from "../core/template.ts";
import { quoted } from "../core/text/quoted.ts";
import type { PromptAdditions } from "./additions.ts";
import { boundaries } from "./boundaries.ts";

export interface RunVariables {
	readonly task: string;
	readonly current_story: string;
	readonly current_story_id: string;
	readonly current_story_title: string;
	readonly completed_stories: string;
	readonly stories_remaining: string;
	readonly how_to_check: string;
}

export function runVariables(state: RunState, story: Story | undefined): RunVariables {
	const done = state.stories.filter((one) => one.status === "completed");
	return {
		task: state.input["request"] ?? state.title,
		current_story: story ? storyBlock(story) : "",
		current_story_id: story?.id ?? "",
		current_story_title: story?.title ?? "",
		completed_stories: done.length === 0 ? "(none yet)" : done.map(doneLine).join("\n"),
		stories_remaining: String(state.stories.filter((one) => one.status === "unclaimed" || one.status === "blocked").length),
		how_to_check: howToCheck(startedWith(state).checks),
	};
}

const doneLine = ({ id, title, excused }: Story): string =>
	`- ${id}: ${title}${excused === undefined ? "" : ` (nothing was changed for it: ${excused.replace(/\s+/g, " ")})`}`;

export function storyBlock(story: Story): string {
	const criteria = story.criteria.map((one, at) => `${at + 1}. ${one.trim()}`);
	return [`Story ${story.id}: ${story.title}`, "", story.description.trim(), "", "Acceptance criteria:", ...criteria].join("\n");
}

/** All stories, each with its criteria and its progress. */
export function storyList(state: RunState): string {
	return state.stories
		.map((story) => {
			const phase = story.group === null ? "" : `, group ${story.group}`;
			const criteria = story.criteria.map((one) => `- ${one.trim()}`);
			return [`${story.id}: ${story.title} (${story.status.replaceAll("_", " ")}${phase})`, story.description.trim(), ...criteria].join(
				"\n",
			);
		})
		.join("\n\n");
}

/** The role's own files, filled in like prompts; what agents wrote themselves is shown as it is. */
export function agentFiles(state: RunState, role: string, additions: PromptAdditions, values: Readonly<Record<string, string>>): string {
	const files = Object.entries(state.definition.roles[role]?.files ?? {});
	const parts = files.map(([name, key]) => quoted(name, renderTemplate(state.definition.prompts[key] ?? "", values), ""));
	const more = additions.files.map(({ tag, text }) => quoted(tag, text, ""));
	const all = [...parts, ...more].filter((part) => part !== "");
	return all.length === 0
		? ""
		: ["These files say who you are and how you work. Where the task above asks for something else, the task counts.", ...all].join("\n\n");
}

export interface WorktreeFacts {
	readonly worktree: string;
	readonly branch: string;
	readonly baseBranch: string;
	readonly additions: PromptAdditions;
}

/** Where the work of many lies on one branch. */
const ONLY_ADD =
	"Only add commits: unless you are told to, do not amend, rebase or reset what was there before you. Otherwise all of your work is put back.";

export function surroundings(type: StepType | undefined, worktree: WorktreeFacts): string {
	const lines = [
		"## Where you work",
		"",
		`- Working tree: ${worktree.worktree}, on the branch ${worktree.branch}, which left ${worktree.baseBranch}. It belongs to this run: stay in it and on this branch. Other checkouts of the repository are people's: change nothing there.`,
		`- ${boundaries(type)}`,
		...(type?.writes === "any" ? [`- ${ONLY_ADD}`] : []),
		"- Do not push and do not open a pull request yourself: pawl does both, if it may.",
		...worktree.additions.surroundings.map((line) => `- ${line}`),
	];
	return lines.join("\n");
}
