// What a program gets that imports pawl, as other programs see it: types only, which scripts/build.ts publishes together with documents.ts. What is here stays
// as it is; new versions add to it.
import type { FormatFlags, RunEvent, RunStatus } from "./documents.ts";

/** Runs of the repository that the program was started in. `runs.in(folder)`: of another one. */
export declare const runs: Runs;

/** Every method may refuse: then it throws this, and has changed nothing unless the message says so. */
export declare class Refusal extends Error {
	readonly code: RefusalCode;
	/** The status of the run, if that is the reason. */
	readonly because: Status | null;
}

/**
 * - `invalid`: the request makes no sense, whatever the state of the run (a bad option, a bad file, a bad pawl.yml);
 * - `not_found`: it names something that does not exist;
 * - `refused`: not possible now (the run is over, the tree is not clean, an agent asks for what only a person may decide);
 * - `conflict`: somebody else was faster: look again;
 * - `unavailable`: possible in principle, but not done in time, or no longer there;
 * - `internal`: a mistake of pawl, or a disk that is full or broken.
 */
export type RefusalCode = "invalid" | "not_found" | "refused" | "conflict" | "unavailable" | "internal";

export type Status = RunStatus["status"];

export interface Runs extends Start, Watch, Decide, Look {
	/** The same for the repository of another folder. */
	in(folder: string, settings?: Settings): Runs;
}

export interface Settings {
	/** The environment of the engine and its agents; without it, that of this process. */
	readonly env?: Readonly<Record<string, string | undefined>>;
	/** The address of a database that machines share. PAWL_DB is not read. */
	readonly db?: string;
	/** Gets what `pawl` would print as a warning; without it, `process.emitWarning` does. */
	readonly warn?: (text: string) => void;
}

/** A time as on the command line: 90s, 15m, 2h, 1h30m. */
export type Duration = string;

export interface Start {
	/**
	 * Starts a run and returns its id once an engine has it. The engine is a process of its own, as with `pawl run --detach`: it goes on when this
	 * program ends. Everything is checked before anything is written. Refuses to continue an unfinished run on the same file.
	 */
	start(wanted: RunToStart): Promise<string>;
	/** The workflows that can be started here. */
	workflows(): Promise<readonly Workflow[]>;
}

/** What is to be done: `request`, or one of the flags that are instead of a text. The rest are the options of `pawl run`. */
export interface RunToStart extends FormatFlags {
	/** A name, or a path. */
	readonly workflow: string;
	/** What is to be done in plain words; for some workflows a file or an id. */
	readonly request?: string;
	/** How many stories run at the same time. */
	readonly agents?: number;
	/** For all steps, or by step type or role. */
	readonly agent?: string | Readonly<Record<string, string>>;
	readonly model?: string | Readonly<Record<string, string>>;
	readonly effort?: string | Readonly<Record<string, string>>;
	/** Role → AGENT or AGENT:MODEL. */
	readonly role?: Readonly<Record<string, string>>;
	/** The command of the agent `command`. */
	readonly agentCommand?: string;
	/** The script of the agent `scripted`. */
	readonly script?: string;
	/** Agents that stand in while another is at a usage limit. */
	readonly fallback?: readonly string[];
	/** The branch that stories start from and are merged into. */
	readonly base?: string;
	/** Step type → its time limit. */
	readonly timeout?: Readonly<Record<string, Duration>>;
	/** US dollars. */
	readonly maxCost?: number;
	readonly allowUnknownCost?: boolean;
	readonly maxTime?: Duration;
	readonly maxWait?: Duration;
	readonly maxIterations?: number;
	/** Between two iterations of a loop. */
	readonly delay?: Duration;
	readonly sharedDir?: string;
	/** `none`, `bwrap` or `container`, instead of what pawl.yml says. */
	readonly sandbox?: string;
	/** pawl may push the branch and open the pull request. */
	readonly push?: boolean;
	/** The run ends in a pull request; base is not moved. */
	readonly pr?: boolean;
	/** pawl may comment on the issues of the run. */
	readonly comment?: boolean;
	/** A new run even if one on the same file is unfinished. */
	readonly fresh?: boolean;
	/** false: deliver without the repository's own checks. */
	readonly checks?: boolean;
	/** Approve every step that waits for approval. */
	readonly yes?: boolean;
}

export interface Workflow {
	readonly name: string;
	readonly origin: string;
	readonly title: string | null;
	/** The ways to say what is to be done. */
	readonly inputs: readonly string[];
}

export interface Watch {
	/**
	 * The events of a run, as they are committed. It ends when the run has ended, waits for a person or a limit, is paused, or no process drives it any
	 * more: `status` says which. Leaving the loop, or the signal, ends the watching and not the run.
	 */
	watch(run: string, from?: WatchFrom): AsyncIterable<RunEvent>;
}

export interface WatchFrom {
	/** Only what comes after this event: its `version`. Without it, from the beginning. */
	readonly after?: number;
	readonly signal?: AbortSignal;
}

/**
 * What a person decides; a program that an agent or a check of pawl started is refused. `run`: an id, or a unique beginning of one. After `approve`,
 * `reject`, `answer`, `retry` and `resume` the run goes on in a process of its own.
 */
