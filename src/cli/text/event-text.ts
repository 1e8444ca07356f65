// An event of the journal as one line for a person: who, what, and the details that matter.
import { formatDuration } from "../../core/duration.ts";
import type { Event, EventOf } from "../../core/event.ts";
import { findingText } from "../../core/finding.ts";
import type { By, CheckResult } from "../../core/input.ts";
import { RUN_SCOPE } from "../../core/model.ts";
import { money } from "../../core/money.ts";
import { clock, usageText } from "./text.ts";

/** The story and step that it is about; empty for the run itself. */
export function eventSubject(event: Event): string {
	const scope = "scope" in event && event.scope !== RUN_SCOPE ? event.scope : "";
	return [scope, "step" in event ? event.step : ""].filter((part) => part !== "").join(" ");
}

export function eventText(event: Event): string {
	switch (event.event) {
		case "run_created":
			return `run created: ${event.definition.name}, ${event.title}`;
		case "stories_added":
			return `stories added: ${event.stories.map((s) => s.id).join(", ")}`;
		case "story_changed":
			return `changed in its document: ${event.title}; ${event.criteria.join("; ")}`;
		case "steps_planned":
			return `steps planned: ${event.steps.map((s) => s.type).join(", ")}`;
		case "story_claimed":
			return `claimed by agent ${event.slot}`;
		case "story_failed":
			return `story failed: ${event.error}`;
		case "story_blocked":
			return `blocked by ${event.by}`;
		case "step_started":
			return `attempt ${event.attempt} started${event.role === "" ? "" : ` (${event.role})`}`;
		case "step_prepared":
			return `attempt ${event.attempt} prepared${event.commit === null ? "" : ` at ${event.commit.slice(0, 8)}`}${event.agent === undefined ? "" : ` for ${event.agent}${chosenText(event)}`}`;
		case "attempt_reported":
			return `${event.role} says ${event.signal}${event.findings.length > 0 ? `: ${event.findings.map((f) => `[${f.key}] ${f.text}`).join("; ")}` : ""}`;
		case "report_asked":
			return `asked again for the report of attempt ${event.attempt}, in the session of ${event.role} (${event.agent}): ${event.missing}`;
		case "step_completed":
			return `completed (${event.signal})${event.notes === null ? "" : `: ${event.notes}`}`;
		case "step_failed":
			return `failed (${event.signal}): ${event.error}`;
		case "step_cancelled":
			return `cancelled: ${event.error}`;
		case "step_skipped":
			return `skipped: ${event.reason}`;
		case "step_reopened":
			return `runs again: ${event.reason}`;
		case "step_restarted":
			return `restarts: ${event.description}`;
		case "step_postponed":
			return `waits until ${clock(event.until)}: ${event.reason}`;
		case "step_waiting":
			return `waits for a person: ${event.reason}`;
		case "step_extended":
			return `iteration ${event.iteration}${event.reason === undefined ? "" : ` failed: ${event.reason}`}`;
		case "loop_asked":
			return [
				...(event.queue.length > 0 ? [`called in: ${event.queue.join(" ")}`] : []),
				...(event.skips > 0 ? [`to be passed over: ${event.skips}`] : []),
				...(event.asked === null ? [] : [`then: ${event.asked.signal}`]),
			].join(", ");
		case "message_taken":
			return `message taken from ${event.inbox}: ${event.text}`;
		case "run_held":
			return event.reason === null ? "goes on" : `held: ${event.reason}`;
		case "steps_inserted":
			return `steps added: ${event.steps.map((s) => `${s.id} ${s.type}`).join(", ")}${event.reason === "" ? "" : `: ${event.reason}`}`;
		case "workflow_edited":
			return `workflow edited: ${event.details.operation} ${event.details.target_step_id ?? ""}: ${event.details.reason}`;
		case "edit_rejected":
			return `edit rejected: ${event.reasons.join("; ")}`;
		case "attempt_ignored":
			return `attempt ${event.attempt} ignored: ${event.reason}`;
		case "usage_recorded":
			return `used ${usageText(event.usage) || "an unknown amount"}${event.model === undefined ? "" : ` (${event.model})`}`;
		case "checks_recorded":
			return event.checks
				.map((check) =>
					check.said
						? wordText(check)
						: `check ${check.name}: ${check.exitCode === null ? "did not end" : `exit ${check.exitCode}`}${said(check)}`,
				)
				.join("; ");
		case "remarked":
			return `note: ${event.text}`;
		case "merge_stacked":
			return `to be merged as ${event.commit.slice(0, 12)}, on top of ${event.behind ?? "base"}`;
		case "merge_unstacked":
			return `cannot be merged on top of those in front of it: ${event.reason}`;
		case "merge_announced":
			return `about to merge ${event.commit.slice(0, 12)}`;
		case "route_taken":
			return `${event.signal} → ${event.action}${event.reason === undefined ? "" : `: ${event.reason}`}`;
		case "counted":
			return `counted: ${event.counter}`;
		case "stories_replaced":
			return `a new list of stories: ${event.stories.map((s) => s.id).join(", ")}`;
		case "counters_reset":
			return `counters reset: ${event.counters.join(", ")}`;
		case "fields_set":
			return `fields set: ${Object.keys(event.fields).join(", ")}`;
		case "kept":
			return `kept as ${event.name}: ${event.text}`;
		case "converged":
			return `found again, as in the round before: ${event.findings.map(findingText).join("; ")}`;
		case "limit_asked":
			return `${event.more} more than the ${event.now} ${event.field.replaceAll("_", " ")} that a person allowed are asked for`;
		case "cost_unknown":
			return `the session of ${event.role} did not say what it cost`;
		case "unknown_cost_allowed":
			return "sessions need not report their cost";
		case "loop_extended":
			return `the loop may have ${event.max} iterations now`;
		case "engine_missed":
			return `no engine was there for ${formatDuration(event.ms)}`;
		case "budget_spent":
			return `${event.budget} spent: ${amount(event.budget, event.amount)}`;
		case "budget_warned":
			return `${event.budget} at ${Math.round(event.share * 100)}% of its limit`;
		case "budget_extended":
			return `${event.budget} limit is now ${amount(event.budget, event.limit)}${byText(event)}`;
		case "decided":
			return `${event.verdict}${byText(event)}${event.reason === "" ? "" : `: ${event.reason}`}`;
		case "stop_requested":
			return `asked to stop (${event.how})${byText(event)}`;
		case "merges_sought":
			return "base is looked at for what was merged";
		case "merges_looked_for":
			return event.missing.length === 0
				? "base holds what was merged"
				: `gone from base: ${event.missing.map(({ story, commit }) => `${story} (${commit.slice(0, 12)})`).join(", ")}`;
		case "settings_accepted":
			return `git's settings were taken over as they are now${byText(event)}`;
		case "run_aborting":
			return `run gives up: ${event.reason}`;
		case "run_steered":
			return `${event.by === undefined ? "a person" : event.by.user} says: ${event.text}`;
		case "run_adopted":
			return `taken over from a file: ${event.reason}`;
		case "run_status_changed":
			return `run is ${event.status}${event.reason === null ? "" : `: ${event.reason}`}`;
		case "issue_commented":
			return `issue #${event.issue}: ${event.url === null ? `no comment: ${event.problem ?? "reason unknown"}` : `commented (${event.about}): ${event.url}`}`;
		case "pull_request_opened":
			return `pull request ${event.url}: ${event.branch} into ${event.base}`;
		case "work_undone": {
			const which = event.commits
				.map(({ commit, by }) => `${commit.slice(0, 12)}${by === null ? " (taken back before)" : ` by ${by.slice(0, 12)}`}`)
				.join(", ");
			return `${event.by === undefined ? "a person" : event.by.user} undid ${which}`;
		}
		case "story_excused":
			return `settled without a change: ${event.reason}`;
		case "story_completed":
		case "story_unblocked":
		case "change_recorded":
		case "session_recorded":
			return event.event.replaceAll("_", " ");
		case "story_retried":
		case "run_resumed":
			return `${event.event.replaceAll("_", " ")}${byText(event)}`;
		// One that only a newer pawl knows.
		default:
			return (event as Event).event.replaceAll("_", " ");
	}
}

const wordText = (check: CheckResult): string =>
	check.exitCode === 0
		? `${check.name}: the agent's word; nothing was run`
		: `${check.name} ${check.unsaid ? "is not said to hold" : "does not hold"}${said(check)}`;
/** The last line of a check that failed. */
const said = ({ exitCode, output }: CheckResult): string => {
	const last = output.trimEnd().split("\n").at(-1)?.trim() ?? "";
	return exitCode === 0 || last === "" ? "" : ` (${last})`;
};
const byText = ({ by }: { readonly by?: By }): string => (by === undefined ? "" : ` by ${by.user} (${by.how})`);

const amount = (budget: string, n: number): string =>
	budget === "cost" ? money(n) : budget === "time" ? `${Math.round(n / 1000)} s` : String(n);

/** The model and the effort that were asked for; a tier only with the model that it stands for. */
function chosenText({ model, effort, tier }: EventOf<"step_prepared">): string {
	const parts = [
		...(model === undefined ? [] : [tier === undefined ? model : `${tier}: ${model}`]),
		...(effort === undefined ? [] : [`effort ${effort}`]),
	];
	return parts.length === 0 ? "" : ` (${parts.join(", ")})`;
}
