// The beginning of an attempt: open its checkout, note the commit it starts from, set aside an edit file that is not its own, commit
// `attempt_prepared`, and let the keeper prepare its files. The same for sessions that pawl starts and for those that are claimed.
import type { StepType } from "../../core/definition.ts";
import type { Step } from "../../core/model.ts";
import { findStep, typeOf } from "../../core/query.ts";
import type { Claim } from "../../store.ts";
import type { Point, Workspace } from "../../workspace.ts";
import type { ChosenAgent } from "../parts.ts";
import type { Tools } from "../tools.ts";
import { limitedAgents } from "./account.ts";
import { environmentOf, keeperOf, type LiveAttempt, type StartAttempt } from "./live-attempt.ts";
import { logOf, markOf } from "./mark.ts";
import type { Seat } from "./round.ts";
import { stepContext } from "./step-context.ts";

export interface PrepareRequest {
	readonly tools: Tools;
	readonly effect: StartAttempt;
	readonly type: StepType;
	readonly signal: AbortSignal;
	readonly seat?: Seat | undefined;
	/** The claim, for a session that somebody else runs: part of the commit of `attempt_prepared`. */
	readonly claim?: (point: Point, memory: unknown) => Claim;
}

export async function prepareAttempt(request: PrepareRequest): Promise<LiveAttempt> {
	const { tools, effect, type } = request;
	const { parts, run } = tools;
	const { scope, step, attempt } = effect;
	const workspace = await tools.workspaces.of(run.state, scope);
	const branch = await tools.workspaces.branchOf(run.state);
	const point = await workspace.point({ session: request.claim === undefined ? markOf(run.id, effect) : null });
	if (type.kind !== "command" && (await tools.edits.clear(scope, `${scope}-${step}-${attempt}`)))
		parts.onWarning?.(`ignored an unexpected edit file for ${scope} (kept in workflow_edits/quarantine/)`);
	const claims = request.claim === undefined ? [] : [request.claim(point, null)];
	const agent = type.kind === "command" || request.claim !== undefined ? undefined : await chooseAgent(tools, effect.role, type.name);
	await run.feed(
		{
			type: "attempt_prepared",
			at: parts.clock.now(),
			scope,
			step,
			attempt,
			commit: point.commit,
			log: logOf(scope, step),
			...(branch === null ? {} : { branch }),
			...(agent === undefined ? {} : chosenJson(agent)),
		},
		{ claims },
	);
	await tools.projector.flush();
	parts.crashPoint?.("prepared");
	return withMemory(request, { ...liveAttempt(tools, effect, type, workspace, point, null, request.signal, request.seat), agent });
}

const chosenJson = ({ agent, model, effort, tier }: ChosenAgent) => ({
	agent: agent.name,
	...(model === null ? {} : { model }),
	...(effort === undefined ? {} : { effort }),
	...(tier === undefined ? {} : { tier }),
});

/** Chosen before the session starts, so that the journal says who works on it. */
async function chooseAgent({ parts, picker }: Tools, role: string, type: string): Promise<ChosenAgent> {
	const agents = parts.agentsFor(role, type);
	if (agents.length < 2) return agents[0];
	return picker.choose(agents, parts.clock.now(), await limitedAgents(parts, agents)) ?? agents[0];
}

/** Puts an attempt together from what is known about it now. */
export function liveAttempt(
	tools: Tools,
	id: Pick<StartAttempt, "scope" | "step" | "attempt" | "role">,
	type: StepType,
	workspace: Workspace,
	point: Point,
	memory: unknown,
	signal: AbortSignal,
	seat?: Seat,
): LiveAttempt {
	const { parts, run } = tools;
	const { scope, attempt, role } = id;
	const mark = markOf(run.id, id);
	return {
		parts,
		tools,
		state: run.state,
		scope,
		step: stepOf(tools, id),
		type,
		attempt,
		role,
		workspace,
		point,
		mark,
		memory,
		signal,
		seat,
	};
}

function stepOf({ run }: Tools, { scope, step: id }: { readonly scope: string; readonly step: string }): Step {
	const step = findStep(run.state, scope, id);
	if (!step) throw new Error(`the step ${scope}/${id} is gone`);
	return step;
}

/** What the keeper has to remember is kept with the attempt: in memory, or in the claim. */
async function withMemory(request: PrepareRequest, live: LiveAttempt): Promise<LiveAttempt> {
	const memory = (await keeperOf(live)?.before?.(stepContext(live, environmentOf(live)))) ?? null;
	if (memory !== null && request.claim !== undefined)
		await live.tools.run.feed({ type: "advance", at: live.parts.clock.now() }, { claims: [request.claim(live.point, memory)] });
	return { ...live, memory };
}

/** The type of the step that an effect is about; undefined if the step is gone. */
export function typeOfEffect({ run }: Tools, { scope, step: id }: StartAttempt): StepType | undefined {
	const step = findStep(run.state, scope, id);
	return step && typeOf(run.state, step);
}
