// pawl diff RUN STORY: what a story changed: its commit on base, else the work on it so far, else what a run in the
// user's own tree committed.
import { Command } from "commander";
import type { RunState, Story } from "../core/model.ts";
import type { DiffOf, Repository } from "../workspace.ts";
import { CliError, type Context, EXIT } from "./context.ts";
import { document, lookAt } from "./look.ts";
import { startedWith } from "./run-files.ts";

export function command(c: Context): Command {
	return new Command("pawl diff")
		.description("show what a story changed, as a patch")
		.argument("[run]", "an id, a unique prefix, or latest")
		.argument("[story]", "the story; not needed where there is only one")
		.option("--json", "as one JSON document: the commits and the patch")
		.action((name: string | undefined, id: string | undefined, flags: { json?: boolean }) =>
			lookAt(c, name, async ({ state, repository }) => {
				const story = storyOf(state, id);
				const of = diffOf(state, story);
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

function diffOf(state: RunState, story: Story): DiffOf {
	const base = state.options.base ?? "HEAD";
	if (state.definition.inputs[state.options.mode]?.workspace !== "worktree") return { from: startedWith(state).startCommit, to: base };
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
	const all = await repository.commits(startedWith(state).startCommit, state.options.base ?? "HEAD");
	return "commit" in of ? all.filter((commit) => commit.sha === of.commit) : all;
}

function patchOf(repository: Repository, of: DiffOf): Promise<string | null> {
	return repository.diff(of);
}
