// What a person does with a run that cannot go on: the text of its definition, with the names of this very run filled in.
import type { RunState } from "../core/model.ts";
import { renderTemplate } from "../core/template.ts";

/** null: its definition says nothing about it. */
export function recoveryText(state: RunState): string | null {
	const { recovery } = state.definition;
	if (recovery === undefined) return null;
	return renderTemplate(recovery, { ...state.input, ...state.root.fields, run_id: state.id, reason: state.reason ?? "" }).trim();
}
