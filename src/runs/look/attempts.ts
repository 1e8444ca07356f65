// Every attempt of a run from its journal: who did it, where, how long, what it cost and how it ended, with the reason in words.
import type { Event, EventOf } from "../../core/event.ts";
import type { CheckResult } from "../../core/input.ts";
import { RUN_SCOPE, type RunState, type Usage } from "../../core/model.ts";
import { findStep, typeOf } from "../../core/query.ts";
import { iso, usd } from "./json-values.ts";
import { attemptKey, NOBODY, whoDidWhat } from "./who-did.ts";
import { WhyReader, whyText } from "./why.ts";

export interface Attempted {
	readonly scope: string;
	readonly step: string;
	readonly number: number;
	/** Which try of this role in this step it is: the members of a gate have attempts of their own. */
	readonly nth: number;
	readonly role: string;
	readonly slot: number | null;
	readonly startedAt: number;
	endedAt: number | null;
	signal: string | null;
	reason: string | null;
	usage: Usage;
	commit: string | null;
	readonly checks: CheckResult[];
	readonly remarks: string[];
}

export function attemptsOf(state: RunState, events: readonly Event[]) {
	const whoDid = whoDidWhat(state, events);
	return collect(state, events).map((one) => {
		const step = findStep(state, one.scope, one.step);
		const kind = (step && typeOf(state, step)?.kind) ?? null;
		return {
			story: one.scope === RUN_SCOPE ? null : one.scope,
			step: one.step,
			type: step?.type ?? null,
			kind,
			number: one.number,
			nth: one.nth,
			role: one.role,
			slot: one.slot,
			...(kind === "action" || kind === "command" ? NOBODY : (whoDid.get(attemptKey(one.scope, one.step, one.number)) ?? NOBODY)),
			started_at: iso(one.startedAt),
			ended_at: iso(one.endedAt),
			/** null while it goes on. */
			signal: one.signal,
			reason: one.reason,
			cost_usd: usd(one.usage.costUsd),
			input_tokens: one.usage.inputTokens,
			output_tokens: one.usage.outputTokens,
			commit: one.commit,
			checks: one.checks.map(({ name, command, exitCode, output, reused }) => ({
				name,
				command,
				exit_code: exitCode,
				output,
				reused: reused ?? false,
			})),
			remarks: one.remarks,
		};
	});
}

export type AttemptView = ReturnType<typeof attemptsOf>[number];

function collect(state: RunState, events: readonly Event[]): readonly Attempted[] {
	const reader = new AttemptsReader();
	for (const event of events) reader.read(event, state);
	return reader.all;
}

/** Reads a journal event by event; the state is the one after the event, or after its commit. */
export class AttemptsReader {
	readonly all: Attempted[] = [];
	private readonly byKey = new Map<string, Attempted>();
	private readonly last = new Map<string, Attempted>();
	private readonly slots = new Map<string, number>();
	private readonly tries = new Map<string, number>();
	private readonly why = new WhyReader();

	/** The attempt that the event is about, if it is about one. */
	read(event: Event, state: RunState): Attempted | null {
		if (event.event === "story_claimed") this.slots.set(event.scope, event.slot);
		const said = this.why.read(event, state);
		if (!("step" in event) || !("scope" in event)) return null;
		const stepKey = `${event.scope} ${event.step}`;
		if (event.event === "step_started") return this.begin(event, stepKey);
		const one = ("attempt" in event ? this.byKey.get(`${stepKey} ${event.attempt}`) : undefined) ?? this.last.get(stepKey);
		if (one === undefined) return null;
		if (said !== null) one.reason = whyText(said);
		switch (event.event) {
			case "step_prepared":
				one.commit = event.commit;
				break;
			case "usage_recorded":
				one.usage = event.usage;
				break;
			case "checks_recorded":
				one.checks.push(...event.checks);
				break;
			case "remarked":
				one.remarks.push(event.text);
				break;
			case "attempt_reported":
			case "step_completed":
			case "step_failed":
				end(one, event.at, event.signal);
				break;
			case "step_cancelled":
				end(one, event.at, "cancelled");
				break;
			case "step_restarted":
				end(one, event.at, "restarted");
				break;
			case "step_postponed":
				end(one, event.at, "postponed");
				break;
			case "step_extended":
				end(one, event.at, "done");
				break;
			case "step_waiting":
				end(one, event.at, event.signal ?? "waiting");
				break;
			case "step_reopened":
				end(one, event.at, "lost");
				break;
		}
		return one;
	}

	private begin({ scope, step, attempt: number, role, at }: EventOf<"step_started">, stepKey: string): Attempted {
		const nth = (this.tries.get(`${stepKey} ${role}`) ?? 0) + 1;
		this.tries.set(`${stepKey} ${role}`, nth);
		const one: Attempted = {
			scope,
			step,
			number,
			nth,
			role,
			slot: this.slots.get(scope) ?? null,
			startedAt: at,
			endedAt: null,
			signal: null,
			reason: null,
			usage: { costUsd: null, inputTokens: null, outputTokens: null },
			commit: null,
			checks: [],
			remarks: [],
		};
		this.all.push(one);
		this.byKey.set(`${stepKey} ${number}`, one);
		this.last.set(stepKey, one);
		return one;
	}
}

function end(one: Attempted, at: number, signal: string): void {
	if (one.endedAt !== null) return;
	one.endedAt = at;
	one.signal = signal;
}
