// What the prompts of reviewers and steering say about the run folder: the stories as they are now, and which commits to look at.
import { startedWith } from "../../core/started-with.ts";
import type { PromptContext } from "../../format.ts";
import { NO_ADDITIONS, type PromptAdditions } from "../../prompt/additions.ts";
import { RunFolder } from "./folder.ts";
import { idOf, nextStory, passes, readDoc, wordOf } from "./stories.ts";

const MOST_STORIES = 80;
const TITLE_CHARS = 120;

export async function promptAdditions({ state }: Pick<PromptContext, "state">): Promise<PromptAdditions | null> {
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
	return {
		...NO_ADDITIONS,
		variables: {
			run_range: rangeFrom(start),
			review_range: rangeFrom(reviewed || start),
			review_what: reviewed === "" ? "everything that was committed since this run began" : "what was committed since the last review",
			review_before: folder.text(review) === null ? "" : `, \`${review}\` what the last review found`,
			example_story: example,
			example_passing: passing === undefined ? example : idOf(passing),
			spec_name: folder.isBeside ? folder.own("PROMPT.md") : folder.own("PRD.md"),
		},
		quoted: { stories_now: [...lines, ...(stories.length > MOST_STORIES ? [`- ${stories.length - MOST_STORIES} more`] : [])].join("\n") },
	};
}

const rangeFrom = (commit: string): string => (commit === "" ? "HEAD" : `${commit.slice(0, 12)}..HEAD`);
