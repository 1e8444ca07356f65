// The end of an attempt: what the agent answered, what its keeper found and what the engine saw become one outcome. Every session is
// judged here, no matter who ran it.
import { createHash } from "node:crypto";
import type { AgentOutcome } from "../../agent.ts";
import type { Outcome } from "../../core/input.ts";
import { RUN_SCOPE } from "../../core/model.ts";
import { attemptOf, grammarOf } from "../../core/query.ts";
import { type GivenReport, readGiven } from "../../core/report/given.ts";
import { withRemarks } from "../../core/report/remarks.ts";
import { type Report, readReport } from "../../core/report/report.ts";
import type { AgentAnswer, Amendment } from "../../format.ts";
import { WorkspaceError } from "../../workspace.ts";
import { environmentOf, keeperOf, type LiveAttempt, NOTHING } from "./live-attempt.ts";
import { gatherEvidence, isChangedBefore, keepWork, leftNothing, lookAt } from "./look.ts";
import { logFileOf } from "./mark.ts";
import { foreignRefs, nameIn, unclearRefs } from "./ref-text.ts";
import type { Answer } from "./session.ts";
import { stepContext } from "./step-context.ts";
import { strayRemarks } from "./stray.ts";

/** null: it was cancelled. `prompt`: what the agent was asked, so that repeating it does not count as an answer. */
export async function judge(a: LiveAttempt, prompt: string, answer: Answer): Promise<Outcome | null> {
	if (answer.outcome.result === "cancelled" || a.signal.aborted) return null;
	try {
		const outcome = await judged(a, prompt, answer);
		const told = answer.message ?? prompt;
		return outcome === null || told === "" ? outcome : { ...outcome, prompt: hashOf(told) };
	} catch (error) {
		if (!(error instanceof WorkspaceError)) throw error;
		// The session has cost what it cost, and the edits it asked for are not those of the next one.
		const edits = a.scope === RUN_SCOPE ? null : await a.tools.edits.read(a.scope);
		return { ...NOTHING, signal: "workspace_error", error: error.message, usage: answer.outcome.usage, edits };
	}
}

/** Enough to tell two prompts apart; the log has the text. */
const hashOf = (text: string): string => createHash("sha256").update(text).digest("hex").slice(0, 16);

async function judged(a: LiveAttempt, prompt: string, { given, refused, agent, ...rest }: Answer): Promise<Outcome | null> {
	const said = withoutEcho(rest.outcome, rest.message);
	const { report, remarks } = said.result === "ok" ? reportOf(a, prompt, said, given) : NO_REPORT;
	const answer: AgentAnswer = {
		result: said.result,
		text: said.text,
		signal: report?.signal ?? said.result,
		fields: report?.fields ?? {},
		stories: report?.stories ?? null,
		problem: report?.problem ?? null,
		...(refused.length === 0 ? {} : { refused }),
	};
	const amended = (await keeperOf(a)?.after?.(stepContext(a, environmentOf(a)), answer, a.memory)) ?? {};
	const outcome = await outcomeOf(a, said, report, answer, amended);
	if (outcome === null) return null;
	const resumable = agent !== undefined && said.resumable && said.sessionId !== null ? { agent, session: said.sessionId } : undefined;
	return withRemarksOf(amend({ ...outcome, ...(resumable && { resumable }) }, amended), [
		...remarks,
		...refusals(a, refused),
		...cutRemarks(said.logCut ?? 0),
		...(await strayIn(a)),
	]);
}

/** In the person's own checkout everything is the session's to change, or seen by git. */
async function strayIn(a: LiveAttempt): Promise<string[]> {
	const { root } = a.parts.repository;
	const since = attemptOf(a.step, a.attempt)?.startedAt;
	if (a.workspace.path === root || since === undefined) return [];
	const pawls = (await a.parts.userFiles?.(a.state)) ?? [];
	return strayRemarks({ root, log: logFileOf(a), since, pawls });
}

/** The agent was told how the report has to look; an answer that repeats it has not said it. */
const withoutEcho = (said: AgentOutcome, message = ""): AgentOutcome =>
	message === "" ? said : { ...said, text: said.text.replaceAll(message.trim(), () => "") };

