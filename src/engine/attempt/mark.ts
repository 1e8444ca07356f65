// Names of an attempt outside of the journal: the mark by which the processes it started are found, and its log.
import { join } from "node:path";
import { RUN_SCOPE } from "../../core/model.ts";
import type { AttemptId, LiveAttempt } from "./live-attempt.ts";

/** Made of ids only, so that a later engine can find it. */
export const markOf = (run: string, a: AttemptId): string => `${run}:${a.scope}:${a.step}:${a.attempt}`;

/** Relative to the run's folder. */
export const logOf = (scope: string, step: string): string => `logs/${scope === RUN_SCOPE ? "run" : scope}/${step}.jsonl`;

/** The same for one attempt, on a machine from which logs travel in pieces: nothing else writes there. */
export const attemptLog = ({ scope, step, attempt }: AttemptId): string =>
	`attempts/${scope === RUN_SCOPE ? "run" : scope}/${step}-${attempt}.jsonl`;

export const logFileOf = ({ parts, scope, step, attempt }: Pick<LiveAttempt, "parts" | "scope" | "step" | "attempt">): string =>
	join(parts.sharedDir, parts.ownLogs ? attemptLog({ scope, step: step.id, attempt }) : logOf(scope, step.id));
