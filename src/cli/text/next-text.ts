// What a person can do with a run that has come to a halt.
import type { RunState } from "../../core/model.ts";
import { failedStep } from "../../core/query.ts";
import { loopView } from "../../runs/look/run-view.ts";
import { recoveryText } from "../../runs/recovery.ts";

/** Empty where there is nothing to do. */
export function nextText(state: RunState): string {
	const { id, status } = state;
	const never = state.definition.resume === "never";
	const recovery = never && status !== "completed" ? recoveryText(state) : null;
	if (recovery !== null) return status === "refused" ? "" : `\n${recovery}\n`;
	if (status === "waiting")
		return `a person decides: pawl approve ${id}, pawl retry ${id} or pawl reject ${id} --reason "…"\nthen go on with: pawl resume ${id}\n`;
	if (status === "stopped" && isUsedUp(state)) return `go on with: pawl extend ${id} --max-iterations N, then pawl resume ${id}\n`;
	if (status === "paused" || status === "stopped" || status === "limited") return `go on with: pawl resume ${id}\n`;
	if (status !== "failed") return "";
	if (state.stories.some((s) => s.status === "failed")) return `try the failed story again with: pawl retry ${id}\n`;
	return failedStep(state) !== undefined && !never ? `try the step that failed again with: pawl retry ${id}\n` : "";
}

/** The loop has had all of its iterations: a resume alone would end at once. */
function isUsedUp(state: RunState): boolean {
	const { loop } = loopView(state);
	return loop !== undefined && loop.max_iterations !== null && loop.iteration >= loop.max_iterations;
}
