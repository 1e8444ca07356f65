// pawl diff RUN STORY: what a story changed: its commit on base, else its branch, else what a run in the tree committed.
import { Command } from "commander";
import type { RunState, Story } from "../core/model.ts";
import type { Repository } from "../workspace.ts";
import { CliError, type Context, EXIT } from "./context.ts";
import { document, lookAt } from "./look.ts";
import { startedWith } from "./run-files.ts";

interface Range {
	readonly from: string;
	readonly to: string;
}

export function command(c: Context): Command {
	return new Command("pawl diff")
		.description("show what a story changed, as a patch")
		.argument("[run]", "an id, a unique prefix, or latest")
		.argument("[story]", "the story; not needed where there is only one")
		.option("--json", "as one JSON document: the range, its commits and the patch")
		.action((name: string | undefined, id: string | undefined, flags: { json?: boolean }) =>
			lookAt(c, name, async ({ state, repository }) => {
				const story = storyOf(state, id);
				const range = await rangeOf(state, story, repository);
				const commits = await repository.commits(range.from, range.to);
				const patch = await patchOf(repository, range);
				if (flags.json) return c.out(document({ run: state.id, story: story.id, status: story.status, ...range, commits, patch }));
				for (const commit of commits) c.out(`commit ${commit.sha} ${commit.subject}\n`);
				if (patch === "") c.err(`${story.id} changed nothing\n`);
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

async function rangeOf(state: RunState, story: Story, repository: Repository): Promise<Range> {
	const base = state.options.base ?? "HEAD";
	if (state.definition.inputs[state.options.mode]?.workspace !== "worktree") return { from: startedWith(state).startCommit, to: await repository.commitOf(base) };
	// The merge step notes the commit that it made.
	const merged = story.scope.steps.findLast((s) => s.status === "completed" && /^[0-9a-f]{40,64}$/.test(s.notes ?? ""))?.notes;
	if (merged) return { from: `${merged}^`, to: merged };
	const branch = `ralph/${story.id}`;
	if (!(await repository.hasBranch(branch))) throw new CliError(`there is nothing of ${story.id} (${story.status}) to show: it has neither a commit on ${base} nor a branch ${branch}`, EXIT.failed);
	return { from: await repository.commitOf(base), to: await repository.commitOf(branch) };
}

function patchOf(repository: Repository, { from, to }: Range): Promise<string> {
	if (repository.diff === undefined) throw new CliError("this workspace cannot show differences", EXIT.failed);
	return repository.diff(from, to);
}
