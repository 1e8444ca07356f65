// A session that pawl starts itself: picks an agent that is free, keeps commands from it that its role may not use, and opens a report box.
import type { AgentOutcome } from "../../agent.ts";
import { isOfTheAccount } from "../../core/definition.ts";
import { RUN_SCOPE } from "../../core/model.ts";
import { own } from "../../core/query.ts";
import type { GivenReport } from "../../core/report/given.ts";
import { startedWith } from "../../core/started-with.ts";
import { inSeat, limitedAgents } from "./account.ts";
import { sessionFor } from "./kept-session.ts";
import { environmentOf, type LiveAttempt } from "./live-attempt.ts";
import { logFileOf } from "./mark.ts";
import { deniedTo, refusals } from "./refusals.ts";
import { openReportBox, type ReportBox } from "./report-box.ts";

/** What an agent answered: its final message, and what it reported through `pawl mcp`. */
export interface Answer {
	readonly outcome: AgentOutcome;
	readonly given: GivenReport | null;
	/** Commands that it tried and that were refused. */
	readonly refused: readonly string[];
	/** The agent that answered; absent if somebody else ran the session. */
	readonly agent?: string;
	/** What it may have been told instead of the prompt, because its session had heard the prompt before. */
	readonly message?: string | undefined;
}

export async function runSession(a: LiveAttempt, prompt: string): Promise<Answer> {
	const { database, sharedDir } = a.parts;
	const who = own(a.state.definition.roles, a.role);
	const name = `${a.scope}-${a.step.id}-${a.attempt}`;
	const refused = refusals(who, startedWith(a.state).push, sharedDir, name, a.parts.env["PATH"] ?? "");
	const box = database === undefined ? null : await reportBox(a, database);
	const called = await callAgent(a, prompt, refused.env, box);
	return { ...called, given: (await box?.close()) ?? null, refused: refused.tried() };
}

/** null if it cannot be opened, because an agent put something else there. The final message still counts. */
async function reportBox(a: LiveAttempt, database: string): Promise<ReportBox | null> {
	const { scope, attempt, role } = a;
	const { sharedDir } = a.parts;
	return openReportBox({ run: a.state.id, scope, step: a.step.id, attempt, role, sharedDir, database }).catch((error: unknown) => {
		a.parts.onWarning?.(`${a.step.id} cannot report through pawl mcp: ${error instanceof Error ? error.message : String(error)}`);
		return null;
	});
}

async function callAgent(
	a: LiveAttempt,
	prompt: string,
	refused: Readonly<Record<string, string>>,
	box: ReportBox | null,
): Promise<Pick<Answer, "outcome" | "agent" | "message">> {
	const { parts, state, type } = a;
	const { picker } = a.tools;
	const agents = parts.agentsFor(a.role, type.name);
	const who = own(state.definition.roles, a.role);
	const { agent, model, effort } = a.agent ?? agents[0];
	const session = sessionFor(a, agent.name);
	const sandbox = await parts.confine?.(a.workspace.path, "agent");
	const outcome = await inSeat(a, agent).run(
		{
			prompt,
			cwd: a.workspace.path,
			env: { ...environmentOf(a), ...a.workspace.sessionEnv(a.point), ...refused, ...box?.env, ...choiceEnv(model, effort) },
			mark: a.mark,
			...(sandbox === undefined ? {} : { sandbox }),
			timeoutMs: state.options.timeouts[type.name] ?? type.timeoutMs,
			stallMs: type.stallMs ?? parts.stallMs,
			logFile: logFileOf(a),
			...(parts.logMax === undefined ? {} : { logMax: parts.logMax }),
			model,
			...(effort === undefined ? {} : { effort }),
			readOnly: type.writes === "none",
			denied: deniedTo(who),
			...(session === undefined ? {} : { session }),
			secrets: box === null ? parts.secrets : [...parts.secrets, box.token],
			who: {
				run: state.id,
				story: a.scope === RUN_SCOPE ? "" : a.scope,
				step: a.step.id,
				type: type.name,
				role: a.role,
				attempt: a.attempt,
				sharedDir: parts.sharedDir,
			},
		},
		a.signal,
	);
	const called = { agent: agent.name, message: session?.message };
	const advice = adviceOn(outcome.result, agent.name, state);
	if (advice !== null) return { ...called, outcome: { ...outcome, error: `${outcome.error ?? outcome.result}: ${advice}` } };
	if (outcome.result !== "rate_limited" && outcome.result !== "overloaded") return { ...called, outcome };
	const { accounts, clock } = parts;
	// The limit of an account that machines share is known to all of them by now.
	if (accounts === undefined || outcome.result === "overloaded") picker.limit(agent.name, outcome.retryAt, clock.now());
	const shared = await limitedAgents(parts, agents);
	return { ...called, outcome: { ...outcome, retryAt: picker.retryAt(outcome.retryAt, agents, clock.now(), shared) } };
}

/** For commands and scripts around an agent, which have no flags for it. */
const choiceEnv = (model: string | null, effort: string | undefined): Readonly<Record<string, string>> => ({
	...(model === null ? {} : { PAWL_MODEL: model }),
	...(effort === undefined ? {} : { PAWL_EFFORT: effort }),
});

/** What a person has to do before any session of this agent can succeed. */
function adviceOn(result: string, agent: string, { id, definition }: LiveAttempt["state"]): string | null {
	if (!isOfTheAccount(result)) return null;
	const mend =
		result === "auth"
			? `log in to ${agent} again (pawl doctor shows what it looks for)`
			: `the account that ${agent} uses is out of money; pay`;
	return definition.resume === "never" ? mend : `${mend}, then continue with pawl resume ${id}`;
}
