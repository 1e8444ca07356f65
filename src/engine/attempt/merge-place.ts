// The place of a merge in the queue of its run, as the journal says at each moment.
import { type Turn, turnOf } from "../../core/merge/queue.ts";
import { attemptOf, findStep, storySlots } from "../../core/query.ts";
import { startedWith } from "../../core/started-with.ts";
import type { MergePlace } from "../../format.ts";
import type { ContextOf } from "./step-context.ts";

/** null: merges are made one after the other. */
export function mergePlaceOf({ state, tools: { run }, parts, scope, step, attempt, signal }: ContextOf): MergePlace | null {
	if (startedWith(state).serialMerges || storySlots(state).length < 2) return null;
	const now = (): Turn => turnOf(run.state, scope);
	const isOf = (turn: Turn): boolean => JSON.stringify(now()) === JSON.stringify(turn);
	const stopped = new Promise<void>((stop) => signal.addEventListener("abort", () => stop(), { once: true }));
	const after = async (turn: Turn): Promise<Turn> => {
		while (!signal.aborted && isOf(turn)) await Promise.race([run.changed(), stopped]);
		return now();
	};
	const noted = (): string | null => attemptOf(findStep(run.state, scope, step.id), attempt)?.stack?.commit ?? null;
	const of = { scope, step: step.id, attempt };
	return {
		turn: async () => (now().turn === "wait" ? after({ turn: "wait" }) : now()),
		after,
		stacked: async (commit, onto, behind) => {
			if (noted() !== commit)
				await run.feed({
					type: "merge_stacked",
					at: parts.clock.now(),
					...of,
					commit,
					onto,
					...(behind === null ? {} : { behind }),
				});
			parts.crashPoint?.("stacked merge");
			return noted() === commit;
		},
		unstacked: async (reason) => {
			if (!signal.aborted) await run.feed({ type: "merge_unstacked", at: parts.clock.now(), ...of, reason });
		},
	};
}
