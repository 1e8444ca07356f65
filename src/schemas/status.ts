// The document that `pawl status --json` prints. The compiler refuses this file while it lacks a key of that document, or describes one
// otherwise than runs/look/status.ts.
import { z } from "zod";
import type { StatusView } from "../runs/look/status.ts";
import { byName, isoTime, list, maybe, RUN_STATUS, STEP_STATUS, STORY_STATUS, text, time, tokens, usd } from "./parts.ts";

const number = z.number();

const spent = {
	cost_usd: usd,
	input_tokens: tokens,
	output_tokens: tokens,
	sessions: number,
	unknown_cost_sessions: number.describe("sessions that did not report their cost"),
};

const step = z.object({
	id: text,
	type: text,
	status: STEP_STATUS,
	description: text,
	attempt: number.describe("the number of the newest attempt; 0 before the first"),
	tries: number.describe("how often it was tried; in a gate each try has an attempt for each member"),
	agent: maybe(text).describe("who did the newest attempt, if pawl started its session"),
	model: maybe(text),
	effort: maybe(text),
	tier: maybe(text),
	restart_count: number,
	started_at: isoTime,
	completed_at: isoTime,
	elapsed_ms: maybe(number),
	not_before: isoTime.describe("the time that it waits for"),
	cost_usd: usd,
	input_tokens: tokens,
	output_tokens: tokens,
	notes: maybe(text),
	error: maybe(text),
	skip_reason: maybe(text),
});

const story = z.object({
	id: text,
	title: text,
	description: text,
	acceptance_criteria: list(text),
	status: STORY_STATUS,
	slot: maybe(number).describe("the number of its worktree"),
	priority: number,
	depends_on: list(text),
	claimed_at: isoTime,
	completed_at: isoTime,
	elapsed_ms: maybe(number),
	...spent,
	error: maybe(text),
	excused: maybe(text).describe("why it is settled although nothing was changed for it"),
	undone: z.boolean().describe("a person took back what it delivered"),
	retry_count: number,
	output: maybe(text),
	current_step: maybe(step),
	steps: list(step),
});

const why = z.object({
	kind: z.enum(["failed", "sent_back", "again", "postponed", "waits", "held", "blocked", "rejected_edit"]),
	at: time,
	story: maybe(text),
	step: maybe(text),
	type: maybe(text),
	what: text,
	reason: text,
	until: time.exactOptional(),
	output: text.exactOptional(),
});

const loop = z.object({
	iteration: number,
	max_iterations: maybe(number),
	role: maybe(text),
	since: isoTime,
	held: maybe(text),
	queue: list(text),
	stories_passed: maybe(number),
	stories_total: maybe(number),
	story: maybe(text),
});

const progress = z.object({
	percent: number,
	stories_completed: number,
	stories_total: number,
	phases_completed: number.optional(),
	phases_total: number.optional(),
	eta_ms: maybe(number),
});

const merging = z.object({
	story: text,
	step: text,
	status: STEP_STATUS,
	not_before: isoTime,
	since: isoTime,
	commit: maybe(text).describe("what it is checked as"),
	behind: maybe(text).describe("the story that it is checked on top of; null: base"),
	problem: maybe(text),
});

const delivery = z.object({
	branch: maybe(text).describe("the branch of the whole run, if it has one"),
	base: maybe(text).describe("the branch that its work is for"),
	commits: list(z.object({ sha: text, subject: text })).describe("oldest first"),
	pull_request: maybe(text).describe("its address"),
	pull_request_text: maybe(text).describe("the file with its text"),
});

export const statusSchema = z
	.object({
		run: text,
		version: number.describe("the number of events in the journal"),
		workflow: text,
		title: text,
		status: RUN_STATUS,
		reason: maybe(text),
		stopping: maybe(z.enum(["pause", "cancel", "interrupt"])),
		base: maybe(text).describe("the branch that the work is for"),
		pull_request: maybe(text).describe("its address"),
		agents: number.describe("how many stories run at the same time"),
		created_at: isoTime,
		ended_at: isoTime.describe("null until the run is over"),
		elapsed_ms: number,
		...spent,
		budgets: byName(z.object({ limit: number, spent: number, per: z.enum(["run", "story", "step"]), story: maybe(text) })),
		waiting: list(z.object({ story: maybe(text), step: text, type: text, reason: text })).describe("steps that wait for a person"),
		reasons: list(why).describe("why the run is in this state"),
		loop: loop.optional(),
		progress: progress.optional(),
		steps: list(step).describe("the run's own steps"),
		stories: list(story),
		files: text.describe("the folder with the run's files"),
		diffs: list(text).describe("work that was put back, below `files`"),
		driven: z.boolean().describe("a process drives the run"),
		driver: maybe(z.object({ who: text, since: isoTime })),
		unserved: maybe(text).describe("why no worker works on it, where machines share it, and what to do"),
		last_sign_at: isoTime,
		not_settled: byName(list(text)).describe("what the work went on in spite of, and what a new plan left out, by heading"),
		delivery: maybe(delivery).describe("null until the run is over"),
		put_aside: list(text).describe("files that were put aside as no part of the work, below `files`"),
		kept_refs: maybe(text).describe("where branches, tags and stashes of sessions are kept that were taken away again"),
		put_back: list(text).describe("what sessions changed that they may not, and that was put back"),
		recorded: list(text).describe("the types of the inputs that wait in the run's inbox"),
		unclaimed: list(z.object({ story: maybe(text), step: text, agent: text })).describe("steps that wait for their agent to claim them"),
		merging: list(merging).describe("stories on their way to base, in the order of their turns"),
		advice: list(z.object({ text, commands: list(text), note: text.exactOptional() })).describe("what a person can do now"),
	})
	.describe("What `pawl status --json` prints. New versions add keys, and change none.");

type Described = z.infer<typeof statusSchema>;
type KeysOf<T> = T extends unknown ? keyof T : never;
/** The keys of the document that are missing here, or of another type. */
type Differs = {
	[K in KeysOf<StatusView>]: K extends keyof Described ? (StatusView[K] extends Described[K] ? never : K) : K;
}[KeysOf<StatusView>];
type TooMany = Exclude<keyof Described, KeysOf<StatusView>>;

/** Does not compile while this file differs: the error names the key. */
export const AS_PRINTED: [Differs | TooMany] extends [never] ? true : Differs | TooMany = true;
