// In which order checks run. Those that failed last come first: after a repair they say soonest whether it worked. While one of them still
// fails the work goes back anyway, so the others are not run; nothing is delivered before all of them have passed.
import type { CheckResult } from "../input.ts";
import type { Scope } from "../model.ts";
import { failedIn, isAccepted } from "./accepted.ts";

interface Named {
	readonly name: string;
	readonly command: string;
}

export interface CheckOrder<T extends Named> {
	readonly first: readonly T[];
	readonly rest: readonly T[];
}

export function failedFirst<T extends Named>(scope: Scope | undefined, checks: readonly T[]): CheckOrder<T> {
	const failing = (scope?.failing ?? []).filter((one) => one.said === undefined && one.signal === undefined);
	const isFirst = (check: T): boolean => failing.some(({ name }) => name === check.name) && !isAccepted(scope, check);
	return { first: checks.filter(isFirst), rest: checks.filter((check) => !isFirst(check)) };
}

/** Whether the rest need not run: what failed before fails again. */
export const stillFails = (scope: Scope | undefined, first: readonly CheckResult[]): boolean => failedIn(scope, first).length > 0;
