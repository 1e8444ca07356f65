// How the criteria of a story that a format keeps in its own file were shown: by the commands that pawl ran for the story, by the mark that says
// that it passes, and by a verdict over the whole run.
import type { Event } from "../../../core/event.ts";
import { RUN_SCOPE, type RunState } from "../../../core/model.ts";
import { findStep } from "../../../core/query.ts";
import type { KeptStory } from "../../../format.ts";
import { iso } from "../json-values.ts";
import { ended, type JudgedCriterion, type Proof } from "./evidence.ts";

/** Each criterion has the same evidence: nobody judges a single one of them. */
export function keptCriteria(story: KeptStory, state: RunState, events: readonly Event[]): readonly JudgedCriterion[] {
	const evidence = proofsOf(story, state, events);
	const met = evidence.length === 0 ? null : evidence.every((proof) => proof.met);
	return story.acceptance_criteria.map((criterion) => ({ criterion, met, evidence }));
}

function proofsOf(story: KeptStory, state: RunState, events: readonly Event[]): Proof[] {
	const commands = new Map<string, Proof>();
	let verdict: Proof | null = null;
	let claimed: Omit<Proof, "kind" | "met" | "text"> | null = null;
	for (const event of events) {
		if (!("step" in event) || event.scope !== RUN_SCOPE) continue;
		const type = findStep(state, RUN_SCOPE, event.step)?.type ?? "";
		const about = { step: event.step, type, at: iso(event.at), quote: null };
		if (event.event === "checks_recorded") {
			const own = event.checks.filter(({ name }) => name === story.id);
			if (own.length > 0) commands.clear();
			for (const check of own) commands.set(check.command, { ...about, kind: "command", met: check.exitCode === 0, text: ended(check) });
		}
		if (event.event === "attempt_reported") claimed = about;
		if (event.event === "route_taken" && event.action === "complete" && event.signal !== "promise")
			verdict = { ...about, kind: "verdict", met: true, text: `${type} ended in ${event.signal.replaceAll("_", " ")}` };
	}
	// The commands showed something of work that was undone since, or taken back.
	const ran = [...commands.values()].filter((proof) => story.passes || !proof.met);
	if (!story.passes) return ran;
	const mark = claimed ?? { step: "", type: "", at: null, quote: null };
	return [...ran, { ...mark, kind: "word", met: true, text: "the story is marked as passed" }, ...(verdict === null ? [] : [verdict])];
}
