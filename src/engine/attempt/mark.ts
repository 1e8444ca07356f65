// The names of an attempt outside of the journal: the mark by which everything that it started is found, and its log.
import { RUN_SCOPE } from "../../core/model.ts";
import type { AttemptId } from "./live-attempt.ts";

/** Made from ids only, so that a later engine can look for it. */
export const markOf = (run: string, a: AttemptId): string => `${run}:${a.scope}:${a.step}:${a.attempt}`;

/** Below the run's folder. */
export const logOf = (scope: string, step: string): string => `logs/${scope === RUN_SCOPE ? "run" : scope}/${step}.jsonl`;
