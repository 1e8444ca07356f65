// The action `checks`: runs every check of the run on exactly the tree that is about to be delivered.
import { type Action, EVERY_CHECK } from "../../format.ts";
import { failuresIn } from "../attempt/undisturbed.ts";

export const checks: Action = async ({ workspace, check, undisturbed }) => {
	const results = await undisturbed(() => check([EVERY_CHECK], workspace.path));
	const failures = failuresIn(results);
	if (failures.length > 0) return { signal: "checks_failed", checks: results, error: failures.join("\n\n") };
	return { signal: "done", checks: results, notes: results.length === 0 ? null : `passed: ${results.map((one) => one.name).join(", ")}` };
};
