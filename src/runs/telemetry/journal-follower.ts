// Follows the journals of runs and says what they mean to an observer: a trace of each run, and measurements. Everything comes from committed events, never from what the
// code does. All events are read, so that a process knows how that began which it ends; only what follows from its own commits is sent. So each part of a run is
// sent by the process that committed its end, once, whoever else reads the same journal.
import type { Event, EventOf } from "../../core/event.ts";
import type { RunState } from "../../core/model.ts";
import { findStep, typeOf } from "../../core/query.ts";
import type { Sender } from "../../telemetry.ts";
import { type Attempted, AttemptsReader } from "../look/attempts.ts";
import { attemptKey, NOBODY, WhoReader } from "../look/who-did.ts";
import { type EndedAttempt, measuresOf, spanOfAttempt } from "./attempt-span.ts";
import { spanOf } from "./names.ts";
import { RunSpans } from "./run-spans.ts";

export class JournalFollower {
	private readonly sender: Sender;
	private readonly runs = new Map<string, RunFollower>();

	constructor(sender: Sender) {
		this.sender = sender;
	}

	see(events: readonly Event[], state: RunState, own: boolean): void {
		const from = state.version - events.length;
		const known = this.runs.get(state.id) ?? (from === 0 ? new RunFollower(state) : null);
		// Without its beginning nothing can be said of a run. Every process that opens one reads all of it.
		if (known === null || known.version < from) return;
		this.runs.set(state.id, known);
		known.see(events.slice(known.version - from), state, own ? this.sender : null);
	}
}

interface Begun {
	readonly attempt: Attempted;
	readonly commits: string[];
	readonly id: string;
	readonly parent: string | null;
}

interface Wait {
	readonly scope: string;
	readonly step: string;
	readonly id: string;
	readonly parent: string | null;
	readonly at: number;
}

class RunFollower {
	version = 0;
	private readonly spans: RunSpans;
	private readonly attempts = new AttemptsReader();
	private readonly who = new WhoReader();
	/** Under way, by `attemptKey`. */
	private readonly begun = new Map<string, Begun>();
	private readonly waits = new Map<string, Wait>();

	constructor(state: RunState) {
		this.spans = new RunSpans(state);
	}

	/** `sender`: null if another process tells of these events, or has told. */
	see(events: readonly Event[], state: RunState, sender: Sender | null): void {
		for (const event of events) {
			const number = ++this.version;
			const about = this.attempts.read(event, state);
			this.who.read(event, state);
			// Before the story and the run end, which they belong to.
			if (event.event === "step_started" && about !== null) this.begin(event, about, number);
			if (event.event === "step_waiting") this.wait(event, number);
			if (event.event === "merge_announced") this.begun.get(attemptKey(event.scope, event.step, event.attempt))?.commits.push(event.commit);
			for (const span of this.spans.read(event, number, state)) {
				sender?.span(span);
				if (span.parent === null) {
					const error = span.attributes["error.type"];
					sender?.measure("gen_ai.invoke_workflow.duration", (span.endedAt - span.startedAt) / 1000, {
						"gen_ai.workflow.name": state.definition.name,
						"pawl.run.status": span.attributes["pawl.run.status"] ?? "",
						...(error === undefined ? {} : { "error.type": error }),
					});
				}
			}
		}
		const at = events.at(-1)?.at ?? 0;
		for (const [key, one] of this.begun)
			if (!isUnderWay(state, one.attempt)) {
				this.begun.delete(key);
				if (sender !== null && !isContainer(state, one.attempt)) this.tell(one, events, at, state, sender);
			}
		this.endWaits(events, at, state, sender);
	}

	private begin({ scope, step, attempt }: EventOf<"step_started">, about: Attempted, number: number): void {
		const id = spanOf(this.spans.trace, number, "attempt");
		this.begun.set(attemptKey(scope, step, attempt), { attempt: about, commits: [], id, parent: this.spans.parentOf(scope) });
	}

	private tell({ attempt, commits, id, parent }: Begun, events: readonly Event[], at: number, state: RunState, sender: Sender): void {
		const { scope, step, number } = attempt;
		const of = events.filter((event) => "step" in event && event.scope === scope && event.step === step);
		const route = of.findLast((event) => event.event === "route_taken");
		const known = findStep(state, scope, step);
		const type = known && typeOf(state, known);
		const ended: EndedAttempt = {
			attempt,
			endedAt: attempt.endedAt ?? at,
			signal: route?.signal ?? attempt.signal ?? "lost",
			failed: !of.some(endsWell),
			kind: type?.kind ?? null,
			type: known?.type ?? null,
			merges: type?.action === "merge",
			who: this.who.found.get(attemptKey(scope, step, number)) ?? NOBODY,
			commits,
		};
		const common = this.spans.attributesOf(scope);
		sender.span({ trace: this.spans.trace, id, parent, ...spanOfAttempt(ended, common) });
		for (const { metric, value, attributes } of measuresOf(ended, state.definition.name)) sender.measure(metric, value, attributes);
	}

	private wait({ scope, step, at }: EventOf<"step_waiting">, number: number): void {
		const id = spanOf(this.spans.trace, number, "wait");
		this.waits.set(`${scope} ${step}`, { scope, step, id, parent: this.spans.parentOf(scope), at });
	}

	private endWaits(events: readonly Event[], endedAt: number, state: RunState, sender: Sender | null): void {
		for (const [key, { scope, step, id, parent, at }] of this.waits) {
			if (findStep(state, scope, step)?.status === "waiting") continue;
			this.waits.delete(key);
			const decided = events.find((event) => event.event === "decided" && event.scope === scope && event.step === step);
			const verdict = decided?.event === "decided" ? decided.verdict : "none";
			const attributes = { ...this.spans.attributesOf(scope), "pawl.step.id": step, "pawl.verdict": verdict };
			sender?.span({
				trace: this.spans.trace,
				id,
				parent,
				name: "wait for a person",
				startedAt: at,
				endedAt: Math.max(at, endedAt),
				attributes,
				events: [],
				error: null,
			});
			sender?.measure("pawl.person.wait.duration", Math.max(0, endedAt - at) / 1000, {
				"gen_ai.workflow.name": state.definition.name,
				"pawl.verdict": verdict,
			});
		}
	}
}

const isUnderWay = (state: RunState, { scope, step, number }: Attempted): boolean =>
	findStep(state, scope, step)?.running.some((one) => one.number === number) ?? false;

/** What it contains has spans of its own. */
function isContainer(state: RunState, { scope, step }: Attempted): boolean {
	const known = findStep(state, scope, step);
	return known !== undefined && typeOf(state, known)?.kind === "each";
}

/** It came to a result, whichever it is: a verdict that sends the work back is no failure of the reviewer. */
function endsWell(event: Event): boolean {
	switch (event.event) {
		case "step_completed":
		case "attempt_reported":
		case "step_waiting":
		case "step_restarted":
		case "report_asked":
			return true;
		case "step_extended":
			return event.reason === undefined;
		default:
			return false;
	}
}
