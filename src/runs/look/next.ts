// What a person can do with a run that does not continue by itself: only commands that work for this run in its current state.
import { exceeded, heldUp, unknownCost } from "../../core/decide/budget.ts";
import { routeOf } from "../../core/definition.ts";
import { RUN_SCOPE, type RunState, type Step } from "../../core/model.ts";
import { failedByAccount, failedStep, isOver, waitingSteps } from "../../core/query.ts";
import { recoveryText } from "../recovery.ts";
import { loopView } from "./run-view.ts";

export interface Advice {
	/** What the commands do. */
	readonly text: string;
	readonly commands: readonly string[];
	/** What else to know before choosing one of them. */
	readonly note?: string;
}

/** `driven`: some process drives the run, so it needs only an answer. `left`: something that pawl had decided is not carried out yet. */
export function adviceFor(state: RunState, driven: boolean, left = false): Advice[] {
	const { id, status } = state;
	// pawl was killed at the very end: worktrees and branches may still be there.
	if (left && !driven && isDone(state) && state.definition.resume !== "never")
		return [{ text: "pawl was killed before it had cleared up; clear up with", commands: [`pawl resume ${id}`] }];
	const held = status === "waiting" || (status === "running" && driven) ? raiseHeld(state) : [];
	if (status === "waiting" || (status === "running" && waitingSteps(state).length > 0)) return [...held, ...answers(state, driven)];
	if (held.length > 0) return held;
	if (driven || status === "completed" || status === "refused") return [];
	if (state.definition.resume === "never") return recovery(state);
	if (isDone(state)) return [];
	const flag = status === "stopped" ? usedUp(state) : null;
	if (flag !== null)
		return [
			{ text: "raise the limit with", commands: [`pawl extend ${id} ${flag}`] },
			{ text: "then continue with", commands: [`pawl resume ${id}`] },
		];
	if (!isOver(status) || (status === "failed" && byAccount(state))) return [{ text: "continue with", commands: [`pawl resume ${id}`] }];
	return canRetry(state) ? [{ text: `try ${whatFailed(state)} again with`, commands: [`pawl retry ${id}`] }] : [];
}

/** The rest of the run goes on, or waits for something else. */
function raiseHeld(state: RunState): Advice[] {
	const held = heldUp(state);
	return held === null ? [] : [{ text: `${held.text}; raise it with`, commands: [`pawl extend ${state.id} ${raising(held.budgets)}`] }];
}

const isDone = ({ status }: RunState): boolean => status === "completed" || status === "cancelled" || status === "refused";

/** The text of the workflow, with the commands that it names. */
function recovery(state: RunState): Advice[] {
	const text = recoveryText(state);
	return text === null ? [] : [{ text, commands: [] }];
}

function answers(state: RunState, driven: boolean): Advice[] {
	const { id } = state;
	const waiting = waitingSteps(state);
	// What is advised is never refused.
	const again = state.definition.resume !== "never" && waiting.some(({ step }) => !isAnswered(state, step));
	return [
		...waiting.map(({ scope, step }) => {
			const name = waiting.length === 1 ? "" : ` ${scope === RUN_SCOPE ? step.id : `${scope}/${step.id}`}`;
			if (step.question?.asks === true)
				return {
					text: waiting.length === 1 ? "answer with" : `answer ${step.type}${scope === RUN_SCOPE ? "" : ` of ${scope}`} with`,
					commands: [`pawl answer ${id} "…"${name === "" ? "" : ` --step${name}`}`, `pawl approve ${id}${name}`],
					note: "approve lets it decide by itself",
				};
			return {
				text: waiting.length === 1 ? "answer with" : `answer ${step.type}${scope === RUN_SCOPE ? "" : ` of ${scope}`} with`,
				commands: [`pawl approve ${id}${name}`, `pawl reject ${id}${name} --reason "…"`],
				note: `reject ${rejecting(state, scope, step)}`,
			};
		}),
		...(again ? [{ text: "or let it be tried again with", commands: [`pawl retry ${id}`] }] : []),
		...(again && hears(state) ? [{ text: "say first how it should be done with", commands: [`pawl steer ${id} "…"`] }] : []),
		...(driven || state.definition.resume === "never"
			? []
			: [{ text: "then continue with (or add --resume to the answer)", commands: [`pawl resume ${id}`] }]),
	];
}

/** A question: nobody would only try it again. */
const isAnswered = ({ definition }: RunState, { type, question }: Step): boolean =>
	definition.types[type]?.kind === "approval" || question?.asks === true;

/** Agents of a loop may read a prompt of their own, in which nothing is added. */
const hears = ({ definition }: RunState): boolean =>
	!Object.values(definition.types).some(({ loop }) => Object.values(loop?.roles ?? {}).some(({ raw }) => raw !== undefined));

/** What a rejection leads to. */
function rejecting({ id, definition }: RunState, scope: string, step: Step): string {
	const type = definition.types[step.type];
	const route = type?.kind === "approval" ? routeOf(type, "rejected") : undefined;
	if (route !== undefined && route.action !== "fail" && route.action !== "abort") return `leads to ${route.target ?? route.action}`;
	const again = definition.resume === "never" ? "" : `; pawl retry ${id} opens it again`;
	const fails = route === undefined ? scope !== RUN_SCOPE : route.action === "fail" && route.target === "story";
	return fails ? `fails the story${again}` : `ends the run as failed${again}`;
}

/** `pawl retry` takes it. */
const canRetry = (state: RunState): boolean =>
	state.status === "failed" &&
	!state.aborting &&
	(state.stories.some((s) => s.status === "failed") || failedStep(state) !== undefined || (state.lost ?? []).length > 0);

const whatFailed = (state: RunState): string => {
	const failed = state.stories.filter((s) => s.status === "failed").length;
	if (failed === 0 && failedStep(state) === undefined) return "the look at base";
	return failed === 0 ? "the step that failed" : failed === 1 ? "the failed story" : "the failed stories";
};

/** The account lacked something (a login, money); once it has that, `pawl resume` continues. */
const byAccount = (state: RunState): boolean => {
	const { stories, root } = failedByAccount(state);
	return stories.length > 0 || root !== null;
};

const RAISE: Readonly<Record<string, string>> = { cost: "--max-cost USD", time: "--max-time DURATION", iterations: "--max-iterations N" };

/** The flags of `pawl extend` that raise these limits. */
export const raising = (budgets: readonly string[]): string => budgets.map((name) => RAISE[name] ?? `--budget ${name}=N`).join(" ");

/** The flags of the limits that are reached: a resume alone would end at once. */
export function usedUp(state: RunState): string | null {
	const { loop } = loopView(state);
	if (loop !== undefined && loop.max_iterations !== null && loop.iteration >= loop.max_iterations) return "--max-iterations N";
	// A stopped run uses no time.
	const over = exceeded(state, state.idleSince ?? state.createdAt);
	if (over === null && unknownCost(state) !== null) return "--allow-unknown-cost";
	return over === null ? null : raising(over.budgets);
}
