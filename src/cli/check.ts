// pawl check RUN [STEP]: has a step that is called on demand run next, in the story that is under way.
import { Command } from "commander";
import type { RunState } from "../core/model.ts";
import { CliError, type Context } from "./context.ts";
import { deliver, refuseOver, steer, told } from "./steering.ts";

interface Flags {
	readonly story?: string;
	readonly json?: boolean;
}

export function command(c: Context): Command {
	return new Command("pawl check")
		.description("have a check that the workflow offers on demand run next, before the story under way goes on")
		.argument("[run]", "an id, a unique prefix, or latest")
		.argument("[step]", "the type of the step, where the workflow offers several")
		.option("--story <id>", "the story to look at, where several are under way")
		.option("--json", "the outcome as JSON")
		.action((name: string | undefined, wanted: string | undefined, flags: Flags) =>
			steer(c, name, async ({ store, state }) => {
				refuseOver(state, "check");
				const step = typeOf(state, wanted);
				const story = storyOf(state, flags.story);
				const input = { type: "call", at: c.now(), step, scope: story, reason: "a person asked for it" } as const;
				const delivery = await deliver(c, store, state.id, input);
				told(c, store, state.id, `${step} of ${story} is next`, delivery, flags.json ?? false);
			}),
		);
}

function typeOf({ definition }: RunState, wanted: string | undefined): string {
	const offered = Object.values(definition.types).flatMap((type) => (type.onDemand ? [type.name] : []));
	const [first, ...more] = wanted === undefined ? offered : offered.filter((name) => name === wanted);
	if (offered.length === 0) throw new CliError(`the workflow ${definition.name} has no check on demand`);
	if (first === undefined) throw new CliError(`${wanted} is no check on demand; there is ${offered.join(", ")}`);
	if (more.length > 0) throw new CliError(`which one? ${offered.join(", ")}`);
	return first;
}

function storyOf(state: RunState, wanted: string | undefined): string {
	const open = state.stories.filter((s) => s.status === "in_progress").map((s) => s.id);
	const [first, ...more] = wanted === undefined ? open : open.filter((id) => id === wanted);
	if (open.length === 0) throw new CliError(`no story of run ${state.id} is under way, so there is nothing to look at`);
	if (first === undefined) throw new CliError(`${wanted} is not under way; what is: ${open.join(", ")}`);
	if (more.length > 0) throw new CliError(`which story? ${open.join(", ")}: name it with --story`);
	return first;
}
