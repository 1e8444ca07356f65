// A person says that a usage limit is over: what waits for its end goes on.
import { allScopes, isOver } from "../query.ts";
import type { Decision } from "./decision.ts";

export function wake(d: Decision): void {
	if (isOver(d.state.status)) return;
	for (const { id: scope, steps } of allScopes(d.state))
		for (const { id: step, status, postponed, notBefore, attempt } of steps)
			if (status === "pending" && postponed > 0 && notBefore !== null && notBefore > d.at)
				d.emit({ event: "step_postponed", scope, step, attempt, until: d.at, reason: "a person says that the usage limit is over" });
}
