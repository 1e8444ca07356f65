// The events of a journal as `pawl history --json` prints them, one on each line. The compiler refuses this file while it differs from
// core/event.ts.
import { z } from "zod";
import type { Event } from "../core/event.ts";
import type { NumberedEvent } from "../runs/look/journal.ts";
import {
	by,
	byName,
	check,
	earlier,
	finding,
	held,
	kept,
	list,
	maybe,
	newStep,
	RUN_STATUS,
	reportAsked,
	story,
	text,
	time,
	usage,
} from "./parts.ts";

const number = z.number();
const yes = z.boolean().exactOptional();
const optional = text.exactOptional();

const ofRun = { at: time, version: number.describe("the number of the event in the journal, from 1") };
const ofScope = { ...ofRun, scope: text.describe("the id of a story, or @run") };
const ofStep = { ...ofScope, step: text };
const ofAttempt = { ...ofStep, attempt: number };
const byPerson = { by: by.exactOptional().describe("the person who caused it") };

const named = <N extends Event["event"], S extends z.ZodRawShape>(event: N, description: string, shape: S) =>
	z.object({ event: z.literal(event), ...shape }).describe(description);

const options = z.object({
	mode: text,
	agents: number,
	slots: list(number),
	base: maybe(text),
	yes: z.boolean(),
	maxWaitMs: maybe(number),
	timeouts: byName(number),
	budgets: byName(number),
	ownLimits: list(text).exactOptional(),
	allowUnknownCost: yes,
	comments: z.literal(true).exactOptional(),
	shell: byName(z.unknown()),
});

const editDetails = z.object({
	operation: z.enum(["add_after", "split", "skip", "reorder", "edit_description", "restart"]),
	reason: text,
	target_step_id: optional,
	new_steps: list(newStep).exactOptional(),
	before: z.unknown().exactOptional(),
	after: z.unknown().exactOptional(),
	old_description: optional,
	new_description: optional,
});

const verdictReport = z.object({
	error: maybe(text),
	notes: maybe(text),
	fields: byName(text),
	retryAt: maybe(time),
	unclear: optional,
});

const known = z.object({ completed: list(text), begun: byName(byName(text)), changed: list(text), replaced: number });

const ABOUT_RUN = [
	named("run_created", "a run begins; the definition of its workflow is left out here", {
		...{ ...ofRun, id: text, title: text, workflow: text, definition_hash: text, options },
		...{ input: byName(text), fields: byName(text) },
	}),
	named("run_status_changed", "the run is now in this state", { ...ofRun, status: RUN_STATUS, reason: maybe(text) }),
	named("issue_commented", "an issue was told about the run, or could not be", {
		...{ ...ofRun, issue: number, about: z.enum(["started", "ended"]), url: maybe(text), problem: optional },
	}),
	named("pull_request_opened", "a pull request of the run's work is open", { ...ofRun, url: text, branch: text, base: text }),
	named("run_held", "loops start nothing at the moment; null: they go on", { ...ofRun, reason: maybe(text) }),
	named("run_aborting", "the run gives up: its abort steps run, then it ends", {
		...ofRun,
		reason: text,
		ends: RUN_STATUS.exactOptional(),
	}),
	named("run_resumed", "a person continues the run", { ...ofRun, ...byPerson, id: optional }),
	named("run_steered", "a person tells the agents something", { ...ofRun, ...byPerson, text }),
	named("run_adopted", "a state file from outside replaced what the journal knew", {
		...{ ...ofRun, reason: text, stories: list(story), done: list(text), fields: byName(text) },
		...{ budgets: byName(z.object({ limit: number, spent: number })), elapsedMs: number },
		...{ kept: list(kept).exactOptional(), known: known.exactOptional() },
	}),
	named("stop_requested", "the run is to stop", { ...ofRun, ...byPerson, how: z.enum(["pause", "cancel", "interrupt"]) }),
	named("settings_accepted", "a person took over git's settings as they were then", { ...ofRun, ...byPerson, settings: text }),
	named("engine_missed", "how long no process drove the run while attempts were running", { ...ofRun, ms: number }),
	named("message_taken", "a message from a control file was read", { ...ofRun, inbox: text, id: text, text }),
	named("limit_asked", "a message asks for more than a person allowed", { ...ofRun, field: text, now: number, more: number }),
	named("budget_spent", "a budget was used", { ...ofRun, budget: text, amount: number }),
	named("budget_warned", "this share of a budget is used", { ...ofRun, budget: text, share: number }),
	named("budget_extended", "a person raised a limit", { ...ofRun, ...byPerson, budget: text, limit: number }),
	named("unknown_cost_allowed", "a person lets sessions go on that do not report their cost", { ...ofRun, ...byPerson }),
	named("merges_sought", "base is looked at for the commits of merged stories before the run ends", ofRun),
	named("merges_looked_for", "which of them base does not hold", { ...ofRun, missing: list(z.object({ story: text, commit: text })) }),
] as const;

