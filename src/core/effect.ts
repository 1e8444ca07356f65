// What the engine must do. Effects are committed together with the events that cause them and carried out afterwards: those of one
// scope strictly in order. Each is safe to repeat, because a crash may come between doing it and recording it as done.
import type { Merged } from "./model.ts";

export type Effect =
	/** Run the step: an agent, a command or an action, by the kind of its type. Ends in `attempt_ended`. */
	| { readonly effect: "start_attempt"; readonly scope: string; readonly step: string; readonly attempt: number; readonly role: string }
	/** End a running attempt. Ends in `attempt_cancelled`. */
	| { readonly effect: "cancel_attempt"; readonly scope: string; readonly step: string; readonly attempt: number; readonly reason: string }
	/** Save the diff since `commit` under `folder`, then put the workspace back to `commit`. */
	| {
			readonly effect: "rollback";
			readonly scope: string;
			readonly step: string;
			readonly attempt: number;
			/** The attempt whose beginning is meant, if this one only asked for its report. */
			readonly since?: number;
			readonly commit: string;
			readonly folder: "failures" | "restarts";
			readonly name: string;
	  }
	/** Add a line or a paragraph to the scratch file of the story, or of the run. */
	| { readonly effect: "append_scratch"; readonly scope: string; readonly at: number; readonly text: string }
	/** Settle the edit file of an attempt: applied → removed, rejected and failed → kept apart with the reason. */
	| {
			readonly effect: "settle_edits";
			readonly scope: string;
			readonly step: string;
			readonly attempt: number;
			readonly how: "applied" | "rejected" | "failed";
			readonly reasons: readonly string[];
	  }
	/** The story has ended: archive its scratch file if it completed, and free its slot. */
	| { readonly effect: "release_story"; readonly scope: string; readonly slot: number; readonly completed: boolean }
	/** See whether base holds what was merged. Ends in `merges_looked_for`. */
	| { readonly effect: "look_for_merges"; readonly scope: string; readonly merges: readonly Merged[] }
	/** Comment on an issue of the forge. Ends in `issue_commented`. */
	| {
			readonly effect: "comment_issue";
			readonly scope: string;
			readonly issue: number;
			readonly about: "started" | "ended";
			/** Of the run when this was decided: it tells a comment from a later one of its kind. */
			readonly version: number;
	  }
	/** Tell a person. `step`: the one that waits. */
	| {
			readonly effect: "notify";
			readonly scope: string;
			readonly step?: string;
			readonly about: "waiting" | "finished" | "budget";
			readonly text: string;
			/** The step wants an answer in words. */
			readonly asks?: true;
	  };
