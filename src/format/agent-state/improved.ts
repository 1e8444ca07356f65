// The evidence `improved`: whoever says that a finding is repaired has changed something.
import { readAnswers } from "../../core/criterion.ts";
import type { CheckResult } from "../../core/input.ts";
import type { Evidence } from "../../format.ts";

const KEY = "CRITERIA";

export const improved: Evidence = async ({ point, workspace, step, repository }, said) => {
	if (said.signal !== "done" || point === null) return [];
	const repaired = [...readAnswers(said.fields[KEY] ?? "")].filter(([, holds]) => holds).map(([key]) => key);
	if (repaired.length === 0 || (await workspace.point()).tree !== point.tree) return [];
	// An attempt before this one may have repaired it, and sent a report that could not be read.
	const first = step.firstCommit ?? point.commit;
	if (first !== point.commit && (await repository.changedPaths(first, point.commit)).length > 0) return [];
	const output = `the report says that ${repaired.join(", ")} is repaired, but no file was changed: repair it, or say \`false\` and refuse it with a reason`;
	const result: CheckResult = { name: "findings", command: KEY, exitCode: 1, output, said: true };
	return [result];
};
