// Tells the agents of a run something: every step that starts from now on reads it.
import type { RunsContext } from "../context.ts";
import { Refusal } from "../refusal.ts";
import { type Delivered, deliverTo, refuseOver } from "./deliver.ts";

export function steer(c: RunsContext, run: string, text: string): Promise<Delivered> {
	return deliverTo(c, run, (state) => {
		if (text.trim() === "") throw new Refusal("invalid", "the text is empty");
		refuseOver(state, "steer");
		const deaf = c.services.deaf(state);
		if (deaf !== null) throw new Refusal("refused", `run ${state.id} cannot be told anything: ${deaf}`);
		return { input: { type: "steer", at: c.now(), text }, about: {} };
	});
}
