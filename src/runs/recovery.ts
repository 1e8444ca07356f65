// What a person can do with a run that cannot continue: the text of its definition, with the names of this run filled in.
import type { RunState } from "../core/model.ts";
import { renderTemplate } from "../core/template.ts";

/** null: its definition has no such text. */
export function recoveryText(state: RunState): string | null {
	const { recovery } = state.definition;
	if (recovery === undefined) return null;
	return renderTemplate(recovery, { ...state.input, ...state.root.fields, run_id: state.id, reason: state.reason ?? "" }).trim();
}
