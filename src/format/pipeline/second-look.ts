// What a step that judges is told about its own earlier verdicts: what it sent back, what was done about it, which commits are new, and how
// often it may still send the work back.
import type { StepType } from "../../core/definition.ts";
import { RUN_SCOPE, type RunState, type Step } from "../../core/model.ts";
import { findScope, own, typeOf } from "../../core/query.ts";
import type { PromptContext } from "../../format.ts";

interface Judging {
	readonly step: Step;
	readonly type: StepType;
}

/** The step that this prompt is for, if its `STATUS: retry` sends work back. */
function judging({ state, step }: PromptContext): Judging | null {
	const type = typeOf(state, step);
	return type?.routes["retry"]?.action === "goto" ? { step, type } : null;
}

/** Empty the first time. */
export function askedBefore(of: PromptContext): string {
	const now = judging(of);
	if (now === null) return "";
	const said = (name: string): string => (findScope(of.state, of.scope)?.fields[name] ?? of.state.root.fields[name] ?? "").trim();
	// A verifier of stories is called by its own name or `verify`; both fields are set.
	const feedback = said(`${now.type.name}_feedback`);
	const since = now.step.previousCommit === now.step.commit ? undefined : now.step.previousCommit?.slice(0, 12);
	if (feedback === "")
		return since === undefined
			? ""
			: `You looked at this before and sent nothing back. Since then it was changed: \`git diff ${since}..HEAD\`.`;
	const still = now.step.previousCommit !== undefined && now.step.previousCommit === now.step.commit;
	const range = still
		? " Nothing was committed since you looked."
		: since === undefined
			? ""
			: ` What was changed since you looked: \`git diff ${since}..HEAD\`.`;
	const changes = /\{\{\s*changes\s*\}\}/.test(of.promptText) ? "" : said("changes");
	return [
		`You sent this back before, with the points below. Look first whether each of them is settled, then at the whole again.${range}`,
		feedback,
		...(changes === ""
			? []
			: [
					`What was done about it, according to the agent that did it (no evidence; if it refuses a point, judge its reason):\n\n${changes}`,
				]),
	].join("\n\n");
}

/** One line for whoever may send work back: what happens then, and how often it can. */
export function timesLeft(of: PromptContext): string[] {
	const now = judging(of);
	const route = now?.type.routes["retry"];
	if (!now || route?.max === undefined) return [];
	const left = Math.max(0, route.max - timesTaken(of.state, of.scope, now.type, route.per, route.count));
	const then = route.exhausted?.action === "wait" ? "a person decides" : "the run fails";
	// The retries of a story are shared: what its developer failed at was never sent back.
	const shared = route.count === undefined ? "" : " A failed attempt at the story uses up a retry as well.";
	if (left === 0)
		return [
			shared === ""
				? `If you send it back now, ${then}: it was sent back as often as it may be.`
				: `If you send it back now, ${then}: no retry of this story is left.${shared}`,
		];
	return [
		`If you send it back, it is mended and you look again. That can happen ${left === 1 ? "once more" : `${left} times more`}; the next time, ${then}.${shared} So name everything at once.`,
	];
}

function timesTaken(state: RunState, scope: string, type: StepType, per: string | undefined, count: string | undefined): number {
	const counters = findScope(state, per === "run" ? RUN_SCOPE : scope)?.counters ?? {};
	return own(counters, count ?? `${type.name}:retry`) ?? 0;
}
