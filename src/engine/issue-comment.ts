// A comment of pawl's on an issue. It has a mark that nobody sees, by which it is found again: repeated after a crash, there is no second one. A forge
// that refuses or is away costs the run nothing but a line in its journal.
import { join } from "node:path";
import type { Effect } from "../core/effect.ts";
import type { RunState, Story } from "../core/model.ts";
import { isNetworkTrouble } from "../core/remote/network-trouble.ts";
import { startedWith } from "../core/started-with.ts";
import { writeWhole } from "../files/write.ts";
import { chooseForge } from "./choose-forge.ts";
import type { EngineParts } from "./parts.ts";

type CommentIssue = Extract<Effect, { effect: "comment_issue" }>;
type Parts = Pick<EngineParts, "repository" | "forges" | "sharedDir" | "clock" | "proofOf">;

export interface Commented {
	readonly url: string | null;
	readonly problem?: string;
}

/** How long to wait before each further try. */
const WAITS_MS = [2_000, 10_000];

export async function commentOnIssue(parts: Parts, state: RunState, effect: CommentIssue): Promise<Commented> {
	for (const wait of [...WAITS_MS, null]) {
		const told = await tryOnce(parts, state, effect);
		if (told.problem === undefined || !isNetworkTrouble(told.problem) || wait === null) return told;
		await new Promise<void>((done) => parts.clock.after(wait, done));
	}
	return { url: null };
}

async function tryOnce(parts: Parts, state: RunState, { issue, about, version }: CommentIssue): Promise<Commented> {
	const { repository, forges = [], sharedDir } = parts;
	const remote = await repository.remote(startedWith(state).target || (state.options.base ?? ""));
	if (remote === null) return { url: null, problem: "the repository has no remote" };
	const chosen = await chooseForge(forges, repository.root, remote.url);
	if ("problem" in chosen) return { url: null, problem: chosen.problem };
	if (chosen.forge.comment === undefined) return { url: null, problem: `${chosen.forge.name} has no issues` };
	const mark = `<!-- pawl ${state.id} ${about} ${version} -->`;
	const file = join(sharedDir, "comments", `issue-${issue}-${about}.md`);
	const cost = about === "ended" ? ((await parts.proofOf?.(state))?.cost ?? "") : "";
	await writeWhole(file, `${commentText(state, issue, about, cost)}\n\n${mark}\n`);
	const made = await chosen.forge.comment(repository.root, issue, mark, file);
	return "url" in made ? { url: made.url } : { url: null, problem: `${chosen.forge.name}: ${made.problem}`.slice(0, 500) };
}

export function commentText(state: RunState, issue: number, about: "started" | "ended", cost: string): string {
	const run = `run \`${state.id}\` of the workflow \`${state.definition.name}\``;
	if (about === "started") return `pawl began to work on this issue: ${run}.`;
	const story = state.stories.find((one) => one.issue === issue);
	const done = story === undefined ? state.status === "completed" : story.status === "completed";
	const where = state.pullRequest?.url ?? (done ? `it is on \`${state.branch ?? state.options.base ?? "its branch"}\`` : null);
	const what = done
		? `pawl did what this issue asks for, as far as its checks and reviews can tell: ${where}.`
		: `pawl did not finish this issue: ${why(state, story)}.`;
	return [what, `This was ${run}.${cost === "" ? "" : ` ${cost}`}`].join("\n\n");
}

/** Agents may have worded it: as code it mentions nobody and commands nothing. */
function why(state: RunState, story: Story | undefined): string {
	const text = (story?.error ?? state.reason ?? "").replace(/\s+/g, " ").replaceAll("`", "'").trim().slice(0, 300);
	return text === "" ? `the run is ${state.status}` : `\`${text}\``;
}
