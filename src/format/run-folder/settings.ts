// The settings of a run folder's loop: scheme, cadences, limits. `loop_settings` of prd.json wins over loop_state.json, and a
// review cadence over the scheme of orchestration.json.
import { countIn, objectIn, RALPH, type RunFolder } from "./folder.ts";
import { isScheme } from "./readiness.ts";
import { type PrdDoc, settingsOf } from "./stories.ts";

export interface Settings {
	readonly scheme: string;
	/** Steering runs after at most so many iterations without it; 0: only when a review asks. */
	readonly forceSteering: number;
	readonly betweenSteering: number;
	/** Global verification with every so many stories. */
	readonly globalEvery: number;
	readonly noProgress: number;
	readonly errors: number;
	/** The promise leads to a final review instead of ending the run. */
	readonly finalReview: boolean;
}

export const DEFAULT_SCHEME = "W5R";

/** `scheme`: the one of a loop for which nothing names one. */
export function settingsIn(folder: RunFolder, doc: PrdDoc, scheme = DEFAULT_SCHEME): Settings {
	const own = settingsOf(doc);
	const state = objectIn(folder.text(folder.own("loop_state.json"))) ?? {};
	const every = (...names: string[]): number =>
		names.flatMap((name) => countIn(own[name], 1) ?? []).at(0) ?? names.flatMap((name) => countIn(state[name], 1) ?? []).at(0) ?? 0;
	const review = every("review_every_n_iterations");
	const config = objectIn(folder.text(`${RALPH}/config.json`))?.["orchestration"];
	const schemes = [
		objectIn(folder.text(folder.own("orchestration.json")))?.["scheme"],
		typeof config === "object" && config !== null && "scheme" in config ? config.scheme : undefined,
	];
	return {
		scheme: review > 0 ? `W${Math.min(review, 9999)}R` : (schemes.find(isScheme) ?? scheme),
		forceSteering: every("steering_force_every_n_iterations", "steer_every_n_iterations"),
		betweenSteering: every("min_iterations_between_steering"),
		globalEvery: every("global_verify_every_n_stories") || 1,
		noProgress: every("no_progress_iterations") || 5,
		errors: every("max_consecutive_errors") || 3,
		finalReview: own["final_review_on_promise"] === true,
	};
}