const ABOUT_STORIES = [
	named("stories_added", "stories of the list", { ...ofRun, stories: list(story) }),
	named("stories_replaced", "a new list takes the place of the old one, or of what is not completed", {
		...{ ...ofRun, stories: list(story), keep: z.literal("completed").exactOptional() },
	}),
	named("story_changed", "the document that the story comes from has changed", {
		...ofScope,
		title: text,
		description: text,
		criteria: list(text),
	}),
	named("steps_planned", "the steps of a story, or of the run", { ...ofScope, steps: list(newStep) }),
	named("steps_inserted", "steps were put in after another one; null: at the front", {
		...{ ...ofScope, ...byPerson, steps: list(newStep), after: maybe(text), reason: text },
	}),
	named("story_claimed", "work on the story begins, in the worktree of this number", { ...ofScope, slot: number }),
	named("story_completed", "the story is done", ofScope),
	named("story_failed", "the story failed", { ...ofScope, error: text }),
	named("story_blocked", "the story cannot start because another one failed", { ...ofScope, by: text }),
	named("story_unblocked", "the story can start again", ofScope),
	named("story_retried", "a person lets a failed story continue", { ...ofScope, ...byPerson, id: optional }),
	named("story_excused", "a person accepts that nothing is changed for the story", { ...ofScope, reason: text }),
	named("change_recorded", "something was changed for the story", ofScope),
	named("session_recorded", "the session that a later step of the role may continue", { ...ofScope, role: text, session: text }),
	named("counted", "a capped route was taken once more", { ...ofScope, counter: text }),
	named("counters_reset", "these counters begin anew", { ...ofScope, counters: list(text) }),
	named("fields_set", "values for later prompts and conditions", {
		...{ ...ofScope, ...byPerson, fields: byName(text), limits: list(text).exactOptional() },
	}),
	named("work_undone", "a person took back what the run or the story delivered", {
		...{ ...ofScope, ...byPerson, commits: list(z.object({ scope: text, commit: text, by: maybe(text) })) },
	}),
] as const;

