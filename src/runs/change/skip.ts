// A person skips a step of a story, with a reason.
import { randomUUID } from "node:crypto";
import { whyNotSkip } from "../../core/decide/skip.ts";
import { RUN_SCOPE } from "../../core/model.ts";
import { findScope } from "../../core/query.ts";
import type { RunsContext } from "../context.ts";
import { Refusal } from "../refusal.ts";
import { type Delivered, deliverTo } from "./deliver.ts";

export interface Skipping {
	readonly run: string;
	/** A story's id; `run` for a step of the run itself. */
	readonly story: string;
	/** Its id, or its type: then the first one that can be skipped. */
	readonly step: string;
	readonly reason: string;
}

export interface Skipped extends Delivered {
	readonly step: string;
}

export function skip(c: RunsContext, { run, story, step: wanted, reason }: Skipping): Promise<Skipped> {
	return deliverTo(c, run, (state) => {
		if (reason.trim() === "") throw new Refusal("invalid", "a reason is needed: the next agent of the story reads it");
		const scope = story === "run" ? RUN_SCOPE : story;
		const known = findScope(state, scope);
		if (known === undefined)
			throw new Refusal(
				"not_found",
				`run ${state.id} has no story ${story}; there are ${state.stories.map((s) => s.id).join(", ") || "none"}`,
			);
		const named = known.steps.filter((s) => s.id === wanted || s.type === wanted);
		const step = named.find((s) => whyNotSkip(state, scope, s) === null) ?? named[0];
		if (step === undefined)
			throw new Refusal(
				"not_found",
				`${story} has no step ${wanted}; there are ${known.steps.map((s) => `${s.id} (${s.type})`).join(", ") || "none yet"}`,
			);
		const why = whyNotSkip(state, scope, step);
		if (why !== null) throw new Refusal("refused", `${step.id} (${step.type}) of ${story} cannot be skipped: ${why}`);
		return {
			input: { type: "skip_step", at: c.now(), id: randomUUID(), scope, step: step.id, reason },
			about: { step: `${story} ${step.id} (${step.type})` },
		};
	});
}
