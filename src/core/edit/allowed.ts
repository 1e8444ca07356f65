// What agents may do to the steps ahead, by the type of a step. The prompt that offers edits asks the same questions.
import type { StepType } from "../definition.ts";

/** Agents may add steps of this type. */
export const isAddable = (type: StepType): boolean =>
	type.kind === "agent" && !type.byEngine && !type.internal && !type.detour && !type.last;

/** Who does a step that agents may not skip, split, re-describe or move past; null for the work of agents. */
export function keptBy(type: StepType | undefined): string | null {
	switch (type?.kind) {
		case "approval":
			return "a person decides it";
		case "gate":
			return "it is a review";
		case "command":
		case "action":
		case "each":
			return "the engine does it";
		default:
			return null;
	}
}
