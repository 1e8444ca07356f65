// The action `checks`: runs every check of the run on exactly the tree that is about to be delivered.
import { join } from "node:path";
import { type Action, EVERY_CHECK } from "../../format.ts";
import { failuresIn, undisturbed } from "../attempt/undisturbed.ts";

export const checks: Action = async ({ workspace, check, sharedDir, scope, step, attempt, warn }) => {
	const keptAs = join(sharedDir, "checks", `${scope}-${step.id}.diff`);
	const results = await undisturbed(workspace, { keptAs, attempt, warn }, () => check([EVERY_CHECK], workspace.path));
	const failures = failuresIn(results);
	if (failures.length > 0) return { signal: "checks_failed", checks: results, error: failures.join("\n\n") };
	return { signal: "done", checks: results, notes: results.length === 0 ? null : `passed: ${results.map((one) => one.name).join(", ")}` };
};
