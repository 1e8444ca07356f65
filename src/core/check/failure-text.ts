// A failed check in one sentence: for the reason of a route, for people, and to find that sentence again where the check is shown in full.
import type { CheckResult } from "../input.ts";

type Failure = Pick<CheckResult, "name" | "command" | "exitCode" | "output" | "said">;

/** null: all of them passed. */
export function failedChecks({ checks = [] }: { readonly checks?: readonly CheckResult[] }): string | null {
	const failed = checks.filter((c) => c.exitCode !== 0);
	return failed.length === 0 ? null : failed.map(failureText).join("; ");
}

export const failureText = ({ name, command, exitCode, output, said }: Failure): string =>
	said ? `${name}: ${output}` : `check ${name} failed: \`${command}\` ${howItEnded(exitCode)}`;

function howItEnded(exitCode: number | null): string {
	if (exitCode === null) return "could not be run to its end";
	const why = exitCode === 127 ? " (there is no such command)" : exitCode === 126 ? " (that cannot be executed)" : "";
	return `exited ${exitCode}${why}`;
}

const SHOWN = 2000;

/** With its command and the end of its output, for an error that has to say all of it. */
export const failureWithOutput = ({ name, command, exitCode, output }: Failure): string =>
	`${name}: \`${command}\` ${exitCode === null ? "did not end" : `exited ${exitCode}`}\n${output.slice(-SHOWN)}`;
