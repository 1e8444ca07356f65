// A check that the workflow offers on demand: it runs next, in the current story.
import type { Definition } from "../../core/definition.ts";
import type { RunState } from "../../core/model.ts";
import type { RunsContext } from "../context.ts";
import { Refusal } from "../refusal.ts";
import { type Delivered, deliverTo, refuseOver } from "./deliver.ts";

export interface WantedCheck {
	readonly run: string | undefined;
	/** The type of the step, if the workflow offers several. */
	readonly step: string | undefined;
	/** The story to look at, if several are running. */
	readonly story: string | undefined;
}

export interface CalledCheck extends Delivered {
	readonly step: string;
	readonly story: string;
}

export function callCheck(c: RunsContext, wanted: WantedCheck): Promise<CalledCheck> {
	return deliverTo(c, wanted.run, (state) => {
		refuseOver(state, "check");
		const step = typeOf(state.definition, wanted.step);
		const story = storyOf(state, wanted.story);
		return { input: { type: "call", at: c.now(), step, scope: story, reason: "a person asked for it" }, about: { step, story } };
	});
}

function typeOf(definition: Definition, wanted: string | undefined): string {
	const offered = Object.values(definition.types).flatMap((type) => (type.onDemand ? [type.name] : []));
	const [first, ...more] = wanted === undefined ? offered : offered.filter((name) => name === wanted);
	if (offered.length === 0) throw new Refusal("refused", `the workflow ${definition.name} has no check on demand`);
	if (first === undefined) throw new Refusal("not_found", `${wanted} is not a check on demand; the workflow offers ${offered.join(", ")}`);
	if (more.length > 0) throw new Refusal("invalid", `which one? ${offered.join(", ")}`);
	return first;
}

function storyOf(state: RunState, wanted: string | undefined): string {
	const open = state.stories.filter((s) => s.status === "in_progress").map((s) => s.id);
	const [first, ...more] = wanted === undefined ? open : open.filter((id) => id === wanted);
	if (open.length === 0) throw new Refusal("refused", `no story of run ${state.id} is under way, so there is nothing to look at`);
	if (first === undefined) throw new Refusal("not_found", `${wanted} is not running; these are: ${open.join(", ")}`);
	if (more.length > 0) throw new Refusal("invalid", `which story? ${open.join(", ")}: name it with --story`);
	return first;
}
