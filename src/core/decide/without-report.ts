// What a question to a person says about a step that has not said what it was asked for.
import { RUN_SCOPE, type Step } from "../model.ts";
import { grammarOf, typeOf } from "../query.ts";
import type { Decision } from "./decision.ts";
import { isExcusedBy } from "./story.ts";

/** What the run goes on without if the person approves; empty if nothing is missing. */
export function withoutReport(d: Decision, scopeId: string, step: Step): string {
	const type = typeOf(d.state, step);
	if (type?.kind !== "agent") return "";
	if (isExcusedBy(d.state, scopeId, type)) return ". If you approve, the story is settled without a change; if you reject, it fails";
	const said = { ...d.state.root.fields, ...d.scope(scopeId)?.fields };
	const wants = grammarOf(d.state.definition, step, type.role ?? "").wants?.["done"] ?? [];
	const missing = wants.filter((key) => (said[key.toLowerCase()] ?? "") === "");
	if (missing.length === 0) return "";
	return `. If you approve, the run goes on without what ${step.type} was asked for (${missing.join(", ")}); if you reject, the ${scopeId === RUN_SCOPE ? "run" : "story"} fails`;
}
