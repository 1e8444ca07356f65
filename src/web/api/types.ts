// What the API answers, as far as the page reads it. The server may add fields; `?` marks what it may leave out.

export interface Progress {
	readonly percent: number;
	readonly stories_completed: number;
	readonly stories_total: number;
	readonly eta_ms?: number | null;
}

/** A row of `runs`, also sent by the stream when it changes. */
export interface RunRow {
	readonly run: string;
	readonly workflow: string;
	readonly title: string;
	readonly status: string;
	readonly driven: boolean;
	readonly created_at: string | null;
	readonly updated_at: string | null;
	readonly cost_usd?: number | null;
	readonly max_cost_usd?: number | null;
	readonly progress?: Progress | null;
	/** How many questions wait for a person. */
	readonly waiting?: number;
}

export interface Spent {
	readonly cost_usd: number | null;
	readonly input_tokens: number | null;
	readonly output_tokens: number | null;
	readonly sessions: number;
	readonly unknown_cost_sessions: number;
}

export interface StepView {
	readonly id: string;
	readonly type: string;
	readonly status: string;
	readonly description: string;
	readonly attempt: number;
	/** How often it was tried; the members of a gate try together. */
	readonly tries: number;
	/** Who did the newest attempt, if pawl started it. */
	readonly agent: string | null;
	readonly model: string | null;
	readonly effort: string | null;
	readonly tier: string | null;
	readonly restart_count: number;
	readonly started_at: string | null;
	readonly completed_at: string | null;
	readonly elapsed_ms: number | null;
	readonly not_before: string | null;
	readonly cost_usd: number | null;
	readonly input_tokens: number | null;
	readonly output_tokens: number | null;
	readonly notes: string | null;
	readonly error: string | null;
	readonly skip_reason: string | null;
}

export interface StoryView extends Spent {
	readonly id: string;
	readonly title: string;
	readonly status: string;
	readonly slot: number | null;
	readonly priority: number;
	readonly depends_on: readonly string[];
	readonly claimed_at: string | null;
	readonly completed_at: string | null;
	readonly elapsed_ms: number | null;
	readonly error: string | null;
	/** Why it is settled although nothing was changed for it. */
	readonly excused?: string | null;
	readonly current_step: StepView | null;
	readonly steps: readonly StepView[];
	readonly description?: string;
	readonly acceptance_criteria?: readonly string[];
	readonly retry_count?: number;
	/** The end of the last message. */
	readonly output?: string | null;
}

export interface Waiting {
	readonly story: string | null;
	readonly step: string;
	readonly type: string;
	readonly reason: string;
}

export interface Why {
	readonly kind: string;
	readonly at: number;
	readonly story: string | null;
	readonly step: string | null;
	readonly type: string | null;
	readonly what: string;
	readonly reason: string;
	readonly until?: number;
}

export interface Budget {
	readonly limit: number;
	readonly spent: number;
	readonly per: string;
	readonly story: string | null;
}

export interface Advice {
	readonly text: string;
	readonly commands: readonly string[];
}

export interface Loop {
	readonly iteration: number;
	readonly max_iterations: number | null;
	readonly role: string | null;
	readonly since: string | null;
	readonly held: string | null;
	readonly stories_passed: number | null;
	readonly stories_total: number | null;
	readonly story: string | null;
}

export interface RunView extends Spent {
	readonly run: string;
	readonly version: number;
	readonly workflow: string;
	readonly title: string;
	readonly status: string;
	readonly reason: string | null;
	readonly stopping: string | null;
	readonly base: string | null;
	readonly pull_request: string | null;
	readonly agents: number;
	readonly created_at: string | null;
	readonly ended_at: string | null;
	readonly elapsed_ms: number;
	readonly budgets: Readonly<Record<string, Budget>>;
	readonly waiting: readonly Waiting[];
	readonly reasons: readonly Why[];
	readonly loop?: Loop;
	readonly progress?: Progress;
	readonly steps: readonly StepView[];
	readonly stories: readonly StoryView[];
	readonly driven: boolean;
	readonly advice: readonly Advice[];
	readonly merging?: readonly { readonly story: string }[];
	readonly limited_until?: string | null;
	readonly slots?: readonly { readonly slot: number; readonly story: string | null }[];
}

export type Answer = "answer" | "approve" | "reject" | "retry";

export interface Question {
	readonly run: string;
	readonly title: string;
	readonly workflow: string;
	readonly story: string | null;
	readonly step: string;
	readonly type: string;
	readonly reason: string;
	readonly since: string | number | null;
	readonly ask: string | number;
	/** What the question is about: the step before it, with its notes. */
	readonly about?: { readonly step: string; readonly type: string; readonly notes: string | null } | null;
	readonly actions: readonly Answer[];
}

