// What every event and every effect has to carry: the journal is read for ever, and an effect that lacks something cannot be carried out. The types say the same, but
// they are gone when the code runs.
import assert from "node:assert/strict";
import type { Effect } from "../effect.ts";
import type { Event } from "../event.ts";

const OF_STEP = ["scope", "step"];
const OF_ATTEMPT = [...OF_STEP, "attempt"];

/** The fields that may not be missing; what ends in `?` may be null. */
const EFFECTS: Readonly<Record<Effect["effect"], readonly string[]>> = {
	start_attempt: [...OF_ATTEMPT, "role"],
	cancel_attempt: [...OF_ATTEMPT, "reason"],
	rollback: [...OF_ATTEMPT, "commit", "folder", "name"],
	append_scratch: ["scope", "at", "text"],
	settle_edits: [...OF_ATTEMPT, "how", "reasons"],
	release_story: ["scope", "slot", "completed"],
	look_for_merges: ["scope", "merges"],
	comment_issue: ["scope", "issue", "about", "version"],
	notify: ["scope", "about", "text"],
};

const EVENTS: Readonly<Record<Event["event"], readonly string[]>> = {
	run_created: ["id", "title", "definition", "options", "input", "fields"],
	stories_added: ["stories"],
	story_changed: ["scope", "title", "description?", "criteria"],
	stories_replaced: ["stories"],
	steps_planned: ["scope", "steps"],
	story_claimed: ["scope", "slot"],
	story_completed: ["scope"],
	story_failed: ["scope", "error"],
	story_blocked: ["scope", "by"],
	story_unblocked: ["scope"],
	story_retried: ["scope"],
	step_started: [...OF_ATTEMPT, "role?"],
	step_prepared: [...OF_ATTEMPT, "commit?", "log?"],
	attempt_reported: [...OF_ATTEMPT, "role", "signal", "findings"],
	report_asked: [...OF_STEP, "role"],
	step_completed: [...OF_ATTEMPT, "signal", "notes?"],
	step_failed: [...OF_ATTEMPT, "signal", "error"],
	step_cancelled: [...OF_ATTEMPT, "error"],
	step_skipped: [...OF_STEP, "reason"],
	step_reopened: [...OF_STEP, "reason"],
	step_restarted: [...OF_ATTEMPT, "description"],
	step_postponed: [...OF_ATTEMPT, "until", "reason"],
	step_waiting: [...OF_STEP, "reason"],
	step_extended: [...OF_ATTEMPT, "iteration", "cursor", "queue"],
	loop_asked: [...OF_STEP, "queue", "skips", "asked?"],
	limit_asked: ["field", "now", "more"],
	message_taken: ["inbox", "id", "text?"],
	run_held: ["reason?"],
	steps_inserted: ["scope", "steps", "after?", "reason?"],
	workflow_edited: [...OF_STEP, "details", "order"],
	edit_rejected: [...OF_STEP, "reasons"],
	// Of whom nobody knows.
	attempt_ignored: ["scope?", "step?", "attempt", "reason"],
	usage_recorded: [...OF_ATTEMPT, "usage"],
	checks_recorded: [...OF_ATTEMPT, "checks"],
	remarked: [...OF_ATTEMPT, "text"],
	merge_stacked: [...OF_ATTEMPT, "commit", "onto"],
	merge_unstacked: [...OF_ATTEMPT, "reason"],
	merge_announced: [...OF_ATTEMPT, "commit"],
	merges_sought: [],
	merges_looked_for: ["missing"],
	change_recorded: ["scope"],
	story_excused: ["scope", "reason?"],
	session_recorded: ["scope", "role", "session"],
	route_taken: [...OF_STEP, "signal", "action"],
	converged: [...OF_STEP, "findings"],
	counted: ["scope", "counter"],
	counters_reset: ["scope", "counters"],
	fields_set: ["scope", "fields"],
	kept: [...OF_STEP, "name", "text?"],
	cost_unknown: [...OF_ATTEMPT, "role"],
	unknown_cost_allowed: [],
	loop_extended: [...OF_STEP, "max"],
	engine_missed: ["ms"],
	budget_spent: ["budget", "amount"],
	budget_warned: ["budget", "share"],
	budget_extended: ["budget", "limit"],
	decided: [...OF_STEP, "id?", "verdict", "reason?"],
	stop_requested: ["how"],
	run_resumed: [],
	settings_accepted: ["settings"],
	run_aborting: ["reason"],
	run_steered: ["text?"],
	issue_commented: ["issue", "about", "url?"],
	pull_request_opened: ["url", "branch", "base"],
	work_undone: ["scope", "commits"],
	run_adopted: ["reason?", "stories", "done", "fields", "budgets"],
	run_status_changed: ["status", "reason?"],
};

/** Throws where something is missing, empty or unknown. */
export function assertWhole(events: readonly Event[], effects: readonly Effect[]): void {
	for (const event of events) {
		assert.equal(typeof event.at, "number", `${event.event} says no time`);
		assertFields(event.event, event, EVENTS[event.event]);
	}
	for (const effect of effects) assertFields(effect.effect, effect, EFFECTS[effect.effect]);
}

function assertFields(name: string, value: object, fields: readonly string[] | undefined): void {
	assert.ok(fields, `there is no ${JSON.stringify(name)}`);
	for (const field of fields) {
		const [key = "", mayBeEmpty] = [field.replace("?", ""), field.endsWith("?")];
		const found = (value as Readonly<Record<string, unknown>>)[key];
		assert.ok(found !== undefined, `${name} has no ${key}`);
		if (!mayBeEmpty) assert.ok(found !== null && found !== "", `${name}: ${key} is empty`);
	}
	for (const [key, one] of Object.entries(value)) assert.ok(one !== undefined, `${name}: ${key} is undefined, which no journal can hold`);
}