export interface Decide {
	/** `ask` of a question answers just that one; `step` is needed if several wait. */
	approve(run: string, which?: WhichQuestion & { readonly reason?: string }): Promise<Done>;
	reject(run: string, reason: string, which?: WhichQuestion): Promise<Done>;
	answer(run: string, text: string, which?: WhichQuestion): Promise<Done>;
	/** Tells the agents of the run something: every step that starts from now on reads it. */
	steer(run: string, text: string): Promise<Done>;
	pause(run: string): Promise<Done>;
	resume(run: string): Promise<Done>;
	cancel(run: string): Promise<Done>;
	/** What failed, or only this story. */
	retry(run: string, which?: { readonly story?: string }): Promise<Done>;
	/** New totals, not additions. A run that has stopped at a limit goes on with `resume`. */
	extend(run: string, limits: NewLimits): Promise<Done>;
	skip(run: string, what: { readonly story: string; readonly step: string; readonly reason: string }): Promise<Done>;
}

export interface WhichQuestion {
	readonly step?: string;
	readonly ask?: string;
}

export interface NewLimits {
	/** US dollars. */
	readonly maxCost?: number;
	readonly maxTime?: Duration;
	readonly maxIterations?: number;
	readonly allowUnknownCost?: boolean;
	/** Other budgets of the workflow, by name. */
	readonly budget?: Readonly<Record<string, number>>;
}

export interface Done {
	readonly run: string;
	/** For a person: what was done. */
	readonly what: string;
	/** `recorded`: it is in the journal; `taken`: the run's engine took it; `left`: the engine has not done so yet. */
	readonly delivery: "recorded" | "taken" | "left";
	/** The run's status afterwards. */
	readonly status: Status;
	/** Some process drives it now. */
	readonly driven: boolean;
}

/** Changes nothing. `run`: an id, a unique beginning of one, or `latest`. */
export interface Look {
	/** Newest first. */
	list(most?: { readonly limit?: number }): Promise<readonly ListedRun[]>;
	/** As `pawl status --json` has it. */
	status(run: string): Promise<RunStatus>;
	/** What waits for a person. */
	questions(run: string): Promise<readonly Question[]>;
	/** With how each acceptance criterion was shown. */
	stories(run: string): Promise<readonly Story[]>;
	/** All events so far, as `pawl history --json` has them. */
	history(run: string): Promise<readonly RunEvent[]>;
	/** What the session of a step printed, in pages: `after` is the `next` of the page before. */
	log(run: string, of: WhichLog): Promise<LogPage>;
	cost(run: string): Promise<Cost>;
	/** Without a story: that of the only one, else what the run changed as a whole (`run`). */
	diff(run: string, story?: string): Promise<Diff>;
}

export interface ListedRun {
	readonly run: string;
	readonly workflow: string;
	readonly title: string;
	readonly status: Status;
	/** false for a run that should be running and that no process drives. */
	readonly driven: boolean;
	readonly created_at: string | null;
	readonly updated_at: string | null;
	readonly cost_usd: number | null;
	readonly max_cost_usd: number | null;
	readonly progress: RunStatus["progress"] | null;
	readonly pull_request: string | null;
	/** How many steps wait for a person. */
	readonly waiting: number;
}

export interface Question {
	readonly run: string;
	/** null: it is about the run as a whole. */
	readonly story: string | null;
	readonly step: string;
	readonly type: string;
	readonly reason: string;
	readonly since: string | null;
	/** Names this question, and no later one of the same step. */
	readonly ask: string;
	readonly actions: readonly ("answer" | "approve" | "reject" | "retry")[];
	/** The step whose result it is about. */
	readonly about: { readonly step: string; readonly type: string; readonly notes: string | null } | null;
}

export type Story = RunStatus["stories"][number] & {
	readonly criteria: readonly {
		readonly criterion: string;
		/** null: nobody judged it. */
		readonly met: boolean | null;
		readonly evidence: readonly {
			readonly kind: "command" | "word" | "verdict";
			readonly met: boolean;
			readonly text: string;
			readonly quote: string | null;
			readonly step: string;
			readonly type: string;
			readonly at: string | null;
		}[];
	}[];
};

export interface WhichLog {
	/** Of the run's own steps: `run`. */
	readonly story: string;
	/** Its id. */
	readonly step: string;
	readonly after?: string;
}

export interface LogPage {
	/** What agents print, each with a `type`. */
	readonly records: readonly unknown[];
	readonly next: string;
}

export interface Spent {
	readonly cost_usd: number | null;
	readonly input_tokens: number | null;
	readonly output_tokens: number | null;
	readonly sessions: number;
	/** Sessions that did not report their cost. */
	readonly unknown_cost_sessions: number;
}

export type SpentOn = Spent & { readonly name: string };

export interface Cost extends Spent {
	readonly run: string;
	readonly completed_stories: number;
	readonly cost_per_completed_story_usd: number | null;
	readonly by_story: readonly SpentOn[];
	readonly by_step_type: readonly SpentOn[];
	readonly by_agent: readonly SpentOn[];
	readonly by_model: readonly SpentOn[];
	readonly by_tier: readonly SpentOn[];
}

export interface Diff {
	readonly run: string;
	/** `run`: the run as a whole. */
	readonly story: string;
	readonly status: string;
	/** Those on base; work that is not merged has none there. */
	readonly commits: readonly { readonly sha: string; readonly subject: string }[];
	/** Empty: it changed nothing. */
	readonly patch: string;
	/** Files with what attempts of the story did that was put back. */
	readonly put_back: readonly string[];
}
