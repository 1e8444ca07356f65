// What shows that the work of a run is done, for its pull request: the same lines that a receipt has.
import type { Event } from "../../core/event.ts";
import { RUN_SCOPE, type RunState } from "../../core/model.ts";
import type { DeliveryProof } from "../../format.ts";
import { spentInAll, spentJson } from "../look/spent.ts";
import { type Receipt, receiptOf } from "./receipt.ts";
import { checkLines, costText, criteriaLines } from "./receipt-text.ts";

export function proofOf(state: RunState, events: readonly Event[]): DeliveryProof {
	const receipts = [...state.stories.map(({ id }) => id), RUN_SCOPE].map((scope) => ({
		scope,
		receipt: receiptOf(state, events, scope, []),
	}));
	/** Check → how it ended where it ran last: in the run's own steps, else in a story. */
	const checks = new Map<string, Receipt["checks"][number]>();
	for (const { receipt } of receipts) for (const check of receipt.checks) checks.set(check.check, check);
	return {
		criteria: new Map(receipts.map(({ scope, receipt }) => [scope, criteriaLines(receipt)])),
		checks: checkLines({ checks: [...checks.values()] }),
		cost: costText({ cost: spentJson(spentInAll(events, state)) }),
	};
}
