// Checks that cannot pass, through no fault of the agent, and that a person approved as they are: their failure no longer counts.
import type { CheckResult } from "../input.ts";
import type { AcceptedCheck, Scope } from "../model.ts";

export const isSameCheck = (one: AcceptedCheck, other: AcceptedCheck): boolean => one.name === other.name && one.command === other.command;

export const isAccepted = (scope: Scope | undefined, check: AcceptedCheck): boolean =>
	(scope?.accepted ?? []).some((one) => isSameCheck(one, check));

/** The failed ones that count. */
export const failedIn = (scope: Scope | undefined, checks: readonly CheckResult[]): CheckResult[] =>
	checks.filter((check) => check.exitCode !== 0 && !isAccepted(scope, check));
