// A person's verdict on a step that waits: which one is meant, and its delivery.
import { RUN_SCOPE, type RunState, type Step } from "../core/model.ts";
import { waitingSteps } from "../core/query.ts";
import { CliError, type Context } from "./context.ts";
import { deliver, steer, told } from "./steering.ts";

export async function decide(
	c: Context,
	name: string | undefined,
	step: string | undefined,
	verdict: "approve" | "reject",
	reason: string,
	json: boolean,
): Promise<void> {
	await steer(c, name, async ({ store, state }) => {
		const target = targetOf(state, step);
		const delivery = await deliver(c, store, state.id, {
			type: "decide",
			at: c.now(),
			scope: target.scope,
			step: target.step.id,
			verdict,
			reason,
		});
		told(c, store, state.id, `${nameOf(target)} ${verdict === "approve" ? "approved" : "rejected"}`, delivery, json);
	});
}

export interface Target {
	readonly scope: string;
	readonly step: Step;
}

const nameOf = ({ scope, step }: Target): string => `${scope === RUN_SCOPE ? "" : `${scope} `}${step.id} (${step.type})`;

/** By id, by type or by story; where nothing is named, the only one. */
export function targetOf(state: RunState, wanted: string | undefined): Target {
	const waiting = waitingSteps(state);
	if (waiting.length === 0) throw new CliError(`nothing in run ${state.id} waits for a person; it is ${state.status}`);
	const [first, ...more] =
		wanted === undefined
			? waiting
			: waiting.filter(({ scope, step }) => [step.id, step.type, scope, `${scope}/${step.id}`].includes(wanted));
	const list = waiting.map(nameOf).join(", ");
	if (first === undefined) throw new CliError(`${wanted} does not wait for a person; what does: ${list}`);
	if (more.length > 0) throw new CliError(`which one? ${list}. Name it as STORY/STEP`);
	return first;
}
