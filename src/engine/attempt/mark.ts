// Names of an attempt outside of the journal: the mark by which the processes it started are found, and its log.
import { RUN_SCOPE } from "../../core/model.ts";
import type { AttemptId } from "./live-attempt.ts";

/** Made of ids only, so that a later engine can find it. */
export const markOf = (run: string, a: AttemptId): string => `${run}:${a.scope}:${a.step}:${a.attempt}`;

/** Relative to the run's folder. */
export const logOf = (scope: string, step: string): string => `logs/${scope === RUN_SCOPE ? "run" : scope}/${step}.jsonl`;
