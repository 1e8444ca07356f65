// pawl diff RUN STORY: what a story changed: its commit on base, else the work on it so far, else what a run in the
// user's own tree committed.
import { Command } from "commander";
import type { Event } from "../core/event.ts";
import type { RunState, Story } from "../core/model.ts";
import { hasStoryTrees, workspaceOf } from "../core/query.ts";
import { startedWith } from "../core/started-with.ts";
import type { DiffOf, Repository } from "../workspace.ts";
import { CliError, type Context, EXIT } from "./context.ts";
import { document, lookAt } from "./look.ts";

export function command(c: Context): Command {
	return new Command("pawl diff")
		.description("show what a story changed, as a patch")
		.argument("[run]", "an id, a unique prefix, or latest")
		.argument("[story]", "the story; not needed where there is only one")
		.option("--json", "as one JSON document: the commits and the patch")
		.action((name: string | undefined, id: string | undefined, flags: { json?: boolean }) =>
			lookAt(c, name, async ({ state, repository, events }) => {
				const story = storyOf(state, id);
				const of = diffOf(state, story, events);
				const patch = await patchOf(repository, of);
				if (patch === null) throw new CliError(`nothing of ${story.id} (${story.status}) is left to show`, EXIT.failed);
				const commits = await commitsOf(state, repository, of);
				if (flags.json) return c.out(document({ run: state.id, story: story.id, status: story.status, commits, patch }));
				for (const commit of commits) c.out(`commit ${commit.sha} ${commit.subject}\n`);
				if (patch === "") c.err(`${story.id} (${story.status}) changed nothing\n`);
				else c.out(`${commits.length > 0 ? "\n" : ""}${patch}`);
			}),
		);
}

function storyOf(state: RunState, id: string | undefined): Story {
	const [single] = state.stories.length === 1 ? state.stories : [];
	const story = id === undefined ? single : state.stories.find((s) => s.id === id);
	if (story) return story;
	const there = state.stories.map((s) => s.id).join(", ") || "none";
	throw new CliError(id === undefined ? `which story? there are ${there}` : `run ${state.id} has no story ${id}; there are ${there}`);
}

/** Stories that follow each other on one branch: from where this one began to where the next did. */
function stretchOf(state: RunState, story: Story, events: readonly Event[]): DiffOf {
	const prepared = events.flatMap((e) => (e.event === "step_prepared" && e.commit !== null ? [{ scope: e.scope, commit: e.commit }] : []));
	const last = prepared.findLastIndex((e) => e.scope === story.id);
	const from = prepared.find((e) => e.scope === story.id)?.commit ?? startedWith(state).startCommit;
	const to = prepared.slice(last + 1).find((e) => e.scope !== story.id)?.commit;
	return { from, to: (last < 0 ? from : to) ?? state.branch ?? from };
}

function diffOf(state: RunState, story: Story, events: readonly Event[]): DiffOf {
	if (workspaceOf(state) === "branch" && !hasStoryTrees(state)) return stretchOf(state, story, events);
	const base = state.branch ?? state.options.base ?? "HEAD";
	if (workspaceOf(state) === "tree") return { from: startedWith(state).startCommit, to: base };
	// The merge step notes the commit that it made.
	const merge = story.scope.steps.findLast(
		(s) => s.status === "completed" && state.definition.types[s.type]?.kind === "action" && /^[0-9a-f]{40,64}$/.test(s.notes ?? ""),
	);
	return merge?.notes ? { commit: merge.notes } : { story: story.id, base };
}

/** Those on base; work that is not merged has none there. */
async function commitsOf(
	state: RunState,
	repository: Repository,
	of: DiffOf,
): Promise<readonly { readonly sha: string; readonly subject: string }[]> {
	if ("story" in of) return [];
	const all =
		"from" in of && state.branch !== null
			? await repository.commits(of.from, of.to)
			: await repository.commits(startedWith(state).startCommit, state.branch ?? state.options.base ?? "HEAD");
	return "commit" in of ? all.filter((commit) => commit.sha === of.commit) : all;
}

function patchOf(repository: Repository, of: DiffOf): Promise<string | null> {
	return repository.diff(of);
}