/** An event of the journal; which fields it has depends on `event`. */
export interface JournalEvent {
	readonly event: string;
	readonly at: number;
	readonly version?: number;
	readonly scope?: string;
	readonly step?: string;
	readonly attempt?: number;
	readonly [field: string]: unknown;
}

export interface Check {
	readonly name: string;
	readonly command: string;
	readonly exit_code: number | null;
	readonly output: string;
	/** It had passed on the same files before and was not run again. */
	readonly reused?: boolean;
}

export interface Attempt {
	/** null: the run itself. */
	readonly story: string | null;
	readonly step: string;
	readonly type: string | null;
	readonly kind: string | null;
	readonly number: number;
	/** Which try of its role in this step. */
	readonly nth: number;
	/** Empty: pawl itself, as for a merge. */
	readonly role: string;
	readonly slot: number | null;
	readonly agent: string | null;
	readonly model: string | null;
	readonly effort: string | null;
	readonly tier: string | null;
	readonly started_at: string;
	readonly ended_at: string | null;
	/** How it ended; null while it goes on. */
	readonly signal: string | null;
	readonly reason: string | null;
	readonly cost_usd: number | null;
	readonly input_tokens: number | null;
	readonly output_tokens: number | null;
	readonly commit: string | null;
	readonly checks: readonly Check[];
	readonly remarks: readonly string[];
}

/** What speaks for a criterion, or against it. */
export interface Proof {
	readonly kind: string;
	readonly met: boolean;
	readonly text: string;
	readonly quote: string | null;
	readonly step: string;
	readonly type: string;
	readonly at: string | null;
}

export interface Criterion {
	readonly criterion: string;
	/** null: nobody judged it. */
	readonly met: boolean | null;
	readonly evidence: readonly Proof[];
}

export interface StepDetail extends StepView {
	readonly kind: string | null;
	readonly internal: boolean;
	readonly attempts: readonly Attempt[];
}

export interface Edit {
	readonly at: string;
	readonly step: string;
	readonly accepted: boolean;
	readonly reason: string;
	readonly operation?: string;
	readonly target_step_id?: string;
	readonly new_steps?: readonly { readonly id: string; readonly type: string; readonly description: string }[];
	readonly before?: unknown;
	readonly after?: unknown;
	readonly old_description?: string;
	readonly new_description?: string;
}

export interface Decision {
	readonly at: string;
	readonly step: string;
	readonly verdict: string;
	readonly reason: string;
	readonly by: { readonly user: string; readonly how: string } | null;
}

export interface StoryDetail {
	/** How each acceptance criterion was shown. */
	readonly criteria?: readonly Criterion[];
	readonly steps: readonly StepDetail[];
	readonly edits: readonly Edit[];
	readonly decisions: readonly Decision[];
	readonly kept?: Readonly<Record<string, unknown>>;
	/** Files with work that was put back. */
	readonly put_back: readonly string[];
}

export interface StoryDiff {
	readonly run: string;
	readonly story: string;
	readonly status: string;
	readonly commits: readonly { readonly sha: string; readonly subject: string }[];
	readonly patch: string;
}

export interface CostView extends Spent {
	readonly run: string;
	readonly completed_stories: number;
	readonly cost_per_completed_story_usd: number | null;
	readonly by_story: readonly CostRow[];
	readonly by_step_type: readonly CostRow[];
	readonly by_agent?: readonly CostRow[];
	readonly by_model?: readonly CostRow[];
	readonly by_tier?: readonly CostRow[];
}

export interface CostRow extends Spent {
	readonly name: string;
}

export interface LogPage {
	readonly records: readonly unknown[];
	readonly next: number | string;
}

export interface Workflow {
	readonly name: string;
	readonly title: string;
	/** The options of a run that names none. */
	readonly defaults?: Readonly<Record<string, string | number | null>> | null;
}

/** Of a database that machines share. */
export interface MachinesView {
	readonly workers: readonly WorkerView[];
	readonly accounts: readonly AccountView[];
}

export interface WorkerView {
	readonly worker: string;
	readonly version: string;
	readonly lanes: number;
	readonly seen_at: string | null;
	readonly draining: boolean;
	readonly gone: boolean;
	/** `story` is null for what belongs to no story. */
	readonly works: readonly { readonly run: string; readonly story: string | null }[];
}

export interface AccountView {
	readonly account: string;
	/** null: any number. */
	readonly max: number | null;
	readonly in_use: number;
	readonly limited_until: string | null;
	readonly sessions: readonly { readonly run: string; readonly story: string | null; readonly waits: boolean }[];
}
