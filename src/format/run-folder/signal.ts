// Turns the end of an iteration into one signal for the loop.

import type { AgentAnswer } from "../../format.ts";
import type { Refuted } from "./claims.ts";
import type { Before } from "./put-back.ts";
import type { Review } from "./review.ts";
import type { Settings } from "./settings.ts";
import { idOf, nextStory, type PrdDoc, passes } from "./stories.ts";
import { field, sentence, type Turn } from "./turn.ts";

export interface EndedIteration {
	readonly turn: Turn;
	readonly said: AgentAnswer;
	/** What the reviewer said, in its message or in review.md; null for other roles. */
	readonly review: Review | null;
	readonly doc: PrdDoc;
	readonly settings: Settings;
	readonly words: { readonly asked: boolean; readonly reason: string };
	readonly before: Before;
	/** Story → why it does not pass. */
	readonly refuted: ReadonlyMap<string, Refuted>;
	readonly complete: boolean;
	readonly still: number;
	/** Why the last final review did not accept the work, if nothing was done about it since; empty otherwise. */
	readonly rejected: string;
}

export interface Judged {
	readonly signal: string;
	readonly reason: string;
	readonly error?: string;
	/** Why the next iteration is a final review. */
	readonly finalWhy?: string;
	/** What steering is told before the reason, if it is not called for the usual one. */
	readonly steeringWhy?: string;
}

export function signalOf(seen: EndedIteration, remarks: string[]): Judged {
	const { turn, said, settings, review } = seen;
	const judged = review === null ? { signal: said.signal, reason: "" } : reviewed(seen, review, remarks);
	const { signal, reason } = judged;
	const as = (other: string, error?: string): Judged => ({ signal: other, reason, ...(error === undefined ? {} : { error }) });
	if (said.result !== "ok" || signal === "unreadable") return judged;
	const { context, iteration } = turn;
	const since = iteration - field(context, "last_steering_iteration");
	if (signal === "steering_requested") {
		const waits = settings.betweenSteering > 0 && field(context, "last_steering_iteration") > 0 && since < settings.betweenSteering;
		if (!waits || judged.steeringWhy !== undefined) return judged;
		remarks.push(`steering is asked for, and was ${since} iterations ago: not before ${settings.betweenSteering}`);
		return as("reviewed");
	}
	const forced = settings.forceSteering > 0 && since >= settings.forceSteering;
	if (turn.who !== "worker") return turn.who === "reviewer" && signal === "reviewed" && forced ? as("steering_due") : judged;
	return workerSignal(seen, remarks, forced, as);
}

function workerSignal(seen: EndedIteration, remarks: string[], forced: boolean, as: (signal: string, error?: string) => Judged): Judged {
	const { turn, said, doc, settings, still } = seen;
	const open = doc.stories.filter((story) => !passes(story)).map(idOf);
	const promised = said.signal === "promise";
	const finalReview = (finalWhy: string): Judged => ({ ...as("final_requested"), finalWhy });
	if (promised && seen.refuted.size > 0) {
		remarks.push("the promise does not count: a story that was said to pass does not");
		return as("done");
	}
	const unanswered = seen.rejected !== "" && open.length === 0;
	if (promised && open.length === 0 && !unanswered)
		return settings.finalReview
			? finalReview("A worker gave the promise, and `final_review_on_promise` is set: every promise is reviewed.")
			: as("promise");
	if (still >= settings.noProgress) {
		const story = nextStory(doc) ?? "none";
		return as(
			"no_progress",
			`no progress in ${still} iterations of workers: the same story (${story}), no new commit since ${seen.before.commit.slice(0, 8)}, no change of ${turn.folder.own("prd.json")}`,
		);
	}
	if (promised && unanswered) {
		remarks.push("the promise does not count: nothing was changed since a final review rejected the work, and another one decides");
		return finalReview(
			`A worker gave the promise, but nothing of the work was changed since the last final review, which did not accept it: ${sentence(seen.rejected)}`,
		);
	}
	if (promised) {
		const those = `${open.length} of ${doc.stories.length} stories open (${listed(open)})`;
		remarks.push(`the promise was given with ${those}: a final review decides`);
		return finalReview(`A worker gave the promise that ends the run, although prd.json has ${those}.`);
	}
	if (seen.complete)
		return finalReview(
			`A worker asked for this review in \`output/worker_result.json\`${open.length > 0 ? `, with ${open.length} of ${doc.stories.length} stories open (${listed(open)})` : ""}.`,
		);
	if (open.length === 0 && doc.stories.length > 0) return finalReview("Every story in prd.json passes, and no worker gave the promise.");
	return as(forced ? "steering_due" : "done");
}

const listed = (ids: readonly string[]): string => (ids.length > 12 ? `${ids.slice(0, 12).join(", ")}, …` : ids.join(", "));

/** The lines that are wanted and not there, or what is wrong with them. */
function undecided({ problem }: AgentAnswer, { missing }: Review): string {
	if (missing.length === 0) return `the review decides nothing: ${problem ?? "its report cannot be read"}`;
	return `the review does not say ${missing.map((key) => `${key}: yes or no`).join(", nor ")}`;
}

/** Decides nothing alone: only with a reason, or with a story that is open. */
function reviewed({ words, said, doc, refuted }: EndedIteration, review: Review, remarks: string[]): Judged {
	const { signal, reason } = review;
	const open = doc.stories.filter((story) => !passes(story)).map(idOf);
	if (signal === "unreadable") remarks.push(undecided(said, review));
	// A reviewer may also ask for steering in loop_state.json.
	if (words.asked && ASKS_TOO.includes(signal)) return { signal: "steering_requested", reason };
	if (signal === "final_accepted" && refuted.size > 0) {
		const why = [...refuted].map(([story, of]) => `${story}: ${of.why}`).join("; ");
		remarks.push("the acceptance does not count: the command of a story that passed fails");
		return { signal: "final_rejected", reason: `what was accepted does not hold: ${why}` };
	}
	if (signal === "final_accepted" && open.length > 0 && !review.hasReason) {
		const problem = `it accepts with ${listed(open)} open and has no REASON: say of each open story why it is done or no longer needed, or answer ACCEPTED: no`;
		remarks.push(`the review decides nothing: ${problem}`);
		return { signal: "unreadable", reason, error: problem };
	}
	// The route records it, and the summary of the run shows it.
	if (signal === "final_accepted" && open.length > 0) return { signal, reason, error: `${listed(open)}: ${reason}` };
	if (signal === "final_rejected" && open.length === 0 && doc.stories.length > 0) {
		remarks.push("a final review rejected the work and left every story passing: steering puts what is missing into the list");
		return { signal: "steering_requested", reason, steeringWhy: REJECTED };
	}
	return { signal, reason };
}

const ASKS_TOO = ["reviewed", "unreadable", "final_rejected"];
const REJECTED =
	"A final review rejected the work, and every story passes, so no worker would do anything about it. Put what is missing into a story that is open. The review said:";
