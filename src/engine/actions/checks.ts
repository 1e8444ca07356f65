// The action `checks`: runs every check of the run on exactly the tree that is about to be delivered, and what else the format of the run
// wants to hold there.
import type { CheckResult } from "../../core/input.ts";
import { RUN_SCOPE } from "../../core/model.ts";
import { type Action, EVERY_CHECK, type Format } from "../../format.ts";
import { failuresIn } from "../attempt/undisturbed.ts";

/** `more`: asked for the steps of the run itself, which deliver all of it. */
export const checksWith =
	(more: NonNullable<Format["deliveryChecks"]>): Action =>
	async (context) => {
		const { workspace, check, undisturbed, scope } = context;
		const results = await undisturbed(async (): Promise<readonly CheckResult[]> => {
			const ran = await check([EVERY_CHECK], workspace.path);
			return scope === RUN_SCOPE ? [...ran, ...((await more(context, ran)) ?? [])] : ran;
		});
		const failures = failuresIn(results);
		if (failures.length > 0) return { signal: "checks_failed", checks: results, error: failures.join("\n\n") };
		return { signal: "done", checks: results, notes: results.length === 0 ? null : `passed: ${results.map((one) => one.name).join(", ")}` };
	};
