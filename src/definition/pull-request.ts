// `--pr`: a run of any workflow ends in a pull request. A workflow that opens one itself stays as it is; to another one the step is added, behind its
// last checks. One that delivers its work in a way of its own has to stay with that.
import type { Definition, Route, StepType } from "../core/definition.ts";
import { plainType } from "./delivery.ts";

export const PULL_REQUEST = "forge.pull-request";

const TIMEOUT_MS = 15 * 60_000;
/** Waits grow to 15 minutes: a network that is away for some hours. */
const MOST_WAITS = 20;

export function withPullRequest(definition: Definition): Definition | { readonly problem: string } {
	const { types, steps } = definition;
	const own = steps.flatMap((step) => types[step.type] ?? []);
	if (own.some(({ action }) => action === PULL_REQUEST)) return definition;
	const delivers = own.find((type) => type.delivers);
	if (delivers !== undefined)
		return { problem: `the workflow ${definition.name} delivers its work itself (step ${delivers.name}) and opens no pull request` };
	// Checks stand behind whatever may write (delivery.ts).
	if (!own.some((type) => type.proves))
		return { problem: `the workflow ${definition.name} changes no file: there is nothing to put into a pull request` };
	const name = Object.hasOwn(types, "pull_request") ? "asked.pull_request" : "pull_request";
	return { ...definition, steps: [...steps, { type: name }], types: { ...types, [name]: requestType(name) } };
}

/** The work is done whatever becomes of the request: nothing fails the run. */
function requestType(name: string): StepType {
	const person: Route = { action: "wait", target: "person" };
	const again: Route = { action: "retry", max: 1, per: "row", exhausted: person };
	return {
		...plainType(name, "Open the pull request"),
		kind: "action",
		action: PULL_REQUEST,
		timeoutMs: TIMEOUT_MS,
		byEngine: true,
		delivers: true,
		asked: true,
		routes: {
			done: { action: "next" },
			...Object.fromEntries(["agent_error", "timeout", "lost", "workspace_error"].map((signal) => [signal, again])),
			refused: person,
			empty: person,
			unavailable: unavailableRoute,
		},
	};
}

/** The network or the forge does not answer: that passes. */
export const unavailableRoute: Route = {
	action: "wait",
	target: "time",
	max: MOST_WAITS,
	per: "step",
	exhausted: { action: "wait", target: "person" },
};
