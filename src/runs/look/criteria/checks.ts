// The checks of a run in the order in which they ended, and which of them were not run because they had passed on the same files before.
import type { Event } from "../../../core/event.ts";
import { RUN_SCOPE, type RunState } from "../../../core/model.ts";
import { findStep } from "../../../core/query.ts";
import type { RunsContext } from "../../context.ts";
import { lookAt } from "../../open.ts";
import { iso } from "../json-values.ts";

export type ChecksView = ReturnType<typeof checksView>;

export function checksOf(c: RunsContext, run: string | undefined): Promise<ChecksView> {
	return lookAt(c, run, ({ state, events }) => checksView(state, events));
}

export function checksView(state: RunState, events: readonly Event[]) {
	const checks = events.flatMap((event) => {
		if (event.event !== "checks_recorded") return [];
		const { scope, step, attempt, at } = event;
		const where = {
			at: iso(at),
			story: scope === RUN_SCOPE ? null : scope,
			step,
			type: findStep(state, scope, step)?.type ?? null,
			attempt,
		};
		// What a report said about itself is no check.
		return event.checks
			.filter(({ said }) => said === undefined)
			.map(({ name, command, exitCode, tree, reused }) => ({
				...where,
				check: name,
				command,
				exit_code: exitCode,
				reused: reused ?? false,
				tree: tree ?? null,
			}));
	});
	const reused = checks.filter((one) => one.reused).length;
	return { run: state.id, ran: checks.length - reused, reused, checks };
}
