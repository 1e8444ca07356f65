// One attempt from its beginning to its outcome, in this process. A session that somebody else runs differs in one thing only: who
// answers the prompt (see pull.ts).
import type { Outcome } from "../../core/input.ts";
import type { Usage } from "../../core/model.ts";
import { attemptOf, findStep } from "../../core/query.ts";
import { WorkspaceError } from "../../workspace.ts";
import { whenThere } from "../remote-away.ts";
import type { Tools } from "../tools.ts";
import { runAction } from "./action.ts";
import { runCommand } from "./command.ts";
import { judge } from "./judge.ts";
import { settleSession } from "./kept-session.ts";
import { NOTHING, STEP_IS_GONE, type StartAttempt, waitOf } from "./live-attempt.ts";
import { markOf } from "./mark.ts";
import { prepareAttempt, typeOfEffect } from "./prepare.ts";
import { promptOf } from "./prompt.ts";
import type { Seat } from "./round.ts";
import { runSession } from "./session.ts";

/** What a session has used, also one that is cancelled. */
export interface Spent {
	usage?: Usage;
}

/** null: it was cancelled. */
export async function runAttempt(
	tools: Tools,
	effect: StartAttempt,
	signal: AbortSignal,
	seat?: Seat,
	spent: Spent = {},
): Promise<Outcome | null> {
	return orWorkspaceError(async () => {
		const type = typeOfEffect(tools, effect);
		const step = findStep(tools.run.state, effect.scope, effect.step);
		if (!step || !type || !isUnderWay(tools, effect)) return STEP_IS_GONE;
		if (signal.aborted) return null;
		if (type.kind !== "gate") seat?.leave();
		if (type.kind === "action") return whenThere(waitOf(tools, effect, signal), () => actionOf(tools, effect, signal));
		// Opening the checkout is all that needs other machines' work, and what comes after it is not to be done twice.
		const checkout = await whenThere(waitOf(tools, effect, signal), () => tools.workspaces.of(tools.run.state, effect.scope));
		if (checkout === null) return null;
		const live = await prepareAttempt({ tools, effect, type, signal, seat });
		// A process that died may have left one member of a gate begun and this one not: the round is over once the first is reported as lost.
		if (!isUnderWay(tools, effect)) return STEP_IS_GONE;
		if (type.kind === "command") return runCommand(live);
		const prompt = await promptOf(live);
		await seat?.ready();
		const answer = await runSession(live, prompt);
		spent.usage = answer.outcome.usage;
		const end = () => judge(live, prompt, answer);
		const outcome = await (seat ? seat.inTurn(end) : end());
		settleSession(live, answer.agent ?? "", outcome);
		const { model } = answer.outcome;
		return outcome === null || model === null ? outcome : { ...outcome, model };
	});
}

/** With the run as it is by now: a merge that is tried again has to know what it has announced. */
async function actionOf(tools: Tools, effect: StartAttempt, signal: AbortSignal): Promise<Outcome | null> {
	const { parts, run, workspaces } = tools;
	const { scope, attempt } = effect;
	const step = findStep(run.state, scope, effect.step);
	if (!step || !isUnderWay(tools, effect)) return STEP_IS_GONE;
	const workspace = await workspaces.of(run.state, scope);
	return runAction({ parts, tools, state: run.state, scope, step, attempt, workspace, mark: markOf(run.id, effect), signal });
}

/** No session is started for an attempt whose result would be ignored. */
const isUnderWay = ({ run }: Tools, { scope, step, attempt }: StartAttempt): boolean =>
	attemptOf(findStep(run.state, scope, step), attempt) !== undefined;

/** A problem with the checkout is an outcome of the attempt; any other error is the engine's. */
export async function orWorkspaceError(work: () => Promise<Outcome | null>): Promise<Outcome | null> {
	try {
		return await work();
	} catch (error) {
		if (error instanceof WorkspaceError) return { ...NOTHING, signal: "workspace_error", error: error.message };
		throw error;
	}
}
