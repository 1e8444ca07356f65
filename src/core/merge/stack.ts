// A merge says what it would put on base. The others rely on it, so it counts only if it is on top of what stands in front of it now.
import type { Decision } from "../decide/decision.ts";
import type { Input } from "../input.ts";
import { attemptOf } from "../query.ts";
import { isOn, turnOf } from "./queue.ts";

export function takeStack(d: Decision, input: Extract<Input, { type: "merge_stacked" | "merge_unstacked" }>): void {
	const { scope, step, attempt } = input;
	if (!attemptOf(d.step(scope, step), attempt)) return d.emit({ event: "attempt_ignored", scope, step, attempt, reason: "not under way" });
	if (input.type === "merge_unstacked") return d.emit({ event: "merge_unstacked", scope, step, attempt, reason: input.reason });
	const { commit, onto, behind } = input;
	// What was in front has changed meanwhile: the merge notices, and begins again.
	if (!isOn(turnOf(d.state, scope), behind ?? null, onto)) return;
	d.emit({ event: "merge_stacked", scope, step, attempt, commit, onto, ...(behind === undefined ? {} : { behind }) });
}
