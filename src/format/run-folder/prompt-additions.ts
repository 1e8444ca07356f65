// What the prompts of reviewers and steering say about the run folder: the stories as they are now, and which commits to look at.
import { startedWith } from "../../core/started-with.ts";
import type { PromptContext } from "../../format.ts";
import { NO_ADDITIONS, type PromptAdditions } from "../../prompt/additions.ts";
import { RunFolder } from "./folder.ts";
import { idOf, nextStory, passes, readDoc, wordOf } from "./stories.ts";
import { sentence } from "./turn.ts";

const MOST_STORIES = 80;
const TITLE_CHARS = 120;

type Of = Pick<PromptContext, "state" | "step" | "role" | "repository" | "workspace">;

export async function promptAdditions(of: Of): Promise<PromptAdditions | null> {
	const { state } = of;
	const folder =
		state.definition.projections.includes("run_folder") && state.input["folder"] !== undefined ? RunFolder.of(state.input) : null;
	if (folder === null) return null;
	const read = readDoc(folder.text(folder.own("prd.json")) ?? "");
	const stories = read.ok ? read.doc.stories : [];
	const lines = stories
		.slice(0, MOST_STORIES)
		.map((story) => `- ${idOf(story)} (${passes(story) ? "passes" : "open"}): ${wordOf(story["title"]).slice(0, TITLE_CHARS)}`);
	const start = startedWith(state).startCommit;
	const example = (read.ok ? nextStory(read.doc) : null) ?? (stories[0] === undefined ? "S1" : idOf(stories[0]));
	const passing = stories.findLast(passes);
	const review = folder.own("review.md");
	const reviewed = state.root.fields["review_from"] ?? "";
	const head = await of.repository.commitOf(of.workspace.branch).catch(() => "");
	const since = reviewed === "" ? "this run began" : "the last review";
	return {
		...NO_ADDITIONS,
		reason: whyAgain(of, folder),
		variables: {
			// For the prompts of runs that were begun with an earlier version.
			run_range: rangeFrom(start),
			review_range: rangeFrom(reviewed || start),
			review_what: reviewed === "" ? "everything that was committed since this run began" : "what was committed since the last review",
			run_work:
				start === head && head !== ""
					? "Nothing was committed since this run began: look at the code as it is."
					: `The work of this run is \`git log -p ${rangeFrom(start)}\`.`,
			review_work:
				(reviewed || start) === head && head !== ""
					? `Nothing was committed since ${since}: look at the code as it is, and at \`git status\`.`
					: `Review \`git log -p ${rangeFrom(reviewed || start)}\`: ${reviewed === "" ? "everything that" : "what"} was committed since ${since}.`,
			// Nobody has said why yet: in a dry run, and in a folder of another tool that goes on with such an iteration.
			final_why: state.root.fields["final_why"] || "Somebody says that the work is done.",
			steering_why: state.root.fields["steering_why"] || "A review asked for it, or it is due.",
			review_before: folder.text(review) === null ? "" : `, \`${review}\` what the last review found`,
			example_story: example,
			example_passing: passing === undefined ? example : idOf(passing),
			spec_name: folder.isBeside ? folder.own("PROMPT.md") : folder.own("PRD.md"),
		},
		quoted: { stories_now: [...lines, ...(stories.length > MOST_STORIES ? [`- ${stories.length - MOST_STORIES} more`] : [])].join("\n") },
	};
}

/** Why this iteration is given once more. What an earlier one did wrong is in progress.md, and is no reason for this one. */
function whyAgain({ state, step, role }: Of, folder: RunFolder): string {
	const { feedback, feedbackFor } = step;
	const { told_feedback: told, ended_iteration: ended } = state.root.fields;
	const ofAnother = feedbackFor !== undefined && feedbackFor !== null && feedbackFor !== role && feedback?.startsWith(`${feedbackFor}: `);
	if (feedback === null || feedback === told || ofAnother === true) return "";
	if (ended !== String(step.iteration + 1))
		return `${sentence(feedback)} This iteration was begun before and cut off: what was written until then is still there, perhaps half done.`;
	return `${sentence(feedback)} What was said then is in \`${folder.own(role === "steering" ? "steering.md" : "review.md")}\` and in the newest file in \`${folder.own("transcripts/")}\`: check what still holds instead of beginning anew.`;
}

const rangeFrom = (commit: string): string => (commit === "" ? "HEAD" : `${commit.slice(0, 12)}..HEAD`);
