// Turns the end of an iteration into one signal for the loop.

import { grammarOf } from "../../core/query.ts";
import { readReport } from "../../core/report/report.ts";
import type { AgentAnswer } from "../../format.ts";
import type { Before } from "./put-back.ts";
import type { Settings } from "./settings.ts";
import { nextStory, type PrdDoc, passedCount } from "./stories.ts";
import { field, type Turn } from "./turn.ts";

export interface Seen {
	readonly turn: Turn;
	readonly said: AgentAnswer;
	readonly doc: PrdDoc;
	readonly settings: Settings;
	readonly words: { readonly asked: boolean; readonly reason: string };
	readonly before: Before;
	readonly refuted: number;
	readonly complete: boolean;
	readonly still: number;
}

export interface Judged {
	readonly signal: string;
	readonly reason: string;
	readonly error?: string;
}

export function signalOf(seen: Seen, remarks: string[]): Judged {
	const { turn, said, settings } = seen;
	const signal = turn.who === "reviewer" ? reviewSignal(seen, remarks) : said.signal;
	const reason = said.fields["REASON"] ?? seen.words.reason;
	const as = (other: string, error?: string): Judged => ({ signal: other, reason, ...(error === undefined ? {} : { error }) });
	if (said.result !== "ok") return as(signal);
	const { context, iteration } = turn;
	const since = iteration - field(context, "last_steering_iteration");
	if (signal === "steering_requested") {
		const waits = settings.betweenSteering > 0 && field(context, "last_steering_iteration") > 0 && since < settings.betweenSteering;
		if (!waits) return as(signal);
		remarks.push(`steering is asked for, and was ${since} iterations ago: not before ${settings.betweenSteering}`);
		return as("reviewed");
	}
	const forced = settings.forceSteering > 0 && since >= settings.forceSteering;
	if (turn.who !== "worker") return turn.who === "reviewer" && signal === "reviewed" && forced ? as("steering_due") : as(signal);
	return workerSignal(seen, remarks, forced, as);
}

function workerSignal(seen: Seen, remarks: string[], forced: boolean, as: (signal: string, error?: string) => Judged): Judged {
	const { turn, said, doc, settings, still } = seen;
	const open = doc.stories.length - passedCount(doc);
	if (said.signal === "promise") {
		if (seen.refuted > 0) remarks.push("the promise does not count: a story that was said to pass does not");
		else if (settings.finalReview) return as("final_requested");
		else {
			if (open > 0) remarks.push(`the promise was made with ${open} of ${doc.stories.length} stories open`);
			return as("promise");
		}
		return as("done");
	}
	if (still >= settings.noProgress) {
		const story = nextStory(doc) ?? "none";
		return as(
			"no_progress",
			`no progress in ${still} iterations of workers: the same story (${story}), no new commit since ${seen.before.commit.slice(0, 8)}, no change of ${turn.folder.own("prd.json")}`,
		);
	}
	if (seen.complete || (open === 0 && doc.stories.length > 0)) return as("final_requested");
	return as(forced ? "steering_due" : "done");
}

/** The final message decides; if it cannot be read, review.md does, provided this iteration wrote it. */
function reviewSignal({ turn, said, words, before }: Seen, remarks: string[]): string {
	const { folder, context } = turn;
	let signal = said.signal;
	const review = folder.text(folder.own("review.md"));
	if (signal === "unreadable" && review !== null && review !== before.files[folder.own("review.md")])
		signal = readReport(grammarOf(context.state.definition, context.step, context.role), review).signal;
	if (signal === "unreadable") remarks.push("the review does not say STEERING_NEEDED: yes or no (and ACCEPTED in a final one)");
	if (words.asked && (signal === "reviewed" || signal === "unreadable" || signal === "final_rejected")) return "steering_requested";
	return signal;
}