async function outcomeOf(
	a: LiveAttempt,
	said: AgentOutcome,
	report: Report | null,
	answer: AgentAnswer,
	amended: Amendment,
): Promise<Outcome | null> {
	const seen = await lookAt(a, answer);
	const { edits, violation, changes } = seen;
	const { usage } = said;
	const foreign = foreignRefs(nameIn(a), changes.refs, a.workspace.branch);
	if (report === null) {
		const failed = { ...NOTHING, signal: said.result, error: said.error ?? said.result, usage, edits, retryAt: said.retryAt };
		return foreign === null ? failed : { ...failed, remarks: [foreign] };
	}
	if (violation !== null) {
		const error = report.lacks === undefined ? violation : `${violation}; and its report has no ${report.lacks.join(", ")}`;
		return { ...NOTHING, signal: "boundary_violation", error, notes: report.notes, usage, edits };
	}
	const remarks = await keepWork(a, seen, amended);
	const unclear = unclearRefs(changes);
	// A gate and a loop have nobody to ask: only a step with one session can wait for an answer.
	if (unclear !== null && a.type.kind !== "agent") return { ...NOTHING, signal: "boundary_violation", error: unclear, usage, edits };
	const empty = report.signal === "done" && (await leftNothing(a));
	const checks = empty ? [] : await gatherEvidence(a, answer, seen);
	const before = await isChangedBefore(a, changes);
	if (a.signal.aborted) return null;
	return {
		...NOTHING,
		signal: report.signal,
		error: report.signal === "unreadable" ? (report.problem ?? "the report cannot be read") : null,
		notes: withRemarks(report.notes, remarks),
		...(remarks.length === 0 ? {} : { remarks }),
		fields: report.fields,
		findings: report.findings,
		...(report.earlier === undefined ? {} : { earlier: report.earlier }),
		stories: report.stories,
		...(report.kept === undefined ? {} : { kept: report.kept }),
		...(report.lacks === undefined ? {} : { lacks: report.lacks }),
		usage,
		session: said.sessionId,
		edits,
		checks,
		changed: changes.paths.length > 0,
		...(empty ? { empty } : {}),
		...(before ? { changedBefore: true } : {}),
		...(unclear === null ? {} : { unclear }),
	};
}

/** What the engine saw in the tree overrides what a keeper saw in its files. */
function amend(outcome: Outcome, { fields, checks = [], commit: _, leave: __, putBack: ___, changed, ...rest }: Amendment): Outcome {
	const violated = outcome.signal === "boundary_violation";
	const { signal, error } = violated ? outcome : { ...outcome, ...rest };
	const remarks = [...(outcome.remarks ?? []), ...(rest.remarks ?? [])];
	return {
		...outcome,
		...rest,
		signal,
		error,
		changed: outcome.changed || (changed === true && !violated),
		fields: { ...outcome.fields, ...fields },
		checks: [...outcome.checks, ...checks],
		...(remarks.length === 0 ? {} : { remarks }),
	};
}

export const withRemarksOf = (outcome: Outcome, remarks: readonly string[]): Outcome =>
	remarks.length === 0 ? outcome : { ...outcome, remarks: [...(outcome.remarks ?? []), ...remarks] };

/** Commands that the session tried and that were refused. */
const refusals = (a: LiveAttempt, refused: readonly string[]): string[] =>
	refused.length === 0 ? [] : [`${a.type.name} (${a.role}) tried what it may not do, and was refused: ${refused.join(", ")}`];

/** Tells people what is missing, because they would not look for it. */
export const cutRemarks = (cut: number): string[] =>
	cut === 0
		? []
		: [`it printed more than its log may hold (\`logs.max\` of pawl.yml): ${(cut / 1e6).toFixed(1)} MB in the middle were left out`];

interface ReadReport {
	readonly report: Report | null;
	/** The unreadable parts of a report whose other parts decide. */
	readonly remarks: readonly string[];
}

const NO_REPORT: ReadReport = { report: null, remarks: [] };

/** A report through `pawl mcp` counts before the final message. */
function reportOf(a: LiveAttempt, prompt: string, said: AgentOutcome, given: GivenReport | null): ReadReport {
	const grammar = grammarOf(a.state.definition, a.step, a.role);
	const read = given === null ? null : readGiven(grammar, given);
	if (read?.ok) return { report: read.report, remarks: [] };
	const report = readReport(grammar, said.text, a.state.root.fields, prompt);
	const remarks = [
		...(read ? [`its report was not accepted: ${read.problems.join("; ")}`] : []),
		// A report that decides nothing fails with its problem.
		...(report.problem === null || report.signal === "unreadable" ? [] : [`its report: ${report.problem}`]),
	];
	return { report, remarks };
}
