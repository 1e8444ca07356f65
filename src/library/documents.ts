// Made by `node src/schemas/write-schemas.ts`: the published schemas, and the flags that formats add to `pawl run`, as types. As long as they are.

/** What only some workflows understand. */
export interface FormatFlags {
	/** an issue of the forge, read with gh or glab */
	readonly issue?: string;
	/** stories from a prd.json */
	readonly prd?: string;
	/** stories from the open issues of the forge that fit, such as "label:agent" */
	readonly issues?: string;
	/** false: leave out the checks of a supervisor */
	readonly supervisor?: boolean;
	/** the promise that ends a loop */
	readonly promise?: string;
}

/** One event of a run's journal, as a line of `pawl history --json`. New versions add events and optional keys, and change none. */
export type RunEvent =
	/** a run begins; the definition of its workflow is left out here */
	| {
		readonly event: "run_created";
		/** milliseconds since 1970, UTC */
		readonly at: number;
		/** the number of the event in the journal, from 1 */
		readonly version: number;
		readonly id: string;
		readonly title: string;
		readonly workflow: string;
		readonly definition_hash: string;
		readonly options: {
			readonly mode: string;
			readonly agents: number;
			readonly slots: readonly number[];
			readonly base: string | null;
			readonly yes: boolean;
			readonly maxWaitMs: number | null;
			readonly timeouts: { readonly [name: string]: number };
			readonly budgets: { readonly [name: string]: number };
			readonly ownLimits?: readonly string[];
			readonly allowUnknownCost?: boolean;
			readonly comments?: true;
			readonly shell: { readonly [name: string]: unknown };
		};
		readonly input: { readonly [name: string]: string };
		readonly fields: { readonly [name: string]: string };
	}
	/** the run is now in this state */
	| {
		readonly event: "run_status_changed";
		/** milliseconds since 1970, UTC */
		readonly at: number;
		/** the number of the event in the journal, from 1 */
		readonly version: number;
		readonly status: "running" | "waiting" | "paused" | "completed" | "failed" | "stopped" | "limited" | "cancelled" | "refused";
		readonly reason: string | null;
	}
	/** an issue was told about the run, or could not be */
	| {
		readonly event: "issue_commented";
		/** milliseconds since 1970, UTC */
		readonly at: number;
		/** the number of the event in the journal, from 1 */
		readonly version: number;
		readonly issue: number;
		readonly about: "started" | "ended";
		readonly url: string | null;
		readonly problem?: string;
	}
	/** a pull request of the run's work is open */
	| {
		readonly event: "pull_request_opened";
		/** milliseconds since 1970, UTC */
		readonly at: number;
		/** the number of the event in the journal, from 1 */
		readonly version: number;
		readonly url: string;
		readonly branch: string;
		readonly base: string;
	}
	/** loops start nothing at the moment; null: they go on */
	| {
		readonly event: "run_held";
		/** milliseconds since 1970, UTC */
		readonly at: number;
		/** the number of the event in the journal, from 1 */
		readonly version: number;
		readonly reason: string | null;
	}
	/** the run gives up: its abort steps run, then it ends */
	| {
		readonly event: "run_aborting";
		/** milliseconds since 1970, UTC */
		readonly at: number;
		/** the number of the event in the journal, from 1 */
		readonly version: number;
		readonly reason: string;
		readonly ends?: "running" | "waiting" | "paused" | "completed" | "failed" | "stopped" | "limited" | "cancelled" | "refused";
	}
	/** a person continues the run */
	| {
		readonly event: "run_resumed";
		/** milliseconds since 1970, UTC */
		readonly at: number;
		/** the number of the event in the journal, from 1 */
		readonly version: number;
		/** the person who caused it */
		readonly by?: {
			readonly user: string;
			/** cli, or the name of another front end */
			readonly how: string;
		};
		readonly id?: string;
	}
	/** a person tells the agents something */
	| {
		readonly event: "run_steered";
		/** milliseconds since 1970, UTC */
		readonly at: number;
		/** the number of the event in the journal, from 1 */
		readonly version: number;
		/** the person who caused it */
		readonly by?: {
			readonly user: string;
			/** cli, or the name of another front end */
			readonly how: string;
		};
		readonly text: string;
	}
	/** a state file from outside replaced what the journal knew */
	| {
		readonly event: "run_adopted";
		/** milliseconds since 1970, UTC */
		readonly at: number;
		/** the number of the event in the journal, from 1 */
		readonly version: number;
		readonly reason: string;
		readonly stories: readonly {
			readonly id: string;
			readonly title: string;
			readonly description: string;
			readonly criteria: readonly string[];
			readonly priority: number;
			readonly dependsOn: readonly string[];
			readonly independent?: true;
			readonly expectsChange?: boolean;
			readonly group?: string;
			/** done before the run */
			readonly passes?: boolean;
		}[];
		readonly done: readonly string[];
		readonly fields: { readonly [name: string]: string };
		readonly budgets: { readonly [name: string]: {
			readonly limit: number;
			readonly spent: number;
		} };
		readonly elapsedMs: number;
		readonly kept?: readonly {
			readonly name: string;
			readonly text: string;
		}[];
		readonly known?: {
			readonly completed: readonly string[];
			readonly begun: { readonly [name: string]: { readonly [name: string]: string } };
			readonly changed: readonly string[];
			readonly replaced: number;
		};
	}
	/** the run is to stop */
	| {
		readonly event: "stop_requested";
		/** milliseconds since 1970, UTC */
		readonly at: number;
		/** the number of the event in the journal, from 1 */
		readonly version: number;
		/** the person who caused it */
		readonly by?: {
			readonly user: string;
			/** cli, or the name of another front end */
			readonly how: string;
		};
		readonly how: "pause" | "cancel" | "interrupt";
	}
	/** a person took over git's settings as they were then */
	| {
		readonly event: "settings_accepted";
		/** milliseconds since 1970, UTC */
		readonly at: number;
		/** the number of the event in the journal, from 1 */
		readonly version: number;
		/** the person who caused it */
		readonly by?: {
			readonly user: string;
			/** cli, or the name of another front end */
			readonly how: string;
		};
		readonly settings: string;
	}
	/** how long no process drove the run while attempts were running */
	| {
		readonly event: "engine_missed";
		/** milliseconds since 1970, UTC */
		readonly at: number;
		/** the number of the event in the journal, from 1 */
		readonly version: number;
		readonly ms: number;
	}
	/** a message from a control file was read */
	| {
		readonly event: "message_taken";
		/** milliseconds since 1970, UTC */
		readonly at: number;
		/** the number of the event in the journal, from 1 */
		readonly version: number;
		readonly inbox: string;
		readonly id: string;
		readonly text: string;
	}
	/** a message asks for more than a person allowed */
	| {
		readonly event: "limit_asked";
		/** milliseconds since 1970, UTC */
		readonly at: number;
		/** the number of the event in the journal, from 1 */
		readonly version: number;
		readonly field: string;
		readonly now: number;
		readonly more: number;
	}
	/** a budget was used */
	| {
		readonly event: "budget_spent";
		/** milliseconds since 1970, UTC */
		readonly at: number;
		/** the number of the event in the journal, from 1 */
		readonly version: number;
		readonly budget: string;
		readonly amount: number;
	}
	/** this share of a budget is used */
	| {
		readonly event: "budget_warned";
		/** milliseconds since 1970, UTC */
		readonly at: number;
		/** the number of the event in the journal, from 1 */
		readonly version: number;
		readonly budget: string;
		readonly share: number;
	}
	/** a person raised a limit */
	| {
		readonly event: "budget_extended";
		/** milliseconds since 1970, UTC */
		readonly at: number;
		/** the number of the event in the journal, from 1 */
		readonly version: number;
		/** the person who caused it */
		readonly by?: {
			readonly user: string;
			/** cli, or the name of another front end */
			readonly how: string;
		};
		readonly budget: string;
		readonly limit: number;
	}
	/** a person lets sessions go on that do not report their cost */
	| {
		readonly event: "unknown_cost_allowed";
		/** milliseconds since 1970, UTC */
		readonly at: number;
		/** the number of the event in the journal, from 1 */
		readonly version: number;
		/** the person who caused it */
		readonly by?: {
			readonly user: string;
			/** cli, or the name of another front end */
			readonly how: string;
		};
	}
	/** base is looked at for the commits of merged stories before the run ends */
	| {
		readonly event: "merges_sought";
		/** milliseconds since 1970, UTC */
		readonly at: number;
		/** the number of the event in the journal, from 1 */
		readonly version: number;
	}
	/** which of them base does not hold */
	| {
		readonly event: "merges_looked_for";
		/** milliseconds since 1970, UTC */
		readonly at: number;
		/** the number of the event in the journal, from 1 */
		readonly version: number;
		readonly missing: readonly {
			readonly story: string;
			readonly commit: string;
		}[];
	}
	/** stories of the list */
	| {
		readonly event: "stories_added";
		/** milliseconds since 1970, UTC */
		readonly at: number;
		/** the number of the event in the journal, from 1 */
		readonly version: number;
		readonly stories: readonly {
			readonly id: string;
			readonly title: string;
			readonly description: string;
			readonly criteria: readonly string[];
			readonly priority: number;
			readonly dependsOn: readonly string[];
			readonly independent?: true;
			readonly expectsChange?: boolean;
			readonly group?: string;
			/** done before the run */
			readonly passes?: boolean;
		}[];
	}
	/** a new list takes the place of the old one, or of what is not completed */
	| {
		readonly event: "stories_replaced";
		/** milliseconds since 1970, UTC */
		readonly at: number;
		/** the number of the event in the journal, from 1 */
		readonly version: number;
		readonly stories: readonly {
			readonly id: string;
			readonly title: string;
			readonly description: string;
			readonly criteria: readonly string[];
			readonly priority: number;
			readonly dependsOn: readonly string[];
			readonly independent?: true;
			readonly expectsChange?: boolean;
			readonly group?: string;
			/** done before the run */
			readonly passes?: boolean;
		}[];
		readonly keep?: "completed";
	}
	/** the document that the story comes from has changed */
	| {
		readonly event: "story_changed";
		/** milliseconds since 1970, UTC */
		readonly at: number;
		/** the number of the event in the journal, from 1 */
		readonly version: number;
		/** the id of a story, or @run */
		readonly scope: string;
		readonly title: string;
		readonly description: string;
		readonly criteria: readonly string[];
	}
	/** the steps of a story, or of the run */
	| {
		readonly event: "steps_planned";
		/** milliseconds since 1970, UTC */
		readonly at: number;
		/** the number of the event in the journal, from 1 */
		readonly version: number;
		/** the id of a story, or @run */
		readonly scope: string;
		readonly steps: readonly {
			readonly id: string;
			readonly type: string;
			readonly description: string;
			/** the step that this one is a copy of */
			readonly origin?: string;
			readonly sender?: string;
		}[];
	}
	/** steps were put in after another one; null: at the front */
	| {
		readonly event: "steps_inserted";
		/** milliseconds since 1970, UTC */
		readonly at: number;
		/** the number of the event in the journal, from 1 */
		readonly version: number;
		/** the id of a story, or @run */
		readonly scope: string;
		/** the person who caused it */
		readonly by?: {
			readonly user: string;
			/** cli, or the name of another front end */
			readonly how: string;
		};
		readonly steps: readonly {
			readonly id: string;
			readonly type: string;
			readonly description: string;
			/** the step that this one is a copy of */
			readonly origin?: string;
			readonly sender?: string;
		}[];
		readonly after: string | null;
		readonly reason: string;
	}
	/** work on the story begins, in the worktree of this number */
	| {
		readonly event: "story_claimed";
		/** milliseconds since 1970, UTC */
		readonly at: number;
		/** the number of the event in the journal, from 1 */
		readonly version: number;
		/** the id of a story, or @run */
		readonly scope: string;
		readonly slot: number;
	}
	/** the story is done */
	| {
		readonly event: "story_completed";
		/** milliseconds since 1970, UTC */
		readonly at: number;
		/** the number of the event in the journal, from 1 */
		readonly version: number;
		/** the id of a story, or @run */
		readonly scope: string;
	}
	/** the story failed */
	| {
		readonly event: "story_failed";
		/** milliseconds since 1970, UTC */
		readonly at: number;
		/** the number of the event in the journal, from 1 */
		readonly version: number;
		/** the id of a story, or @run */
		readonly scope: string;
		readonly error: string;
	}
	/** the story cannot start because another one failed */
	| {
		readonly event: "story_blocked";
		/** milliseconds since 1970, UTC */
		readonly at: number;
		/** the number of the event in the journal, from 1 */
		readonly version: number;
		/** the id of a story, or @run */
		readonly scope: string;
		readonly by: string;
	}
	/** the story can start again */
	| {
		readonly event: "story_unblocked";
		/** milliseconds since 1970, UTC */
		readonly at: number;
		/** the number of the event in the journal, from 1 */
		readonly version: number;
		/** the id of a story, or @run */
		readonly scope: string;
	}
	/** a person lets a failed story continue */
	| {
		readonly event: "story_retried";
		/** milliseconds since 1970, UTC */
		readonly at: number;
		/** the number of the event in the journal, from 1 */
		readonly version: number;
		/** the id of a story, or @run */
		readonly scope: string;
		/** the person who caused it */
		readonly by?: {
			readonly user: string;
			/** cli, or the name of another front end */
			readonly how: string;
		};
		readonly id?: string;
	}
	/** a person accepts that nothing is changed for the story */
	| {
		readonly event: "story_excused";
		/** milliseconds since 1970, UTC */
		readonly at: number;
		/** the number of the event in the journal, from 1 */
		readonly version: number;
		/** the id of a story, or @run */
		readonly scope: string;
		readonly reason: string;
	}
	/** something was changed for the story */
	| {
		readonly event: "change_recorded";
		/** milliseconds since 1970, UTC */
		readonly at: number;
		/** the number of the event in the journal, from 1 */
		readonly version: number;
		/** the id of a story, or @run */
		readonly scope: string;
	}
	/** the session that a later step of the role may continue */
	| {
		readonly event: "session_recorded";
		/** milliseconds since 1970, UTC */
		readonly at: number;
		/** the number of the event in the journal, from 1 */
		readonly version: number;
		/** the id of a story, or @run */
		readonly scope: string;
		readonly role: string;
		readonly session: string;
	}
	/** a capped route was taken once more */
	| {
		readonly event: "counted";
		/** milliseconds since 1970, UTC */
		readonly at: number;
		/** the number of the event in the journal, from 1 */
		readonly version: number;
		/** the id of a story, or @run */
		readonly scope: string;
		readonly counter: string;
	}
	/** these counters begin anew */
	| {
		readonly event: "counters_reset";
		/** milliseconds since 1970, UTC */
		readonly at: number;
		/** the number of the event in the journal, from 1 */
		readonly version: number;
		/** the id of a story, or @run */
		readonly scope: string;
		readonly counters: readonly string[];
	}
	/** values for later prompts and conditions */
	| {
		readonly event: "fields_set";
		/** milliseconds since 1970, UTC */
		readonly at: number;
		/** the number of the event in the journal, from 1 */
		readonly version: number;
		/** the id of a story, or @run */
		readonly scope: string;
		/** the person who caused it */
		readonly by?: {
			readonly user: string;
			/** cli, or the name of another front end */
			readonly how: string;
		};
		readonly fields: { readonly [name: string]: string };
		readonly limits?: readonly string[];
	}
	/** a person took back what the run or the story delivered */
	| {
		readonly event: "work_undone";
		/** milliseconds since 1970, UTC */
		readonly at: number;
		/** the number of the event in the journal, from 1 */
		readonly version: number;
		/** the id of a story, or @run */
		readonly scope: string;
		/** the person who caused it */
		readonly by?: {
			readonly user: string;
			/** cli, or the name of another front end */
			readonly how: string;
		};
		readonly commits: readonly {
			readonly scope: string;
			readonly commit: string;
			readonly by: string | null;
		}[];
	}
	/** an attempt of the step begins */
	| {
		readonly event: "step_started";
		/** milliseconds since 1970, UTC */
		readonly at: number;
		/** the number of the event in the journal, from 1 */
		readonly version: number;
		/** the id of a story, or @run */
		readonly scope: string;
		readonly step: string;
		readonly attempt: number;
		readonly role: string;
		readonly letter?: string;
		readonly queued?: boolean;
		readonly announces?: boolean;
	}
	/** the state of the tree is recorded, and the session starts */
	| {
		readonly event: "step_prepared";
		/** milliseconds since 1970, UTC */
		readonly at: number;
		/** the number of the event in the journal, from 1 */
		readonly version: number;
		/** the id of a story, or @run */
		readonly scope: string;
		readonly step: string;
		readonly attempt: number;
		readonly commit: string | null;
		readonly log: string | null;
		readonly branch?: string;
		readonly agent?: string;
		readonly model?: string;
		readonly effort?: string;
		readonly tier?: string;
	}
	/** a member of a gate, or an iteration of a loop, ended; the step continues */
	| {
		readonly event: "attempt_reported";
		/** milliseconds since 1970, UTC */
		readonly at: number;
		/** the number of the event in the journal, from 1 */
		readonly version: number;
		/** the id of a story, or @run */
		readonly scope: string;
		readonly step: string;
		readonly attempt: number;
		readonly role: string;
		readonly signal: string;
		readonly findings: readonly {
			readonly key: string;
			readonly class: string;
			readonly text: string;
		}[];
		readonly earlier?: readonly {
			readonly key: string;
			readonly open: boolean;
		}[];
		readonly advisory?: boolean;
		readonly asks?: {
			readonly role: string;
			readonly attempt: number;
			readonly agent: string;
			readonly session: string;
			readonly missing: string;
			readonly changed?: boolean;
			readonly signal?: string;
			readonly notes?: string;
		};
		readonly said?: {
			readonly error: string | null;
			readonly notes: string | null;
			readonly fields: { readonly [name: string]: string };
			readonly retryAt: number | null;
			readonly unclear?: string;
		};
		readonly next?: boolean;
	}
	/** the report of a session could not be read; the session is asked for it */
	| {
		readonly event: "report_asked";
		/** milliseconds since 1970, UTC */
		readonly at: number;
		/** the number of the event in the journal, from 1 */
		readonly version: number;
		/** the id of a story, or @run */
		readonly scope: string;
		readonly step: string;
		readonly role: string;
		readonly attempt: number;
		readonly agent: string;
		readonly session: string;
		readonly missing: string;
		readonly changed?: boolean;
		readonly signal?: string;
		readonly notes?: string;
	}
	/** the step is done */
	| {
		readonly event: "step_completed";
		/** milliseconds since 1970, UTC */
		readonly at: number;
		/** the number of the event in the journal, from 1 */
		readonly version: number;
		/** the id of a story, or @run */
		readonly scope: string;
		readonly step: string;
		readonly attempt: number;
		readonly signal: string;
		readonly notes: string | null;
		readonly unchanged?: true;
	}
	/** the step failed */
	| {
		readonly event: "step_failed";
		/** milliseconds since 1970, UTC */
		readonly at: number;
		/** the number of the event in the journal, from 1 */
		readonly version: number;
		/** the id of a story, or @run */
		readonly scope: string;
		readonly step: string;
		readonly attempt: number;
		readonly signal: string;
		readonly error: string;
	}
	/** the step was ended from outside */
	| {
		readonly event: "step_cancelled";
		/** milliseconds since 1970, UTC */
		readonly at: number;
		/** the number of the event in the journal, from 1 */
		readonly version: number;
		/** the id of a story, or @run */
		readonly scope: string;
		readonly step: string;
		readonly attempt: number;
		readonly error: string;
	}
	/** the step is left out */
	| {
		readonly event: "step_skipped";
		/** milliseconds since 1970, UTC */
		readonly at: number;
		/** the number of the event in the journal, from 1 */
		readonly version: number;
		/** the id of a story, or @run */
		readonly scope: string;
		readonly step: string;
		readonly reason: string;
	}
	/** the step runs again */
	| {
		readonly event: "step_reopened";
		/** milliseconds since 1970, UTC */
		readonly at: number;
		/** the number of the event in the journal, from 1 */
		readonly version: number;
		/** the id of a story, or @run */
		readonly scope: string;
		readonly step: string;
		/** the person who caused it */
		readonly by?: {
			readonly user: string;
			/** cli, or the name of another front end */
			readonly how: string;
		};
		readonly reason: string;
		readonly entry?: boolean;
		readonly apart?: boolean;
		readonly report?: string;
		readonly putBack?: boolean;
		readonly unchanged?: true;
		readonly retried?: boolean;
	}
	/** the step runs again because its attempt asked for it */
	| {
		readonly event: "step_restarted";
		/** milliseconds since 1970, UTC */
		readonly at: number;
		/** the number of the event in the journal, from 1 */
		readonly version: number;
		/** the id of a story, or @run */
		readonly scope: string;
		readonly step: string;
		readonly attempt: number;
		readonly description: string;
		readonly reason?: string;
	}
	/** the step runs again after a while */
	| {
		readonly event: "step_postponed";
		/** milliseconds since 1970, UTC */
		readonly at: number;
		/** the number of the event in the journal, from 1 */
		readonly version: number;
		/** the id of a story, or @run */
		readonly scope: string;
		readonly step: string;
		readonly attempt: number;
		/** milliseconds since 1970, UTC */
		readonly until: number;
		readonly reason: string;
	}
	/** the step waits for a person */
	| {
		readonly event: "step_waiting";
		/** milliseconds since 1970, UTC */
		readonly at: number;
		/** the number of the event in the journal, from 1 */
		readonly version: number;
		/** the id of a story, or @run */
		readonly scope: string;
		readonly step: string;
		readonly reason: string;
		readonly signal?: string;
		readonly held?: {
			readonly signal: string;
			readonly error: string | null;
			readonly notes: string | null;
			readonly fields: { readonly [name: string]: string };
			readonly findings: readonly {
				readonly key: string;
				readonly class: string;
				readonly text: string;
			}[];
			readonly earlier?: readonly {
				readonly key: string;
				readonly open: boolean;
			}[];
			readonly stories:
				| readonly {
					readonly id: string;
					readonly title: string;
					readonly description: string;
					readonly criteria: readonly string[];
					readonly priority: number;
					readonly dependsOn: readonly string[];
					readonly independent?: true;
					readonly expectsChange?: boolean;
					readonly group?: string;
					/** done before the run */
					readonly passes?: boolean;
				}[]
				| null;
			readonly kept?: readonly {
				readonly name: string;
				readonly text: string;
			}[];
			readonly changed: boolean;
			readonly changedBefore?: true;
			readonly checks: readonly {
				readonly name: string;
				readonly command: string;
				/** null: it did not end by itself */
				readonly exitCode: number | null;
				/** the end of what it printed */
				readonly output: string;
				/** the git tree that it ran on */
				readonly tree?: string;
				/** it had passed on this tree before and was not run again */
				readonly reused?: true;
				readonly signal?: string;
				readonly said?: true;
				readonly unsaid?: true;
			}[];
			readonly retryAt: number | null;
		};
		/** it wants an answer in words */
		readonly asks?: true;
	}
	/** a loop goes on with its next iteration */
	| {
		readonly event: "step_extended";
		/** milliseconds since 1970, UTC */
		readonly at: number;
		/** the number of the event in the journal, from 1 */
		readonly version: number;
		/** the id of a story, or @run */
		readonly scope: string;
		readonly step: string;
		readonly attempt: number;
		readonly iteration: number;
		readonly cursor: number;
		readonly queue: readonly string[];
		/** milliseconds since 1970, UTC */
		readonly until?: number;
		readonly reason?: string;
	}
	/** what a message asked of a loop */
	| {
		readonly event: "loop_asked";
		/** milliseconds since 1970, UTC */
		readonly at: number;
		/** the number of the event in the journal, from 1 */
		readonly version: number;
		/** the id of a story, or @run */
		readonly scope: string;
		readonly step: string;
		readonly queue: readonly string[];
		readonly skips: number;
		readonly asked:
			| {
				readonly signal: string;
				readonly reason: string;
			}
			| null;
	}
	/** a person raised the number of iterations */
	| {
		readonly event: "loop_extended";
		/** milliseconds since 1970, UTC */
		readonly at: number;
		/** the number of the event in the journal, from 1 */
		readonly version: number;
		/** the id of a story, or @run */
		readonly scope: string;
		readonly step: string;
		/** the person who caused it */
		readonly by?: {
			readonly user: string;
			/** cli, or the name of another front end */
			readonly how: string;
		};
		readonly max: number;
	}
	/** an agent changed the steps ahead */
	| {
		readonly event: "workflow_edited";
		/** milliseconds since 1970, UTC */
		readonly at: number;
		/** the number of the event in the journal, from 1 */
		readonly version: number;
		/** the id of a story, or @run */
		readonly scope: string;
		readonly step: string;
		readonly details: {
			readonly operation: "add_after" | "split" | "skip" | "reorder" | "edit_description" | "restart";
			readonly reason: string;
			readonly target_step_id?: string;
			readonly new_steps?: readonly {
				readonly id: string;
				readonly type: string;
				readonly description: string;
				/** the step that this one is a copy of */
				readonly origin?: string;
				readonly sender?: string;
			}[];
			readonly before?: unknown;
			readonly after?: unknown;
			readonly old_description?: string;
			readonly new_description?: string;
		};
		readonly order: readonly string[];
	}
	/** edits of an agent were refused */
	| {
		readonly event: "edit_rejected";
		/** milliseconds since 1970, UTC */
		readonly at: number;
		/** the number of the event in the journal, from 1 */
		readonly version: number;
		/** the id of a story, or @run */
		readonly scope: string;
		readonly step: string;
		readonly reasons: readonly string[];
	}
	/** a result came that no longer counts */
	| {
		readonly event: "attempt_ignored";
		/** milliseconds since 1970, UTC */
		readonly at: number;
		/** the number of the event in the journal, from 1 */
		readonly version: number;
		/** the id of a story, or @run */
		readonly scope: string;
		readonly step: string;
		readonly attempt: number;
		readonly reason: string;
	}
	/** what a session used */
	| {
		readonly event: "usage_recorded";
		/** milliseconds since 1970, UTC */
		readonly at: number;
		/** the number of the event in the journal, from 1 */
		readonly version: number;
		/** the id of a story, or @run */
		readonly scope: string;
		readonly step: string;
		readonly attempt: number;
		readonly usage: {
			/** US dollars; null: unknown, because the agent did not say */
			readonly costUsd: number | null;
			/** null: unknown, because the agent did not say */
			readonly inputTokens: number | null;
			/** null: unknown, because the agent did not say */
			readonly outputTokens: number | null;
		};
		readonly model?: string;
		/** a hash of what the agent was told */
		readonly prompt?: string;
	}
	/** a session did not report its cost, in a run with a cost limit */
	| {
		readonly event: "cost_unknown";
		/** milliseconds since 1970, UTC */
		readonly at: number;
		/** the number of the event in the journal, from 1 */
		readonly version: number;
		/** the id of a story, or @run */
		readonly scope: string;
		readonly step: string;
		readonly attempt: number;
		readonly role: string;
	}
	/** checks that pawl ran */
	| {
		readonly event: "checks_recorded";
		/** milliseconds since 1970, UTC */
		readonly at: number;
		/** the number of the event in the journal, from 1 */
		readonly version: number;
		/** the id of a story, or @run */
		readonly scope: string;
		readonly step: string;
		readonly attempt: number;
		readonly checks: readonly {
			readonly name: string;
			readonly command: string;
			/** null: it did not end by itself */
			readonly exitCode: number | null;
			/** the end of what it printed */
			readonly output: string;
			/** the git tree that it ran on */
			readonly tree?: string;
			/** it had passed on this tree before and was not run again */
			readonly reused?: true;
			readonly signal?: string;
			readonly said?: true;
			readonly unsaid?: true;
		}[];
	}
	/** something that pawl noticed, and perhaps corrected */
	| {
		readonly event: "remarked";
		/** milliseconds since 1970, UTC */
		readonly at: number;
		/** the number of the event in the journal, from 1 */
		readonly version: number;
		/** the id of a story, or @run */
		readonly scope: string;
		readonly step: string;
		readonly attempt: number;
		readonly text: string;
	}
	/** the work of a story on top of those in front of it */
	| {
		readonly event: "merge_stacked";
		/** milliseconds since 1970, UTC */
		readonly at: number;
		/** the number of the event in the journal, from 1 */
		readonly version: number;
		/** the id of a story, or @run */
		readonly scope: string;
		readonly step: string;
		readonly attempt: number;
		readonly commit: string;
		readonly onto: string;
		readonly behind?: string;
	}
	/** it cannot be merged on top of those in front of it */
	| {
		readonly event: "merge_unstacked";
		/** milliseconds since 1970, UTC */
		readonly at: number;
		/** the number of the event in the journal, from 1 */
		readonly version: number;
		/** the id of a story, or @run */
		readonly scope: string;
		readonly step: string;
		readonly attempt: number;
		readonly reason: string;
	}
	/** base is about to move to this commit */
	| {
		readonly event: "merge_announced";
		/** milliseconds since 1970, UTC */
		readonly at: number;
		/** the number of the event in the journal, from 1 */
		readonly version: number;
		/** the id of a story, or @run */
		readonly scope: string;
		readonly step: string;
		readonly attempt: number;
		readonly commit: string;
	}
	/** what follows from the signal of the step */
	| {
		readonly event: "route_taken";
		/** milliseconds since 1970, UTC */
		readonly at: number;
		/** the number of the event in the journal, from 1 */
		readonly version: number;
		/** the id of a story, or @run */
		readonly scope: string;
		readonly step: string;
		readonly signal: string;
		readonly action: string;
		readonly reason?: string;
	}
	/** the same findings as in the round before */
	| {
		readonly event: "converged";
		/** milliseconds since 1970, UTC */
		readonly at: number;
		/** the number of the event in the journal, from 1 */
		readonly version: number;
		/** the id of a story, or @run */
		readonly scope: string;
		readonly step: string;
		readonly findings: readonly {
			readonly key: string;
			readonly class: string;
			readonly text: string;
		}[];
	}
	/** a value of a report, for later prompts and readers */
	| {
		readonly event: "kept";
		/** milliseconds since 1970, UTC */
		readonly at: number;
		/** the number of the event in the journal, from 1 */
		readonly version: number;
		/** the id of a story, or @run */
		readonly scope: string;
		readonly step: string;
		readonly name: string;
		readonly text: string;
	}
	/** a decision of a person that counted */
	| {
		readonly event: "decided";
		/** milliseconds since 1970, UTC */
		readonly at: number;
		/** the number of the event in the journal, from 1 */
		readonly version: number;
		/** the id of a story, or @run */
		readonly scope: string;
		readonly step: string;
		/** the person who caused it */
		readonly by?: {
			readonly user: string;
			/** cli, or the name of another front end */
			readonly how: string;
		};
		readonly id: string | null;
		readonly verdict: "approve" | "reject" | "retry" | "answer" | "skip";
		readonly reason: string;
	};