const ABOUT_STEPS = [
	named("step_started", "an attempt of the step begins", {
		...{ ...ofAttempt, role: text, letter: optional, queued: yes, announces: yes },
	}),
	named("step_prepared", "the state of the tree is recorded, and the session starts", {
		...{ ...ofAttempt, commit: maybe(text), log: maybe(text), branch: optional },
		...{ agent: optional, model: optional, effort: optional, tier: optional },
	}),
	named("attempt_reported", "a member of a gate, or an iteration of a loop, ended; the step continues", {
		...{ ...ofAttempt, role: text, signal: text, findings: list(finding), earlier: list(earlier).exactOptional() },
		...{ advisory: yes, asks: reportAsked.exactOptional(), said: verdictReport.exactOptional(), next: yes },
	}),
	named("report_asked", "the report of a session could not be read; the session is asked for it", { ...ofStep, ...reportAsked.shape }),
	named("step_completed", "the step is done", {
		...{ ...ofAttempt, signal: text, notes: maybe(text), unchanged: z.literal(true).exactOptional() },
	}),
	named("step_failed", "the step failed", { ...ofAttempt, signal: text, error: text }),
	named("step_cancelled", "the step was ended from outside", { ...ofAttempt, error: text }),
	named("step_skipped", "the step is left out", { ...ofStep, reason: text }),
	named("step_reopened", "the step runs again", {
		...{ ...ofStep, ...byPerson, reason: text, entry: yes, apart: yes, report: optional, putBack: yes },
		...{ unchanged: z.literal(true).exactOptional(), retried: yes },
	}),
	named("step_restarted", "the step runs again because its attempt asked for it", { ...ofAttempt, description: text, reason: optional }),
	named("step_postponed", "the step runs again after a while", { ...ofAttempt, until: time, reason: text }),
	named("step_waiting", "the step waits for a person", {
		...ofStep,
		reason: text,
		signal: optional,
		held: held.exactOptional(),
		asks: z.literal(true).exactOptional().describe("it wants an answer in words"),
	}),
	named("step_extended", "a loop goes on with its next iteration", {
		...{ ...ofAttempt, iteration: number, cursor: number, queue: list(text), until: time.exactOptional(), reason: optional },
	}),
	named("loop_asked", "what a message asked of a loop", {
		...{ ...ofStep, queue: list(text), skips: number, asked: maybe(z.object({ signal: text, reason: text })) },
	}),
	named("loop_extended", "a person raised the number of iterations", { ...ofStep, ...byPerson, max: number }),
	named("workflow_edited", "an agent changed the steps ahead", { ...ofStep, details: editDetails, order: list(text) }),
	named("edit_rejected", "edits of an agent were refused", { ...ofStep, reasons: list(text) }),
	named("attempt_ignored", "a result came that no longer counts", { ...ofAttempt, reason: text }),
	named("usage_recorded", "what a session used", {
		...ofAttempt,
		usage,
		model: optional,
		prompt: optional.describe("a hash of what the agent was told"),
	}),
	named("cost_unknown", "a session did not report its cost, in a run with a cost limit", { ...ofAttempt, role: text }),
	named("checks_recorded", "checks that pawl ran", { ...ofAttempt, checks: list(check) }),
	named("remarked", "something that pawl noticed, and perhaps corrected", { ...ofAttempt, text }),
	named("merge_stacked", "the work of a story on top of those in front of it", {
		...ofAttempt,
		commit: text,
		onto: text,
		behind: optional,
	}),
	named("merge_unstacked", "it cannot be merged on top of those in front of it", { ...ofAttempt, reason: text }),
	named("merge_announced", "base is about to move to this commit", { ...ofAttempt, commit: text }),
	named("route_taken", "what follows from the signal of the step", { ...ofStep, signal: text, action: text, reason: optional }),
	named("converged", "the same findings as in the round before", { ...ofStep, findings: list(finding) }),
	named("kept", "a value of a report, for later prompts and readers", { ...ofStep, name: text, text }),
	named("decided", "a decision of a person that counted", {
		...{ ...ofStep, ...byPerson, id: maybe(text), verdict: z.enum(["approve", "reject", "retry", "answer", "skip"]), reason: text },
	}),
] as const;

export const eventSchema = z
	.discriminatedUnion("event", [...ABOUT_RUN, ...ABOUT_STORIES, ...ABOUT_STEPS])
	.describe(
		"One event of a run's journal, as a line of `pawl history --json`. New versions add events and optional keys, and change none.",
	);

type Shown = NumberedEvent;

type Described = z.infer<typeof eventSchema>;
type Missing = Exclude<Shown["event"], Described["event"]>;
type Wrong<N extends Shown["event"]> = N extends unknown
	? [Extract<Shown, { event: N }>, Extract<Described, { event: N }>] extends [
			Extract<Described, { event: N }>,
			Extract<Shown, { event: N }>,
		]
		? never
		: N
	: never;

type Differs = Missing | Wrong<Shown["event"]>;

/** Does not compile while this file lacks an event, or describes one otherwise than the core: the error names it. Mend it above, then run
 * `node src/schemas/write-schemas.ts`. */
export const AS_IN_THE_CORE: [Differs] extends [never] ? true : Differs = true;
