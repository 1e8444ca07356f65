// An attempt that is over, as a span and as measurements. Sessions of agents follow OpenTelemetry's conventions for generative AI; what pawl does itself, a merge or a
// check, has a span of the same form. Neither prompts nor answers are part of it, and of reasons one line.
import type { Attributes, Metric, Span, SpanEvent } from "../../telemetry.ts";
import type { Attempted } from "../look/attempts.ts";
import type { WhoDid } from "../look/who-did.ts";
import { oneLine, providerOf } from "./names.ts";

export interface EndedAttempt {
	readonly attempt: Attempted;
	readonly endedAt: number;
	readonly signal: string;
	/** It came to no result. */
	readonly failed: boolean;
	/** null: the step is gone, with the story that it belonged to. */
	readonly kind: string | null;
	readonly type: string | null;
	/** It brings a story onto base. */
	readonly merges: boolean;
	readonly who: WhoDid;
	/** Merge: what it announced to put on base. */
	readonly commits: readonly string[];
}

interface Measured {
	readonly metric: Metric;
	readonly value: number;
	readonly attributes: Attributes;
}

const isSession = ({ kind, attempt }: EndedAttempt): boolean => kind !== "action" && kind !== "command" && attempt.role !== "";

export function spanOfAttempt(ended: EndedAttempt, common: Attributes): Omit<Span, "trace" | "id" | "parent"> {
	const { attempt, endedAt, signal, failed, type, kind } = ended;
	return {
		name: isSession(ended) ? `invoke_agent ${agentName(ended)}` : `step ${type ?? attempt.step}`,
		startedAt: attempt.startedAt,
		endedAt: Math.max(attempt.startedAt, endedAt),
		attributes: {
			...common,
			"pawl.step.id": attempt.step,
			...(type === null ? {} : { "pawl.step.type": type }),
			...(kind === null ? {} : { "pawl.step.kind": kind }),
			"pawl.attempt": attempt.number,
			"pawl.try": attempt.nth,
			"pawl.signal": signal,
			...(isSession(ended) ? session(ended) : {}),
			...(failed ? { "error.type": signal } : {}),
			...(attempt.reason === null ? {} : { "pawl.reason": oneLine(attempt.reason) }),
		},
		events: [...checkEvents(ended), ...mergeEvents(ended)],
		error: failed ? oneLine(attempt.reason ?? signal) : null,
	};
}

const agentName = ({ who, attempt }: EndedAttempt): string => who.agent ?? attempt.role;

function session(ended: EndedAttempt): Attributes {
	const { attempt, who } = ended;
	const { costUsd, inputTokens, outputTokens } = attempt.usage;
	return {
		...agentAttributes(ended),
		"pawl.role": attempt.role,
		...(who.effort === null ? {} : { "pawl.effort": who.effort }),
		...(inputTokens === null ? {} : { "gen_ai.usage.input_tokens": inputTokens }),
		...(outputTokens === null ? {} : { "gen_ai.usage.output_tokens": outputTokens }),
		...(costUsd === null ? {} : { "pawl.cost_usd": costUsd }),
	};
}

const agentAttributes = (ended: EndedAttempt): Attributes => ({
	"gen_ai.operation.name": "invoke_agent",
	"gen_ai.provider.name": providerOf(ended.who.agent, ended.who.model),
	"gen_ai.agent.name": agentName(ended),
	...(ended.who.model === null ? {} : { "gen_ai.request.model": ended.who.model }),
});

const checkResult = ({ exitCode, reused }: Attempted["checks"][number]): string =>
	exitCode !== 0 ? "failed" : reused ? "reused" : "passed";

const checkEvents = ({ attempt, endedAt }: EndedAttempt): SpanEvent[] =>
	attempt.checks.map((check) => ({
		name: "pawl.check",
		at: endedAt,
		attributes: {
			"pawl.check.name": check.name,
			"pawl.check.result": checkResult(check),
			...(check.exitCode === null ? {} : { "pawl.check.exit_code": check.exitCode }),
		},
	}));

const mergeEvents = ({ commits, endedAt }: EndedAttempt): SpanEvent[] =>
	commits.map((commit) => ({ name: "pawl.merge", at: endedAt, attributes: { "pawl.commit": commit } }));

export function measuresOf(ended: EndedAttempt, workflow: string): Measured[] {
	const { attempt, endedAt, signal, failed, kind, type, merges } = ended;
	const about = { "gen_ai.workflow.name": workflow, ...(type === null ? {} : { "pawl.step.type": type }) };
	const failure: Attributes = failed ? { "error.type": signal } : {};
	const measured: Measured[] = attempt.checks.map((check) => ({
		metric: "pawl.checks",
		value: 1,
		attributes: { "gen_ai.workflow.name": workflow, "pawl.check.name": check.name, "pawl.check.result": checkResult(check) },
	}));
	// Iterations of a loop are no repetitions.
	if (attempt.nth > 1 && kind !== "loop") measured.push({ metric: "pawl.retries", value: 1, attributes: about });
	if (merges) measured.push({ metric: "pawl.merges", value: 1, attributes: { ...about, "pawl.signal": signal, ...failure } });
	if (!isSession(ended)) return measured;
	const agent = agentAttributes(ended);
	const { costUsd, inputTokens, outputTokens } = attempt.usage;
	measured.push({ metric: "pawl.sessions", value: 1, attributes: { ...about, ...agent, "pawl.signal": signal } });
	const seconds = Math.max(0, endedAt - attempt.startedAt) / 1000;
	measured.push({ metric: "gen_ai.invoke_agent.duration", value: seconds, attributes: { ...about, ...agent, ...failure } });
	if (costUsd !== null) measured.push({ metric: "pawl.cost", value: costUsd, attributes: { ...about, ...agent } });
	for (const [kind, tokens] of [["input", inputTokens] as const, ["output", outputTokens] as const])
		if (tokens !== null)
			measured.push({ metric: "gen_ai.client.token.usage", value: tokens, attributes: { ...about, ...agent, "gen_ai.token.type": kind } });
	return measured;
}