/** What `pawl status --json` prints. New versions add keys, and change none. */
export type RunStatus = {
	readonly run: string;
	/** the number of events in the journal */
	readonly version: number;
	readonly workflow: string;
	readonly title: string;
	readonly status: "running" | "waiting" | "paused" | "completed" | "failed" | "stopped" | "limited" | "cancelled" | "refused";
	readonly reason: string | null;
	readonly stopping: "pause" | "cancel" | "interrupt" | null;
	/** the branch that the work is for */
	readonly base: string | null;
	/** its address */
	readonly pull_request: string | null;
	/** how many stories run at the same time */
	readonly agents: number;
	/** UTC, as 2026-04-01T10:15:00.000Z */
	readonly created_at: string | null;
	/** null until the run is over */
	readonly ended_at: string | null;
	readonly elapsed_ms: number;
	/** US dollars; null: unknown, because the agent did not say */
	readonly cost_usd: number | null;
	/** null: unknown, because the agent did not say */
	readonly input_tokens: number | null;
	/** null: unknown, because the agent did not say */
	readonly output_tokens: number | null;
	readonly sessions: number;
	/** sessions that did not report their cost */
	readonly unknown_cost_sessions: number;
	readonly budgets: { readonly [name: string]: {
		readonly limit: number;
		readonly spent: number;
		readonly per: "run" | "story" | "step";
		readonly story: string | null;
	} };
	/** steps that wait for a person */
	readonly waiting: readonly {
		readonly story: string | null;
		readonly step: string;
		readonly type: string;
		readonly reason: string;
	}[];
	/** why the run is in this state */
	readonly reasons: readonly {
		readonly kind: "failed" | "sent_back" | "again" | "postponed" | "waits" | "held" | "blocked" | "rejected_edit";
		/** milliseconds since 1970, UTC */
		readonly at: number;
		readonly story: string | null;
		readonly step: string | null;
		readonly type: string | null;
		readonly what: string;
		readonly reason: string;
		/** milliseconds since 1970, UTC */
		readonly until?: number;
		readonly output?: string;
	}[];
	readonly loop?: {
		readonly iteration: number;
		readonly max_iterations: number | null;
		readonly role: string | null;
		/** UTC, as 2026-04-01T10:15:00.000Z */
		readonly since: string | null;
		readonly held: string | null;
		readonly queue: readonly string[];
		readonly stories_passed: number | null;
		readonly stories_total: number | null;
		readonly story: string | null;
	};
	readonly progress?: {
		readonly percent: number;
		readonly stories_completed: number;
		readonly stories_total: number;
		readonly phases_completed?: number;
		readonly phases_total?: number;
		readonly eta_ms: number | null;
	};
	/** the run's own steps */
	readonly steps: readonly {
		readonly id: string;
		readonly type: string;
		readonly status: "pending" | "in_progress" | "waiting" | "completed" | "skipped" | "failed" | "cancelled";
		readonly description: string;
		/** the number of the newest attempt; 0 before the first */
		readonly attempt: number;
		/** how often it was tried; in a gate each try has an attempt for each member */
		readonly tries: number;
		/** who did the newest attempt, if pawl started its session */
		readonly agent: string | null;
		readonly model: string | null;
		readonly effort: string | null;
		readonly tier: string | null;
		readonly restart_count: number;
		/** UTC, as 2026-04-01T10:15:00.000Z */
		readonly started_at: string | null;
		/** UTC, as 2026-04-01T10:15:00.000Z */
		readonly completed_at: string | null;
		readonly elapsed_ms: number | null;
		/** the time that it waits for */
		readonly not_before: string | null;
		/** US dollars; null: unknown, because the agent did not say */
		readonly cost_usd: number | null;
		/** null: unknown, because the agent did not say */
		readonly input_tokens: number | null;
		/** null: unknown, because the agent did not say */
		readonly output_tokens: number | null;
		readonly notes: string | null;
		readonly error: string | null;
		readonly skip_reason: string | null;
	}[];
	readonly stories: readonly {
		readonly id: string;
		readonly title: string;
		readonly description: string;
		readonly acceptance_criteria: readonly string[];
		readonly status: "unclaimed" | "in_progress" | "completed" | "failed" | "blocked";
		/** the number of its worktree */
		readonly slot: number | null;
		readonly priority: number;
		readonly depends_on: readonly string[];
		/** UTC, as 2026-04-01T10:15:00.000Z */
		readonly claimed_at: string | null;
		/** UTC, as 2026-04-01T10:15:00.000Z */
		readonly completed_at: string | null;
		readonly elapsed_ms: number | null;
		/** US dollars; null: unknown, because the agent did not say */
		readonly cost_usd: number | null;
		/** null: unknown, because the agent did not say */
		readonly input_tokens: number | null;
		/** null: unknown, because the agent did not say */
		readonly output_tokens: number | null;
		readonly sessions: number;
		/** sessions that did not report their cost */
		readonly unknown_cost_sessions: number;
		readonly error: string | null;
		/** why it is settled although nothing was changed for it */
		readonly excused: string | null;
		/** a person took back what it delivered */
		readonly undone: boolean;
		readonly retry_count: number;
		readonly output: string | null;
		readonly current_step:
			| {
				readonly id: string;
				readonly type: string;
				readonly status: "pending" | "in_progress" | "waiting" | "completed" | "skipped" | "failed" | "cancelled";
				readonly description: string;
				/** the number of the newest attempt; 0 before the first */
				readonly attempt: number;
				/** how often it was tried; in a gate each try has an attempt for each member */
				readonly tries: number;
				/** who did the newest attempt, if pawl started its session */
				readonly agent: string | null;
				readonly model: string | null;
				readonly effort: string | null;
				readonly tier: string | null;
				readonly restart_count: number;
				/** UTC, as 2026-04-01T10:15:00.000Z */
				readonly started_at: string | null;
				/** UTC, as 2026-04-01T10:15:00.000Z */
				readonly completed_at: string | null;
				readonly elapsed_ms: number | null;
				/** the time that it waits for */
				readonly not_before: string | null;
				/** US dollars; null: unknown, because the agent did not say */
				readonly cost_usd: number | null;
				/** null: unknown, because the agent did not say */
				readonly input_tokens: number | null;
				/** null: unknown, because the agent did not say */
				readonly output_tokens: number | null;
				readonly notes: string | null;
				readonly error: string | null;
				readonly skip_reason: string | null;
			}
			| null;
		readonly steps: readonly {
			readonly id: string;
			readonly type: string;
			readonly status: "pending" | "in_progress" | "waiting" | "completed" | "skipped" | "failed" | "cancelled";
			readonly description: string;
			/** the number of the newest attempt; 0 before the first */
			readonly attempt: number;
			/** how often it was tried; in a gate each try has an attempt for each member */
			readonly tries: number;
			/** who did the newest attempt, if pawl started its session */
			readonly agent: string | null;
			readonly model: string | null;
			readonly effort: string | null;
			readonly tier: string | null;
			readonly restart_count: number;
			/** UTC, as 2026-04-01T10:15:00.000Z */
			readonly started_at: string | null;
			/** UTC, as 2026-04-01T10:15:00.000Z */
			readonly completed_at: string | null;
			readonly elapsed_ms: number | null;
			/** the time that it waits for */
			readonly not_before: string | null;
			/** US dollars; null: unknown, because the agent did not say */
			readonly cost_usd: number | null;
			/** null: unknown, because the agent did not say */
			readonly input_tokens: number | null;
			/** null: unknown, because the agent did not say */
			readonly output_tokens: number | null;
			readonly notes: string | null;
			readonly error: string | null;
			readonly skip_reason: string | null;
		}[];
	}[];
	/** the folder with the run's files */
	readonly files: string;
	/** work that was put back, below `files` */
	readonly diffs: readonly string[];
	/** a process drives the run */
	readonly driven: boolean;
	readonly driver:
		| {
			readonly who: string;
			/** UTC, as 2026-04-01T10:15:00.000Z */
			readonly since: string | null;
		}
		| null;
	/** why no worker works on it, where machines share it, and what to do */
	readonly unserved: string | null;
	/** UTC, as 2026-04-01T10:15:00.000Z */
	readonly last_sign_at: string | null;
	/** what the work went on in spite of, and what a new plan left out, by heading */
	readonly not_settled: { readonly [name: string]: readonly string[] };
	/** null until the run is over */
	readonly delivery:
		| {
			/** the branch of the whole run, if it has one */
			readonly branch: string | null;
			/** the branch that its work is for */
			readonly base: string | null;
			/** oldest first */
			readonly commits: readonly {
				readonly sha: string;
				readonly subject: string;
			}[];
			/** its address */
			readonly pull_request: string | null;
			/** the file with its text */
			readonly pull_request_text: string | null;
		}
		| null;
	/** files that were put aside as no part of the work, below `files` */
	readonly put_aside: readonly string[];
	/** where branches, tags and stashes of sessions are kept that were taken away again */
	readonly kept_refs: string | null;
	/** what sessions changed that they may not, and that was put back */
	readonly put_back: readonly string[];
	/** the types of the inputs that wait in the run's inbox */
	readonly recorded: readonly string[];
	/** steps that wait for their agent to claim them */
	readonly unclaimed: readonly {
		readonly story: string | null;
		readonly step: string;
		readonly agent: string;
	}[];
	/** stories on their way to base, in the order of their turns */
	readonly merging: readonly {
		readonly story: string;
		readonly step: string;
		readonly status: "pending" | "in_progress" | "waiting" | "completed" | "skipped" | "failed" | "cancelled";
		/** UTC, as 2026-04-01T10:15:00.000Z */
		readonly not_before: string | null;
		/** UTC, as 2026-04-01T10:15:00.000Z */
		readonly since: string | null;
		/** what it is checked as */
		readonly commit: string | null;
		/** the story that it is checked on top of; null: base */
		readonly behind: string | null;
		readonly problem: string | null;
	}[];
	/** what a person can do now */
	readonly advice: readonly {
		readonly text: string;
		readonly commands: readonly string[];
		readonly note?: string;
	}[];
};
