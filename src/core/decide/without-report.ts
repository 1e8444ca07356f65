// What a question to a person says beside its reason: what the other side said, what the run goes on without, and what each answer means.
import type { ReportGrammar } from "../definition.ts";
import { RUN_SCOPE, type RunState, type Step } from "../model.ts";
import { grammarOf, own, triesOf, typeOf } from "../query.ts";
import { spokenIn } from "../report/remarks.ts";
import type { Decision } from "./decision.ts";
import { isExcusedBy } from "./story.ts";

/** The question, and what the answers mean. */
export function questionOf(d: Decision, scopeId: string, step: Step, signal: string, why: string): string {
	const more = meaning(d, scopeId, step, signal);
	return more === "" ? why : `${why.replace(/[.\s]+$/, "")}${more}`;
}

const meaning = (d: Decision, scopeId: string, step: Step, signal: string): string =>
	sentBack(d, scopeId, step, signal) || withoutReport(d, scopeId, step);

/** Why a step asked, without what the answers mean: that is no business of whoever works on it next. */
export function whyAsked(d: Decision, scopeId: string, step: Step): string {
	const question = step.feedback ?? "";
	const more = meaning(d, scopeId, step, step.failedBy ?? "");
	return more !== "" && question.endsWith(more) ? question.slice(0, -more.length) : question;
}

const SAID_CHARS = 600;

/** Of a judge that has sent the work back as often as it may: what those said who worked on it. Its own words are only one side. */
function sentBack(d: Decision, scopeId: string, step: Step, signal: string): string {
	const type = typeOf(d.state, step);
	const route = own(type?.routes ?? {}, signal);
	if (type?.kind !== "agent" || route?.action !== "goto" || route.target === undefined) return "";
	const steps = d.scope(scopeId)?.steps ?? [];
	const at = steps.findIndex(({ id }) => id === step.id);
	// A signal that leads ahead sends nothing back: such a step runs again itself.
	if (!own(d.state.definition.types, route.target)?.detour && !steps.slice(0, at).some((one) => one.type === route.target)) return "";
	const worked = steps.filter((one) => one.type === route.target && one.status === "completed");
	const looks = triesOf(step);
	const said = spokenIn(worked.at(-1)?.notes ?? "", SAID_CHARS);
	const last = said === "" ? "" : ` What ${route.target} said last: ${said}${/[.!?]$/.test(said) ? "" : "."}`;
	const fails = scopeId === RUN_SCOPE ? "run" : "story";
	return `. ${step.type} has looked ${looks === 1 ? "once" : `${looks} times`}.${last} If you approve, the work counts as it is; if you reject, the ${fails} fails; retried, it goes back to ${route.target}`;
}

/** What the run goes on without if the person approves; empty if nothing is missing. */
function withoutReport(d: Decision, scopeId: string, step: Step): string {
	const type = typeOf(d.state, step);
	if (type?.kind !== "agent") return "";
	if (isExcusedBy(d.state, scopeId, type)) return ". If you approve, the story is settled without a change; if you reject, it fails";
	const said = { ...d.state.root.fields, ...d.scope(scopeId)?.fields };
	const grammar = grammarOf(d.state.definition, step, type.role ?? "");
	if (lacksStories(d.state, grammar))
		return `. Without its stories there is nothing to work on: if you approve, the run fails; if you reject, it fails too, and retried, ${step.type} runs again`;
	const wants = grammar.wants?.["done"] ?? [];
	const missing = wants.filter((key) => (said[key.toLowerCase()] ?? "") === "");
	if (missing.length === 0) return "";
	return `. If you approve, the run goes on without what ${step.type} was asked for (${missing.join(", ")}); if you reject, the ${scopeId === RUN_SCOPE ? "run" : "story"} fails`;
}

/** The step was to say which stories there are, there are none, and the run needs some. */
export function lacksStories(state: RunState, { stories }: ReportGrammar): boolean {
	const needs = state.root.steps.map((step) => typeOf(state, step)).some((type) => type?.kind === "each" && (type.each?.atLeast ?? 1) > 0);
	return stories !== undefined && state.stories.length === 0 && needs;
}
