// What the supervisor did, from the journal: every call is a check, every conflict that it found is an intervention, with its actual
// result.
import type { Event, EventOf } from "../../core/event.ts";
import type { RunState, Step } from "../../core/model.ts";
import { findStep } from "../../core/query.ts";
import type { AgentState, Intervention } from "./document.ts";
import { iso } from "./values.ts";
import { CHECK_TYPES, CONFLICT_TYPES, SEVERITIES } from "./words.ts";

/** Fields that the routes of a check set, and those that the repair of a conflict leaves. */
export const CONFLICT = { severity: "severity", type: "conflict_type", resolution: "guidance", fixed: "fixed_files" } as const;
const ROLE = "supervisor";

interface Verdict {
	readonly scope: string;
	readonly check: Intervention["check_type"];
	readonly signal: string;
	readonly action: string;
}

export class Supervision {
	private checks = 0;
	private conflicts = 0;
	private fixes = 0;
	private plans = 0;
	private last: string | null = null;
	private interventions: Intervention[] = [];
	/** Calls under way. */
	private readonly calls = new Set<string>();
	/** A verdict whose fields come with the next event. */
	private verdict: Verdict | null = null;

	constructor(from?: AgentState["supervisor"]) {
		if (!from) return;
		this.checks = from.checks_performed;
		this.conflicts = from.conflicts_detected;
		this.fixes = from.auto_fixes_applied;
		this.plans = from.re_plans_triggered;
		this.last = from.last_check;
		this.interventions = [...from.interventions];
	}

	document(): Omit<AgentState["supervisor"], "enabled"> {
		return {
			checks_performed: this.checks,
			conflicts_detected: this.conflicts,
			auto_fixes_applied: this.fixes,
			re_plans_triggered: this.plans,
			last_check: this.last,
			interventions: this.interventions,
		};
	}

	apply(event: Event, before: RunState, state: RunState): void {
		const { verdict } = this;
		this.verdict = null;
		if ("step" in event) this.count(event, before, state);
		if (event.event === "route_taken") this.verdict = verdictOf(event, findStep(state, event.scope, event.step));
		else if (event.event === "fields_set") {
			if (verdict?.scope === event.scope) this.intervene(verdict, event);
			const fixed = event.fields[CONFLICT.fixed];
			if (fixed !== undefined) this.tell(event.scope, "auto_fix", fixed === "" ? "nothing was changed" : `changed: ${fixed}`);
		} else if (event.event === "stories_replaced") {
			const names = event.stories.map((s) => s.id).join(", ");
			this.tell(null, "re_plan", `planned anew: ${names}`);
		}
	}

	/** A call counts when it has ended, however it ended. */
	private count(event: Extract<Event, { step: string }>, before: RunState, state: RunState): void {
		const key = `${event.scope} ${event.step}`;
		if (event.event === "step_prepared") {
			const step = findStep(state, event.scope, event.step);
			if (step?.running.some((a) => a.number === event.attempt && a.role === ROLE)) this.calls.add(key);
		} else if (["usage_recorded", "step_failed", "step_cancelled", "step_reopened"].includes(event.event) && this.calls.delete(key)) {
			const step = findStep(before, event.scope, event.step);
			if (step === undefined) return;
			this.checks++;
			this.last = iso(event.at);
		}
	}

	private intervene(verdict: Verdict, event: EventOf<"fields_set">): void {
		const severity = SEVERITIES.find((one) => one === word(event.fields[CONFLICT.severity]));
		const conflict_type = CONFLICT_TYPES.find((one) => one === word(event.fields[CONFLICT.type]));
		if (severity === undefined || conflict_type === undefined) return;
		const planned = verdict.action.startsWith("goto");
		const said = (event.fields[CONFLICT.resolution] ?? "").trim() || "no resolution was given";
		const fixed = verdict.signal === "auto_fix" && (planned || verdict.check !== "post_task");
		const action = verdict.signal === "re_plan" ? "re_plan" : fixed ? "auto_fix" : "pass";
		const undone = verdict.signal === "re_plan" && !planned ? " (not done: the budget of re-plans is used up)" : "";
		this.conflicts++;
		if (fixed) this.fixes++;
		if (verdict.signal === "re_plan" && planned) this.plans++;
		this.interventions.push({
			timestamp: iso(event.at),
			check_type: verdict.check,
			task: verdict.scope,
			conflict_type,
			severity,
			action,
			resolution: `${said}${undone}`,
		});
	}

	/** Adds the result to the newest intervention of this kind. */
	private tell(scope: string | null, action: Intervention["action"], text: string): void {
		const at = this.interventions.findLastIndex((one) => one.action === action && (scope === null || one.task === scope));
		const found = this.interventions[at];
		if (found) this.interventions = this.interventions.with(at, { ...found, resolution: `${found.resolution} (${text})` });
	}
}

function verdictOf(event: EventOf<"route_taken">, step: Step | undefined): Verdict | null {
	const check = CHECK_TYPES.find((one) => one === step?.type);
	if (check === undefined || !["pass", "auto_fix", "re_plan"].includes(event.signal)) return null;
	return { scope: event.scope, check, signal: event.signal, action: event.action };
}

/** The first word: a remark may follow it. */
const word = (text = ""): string => /[a-z]+/.exec(text.slice(0, 200).toLowerCase())?.[0] ?? "";
