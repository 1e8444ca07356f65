// What the supervisor did, from the journal: every call that ended in a verdict is a check, every conflict that it found is an intervention
// with its actual result, and a fix counts when it was made.
import type { Event, EventOf } from "../../core/event.ts";
import type { RunState, Step } from "../../core/model.ts";
import { findStep, typeOf } from "../../core/query.ts";
import type { AgentState, Intervention } from "./document.ts";
import { iso } from "./values.ts";
import { AGENT_TYPES, CHECK_TYPES, CONFLICT_TYPES, SEVERITIES } from "./words.ts";

/** Fields that the routes of a check set, and those that the repair of a conflict leaves. */
export const CONFLICT = { severity: "severity", type: "conflict_type", resolution: "guidance", fixed: "fixed_files" } as const;
/** A word of the supervisor's that the format does not have, and the one that it is written as. */
const INCOMPLETE = "incomplete";
const NEAREST = "pattern";
const UNSETTLED = " (not settled: it was repaired as often as it may be, and a person is asked)";
/** Whoever does what a resolution says. */
const EXECUTOR = AGENT_TYPES[0];

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
	/** By task: how many resolutions its executor was given and has not carried out yet. */
	private readonly given = new Map<string, number>();
	/** Interventions that say what came of them. */
	private readonly told = new WeakSet<Intervention>();
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
		for (const one of this.interventions) this.told.add(one);
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

	apply(event: Event, state: RunState): void {
		const { verdict } = this;
		this.verdict = null;
		switch (event.event) {
			case "route_taken":
				return this.check(event, findStep(state, event.scope, event.step));
			case "fields_set":
				if (verdict?.scope === event.scope) this.intervene(verdict, event);
				return this.repaired(event);
			case "step_completed":
				return this.carriedOut(event, state);
			case "stories_replaced":
				this.given.clear();
				return this.tell(null, "re_plan", `planned anew: ${event.stories.map((s) => s.id).join(", ")}`);
		}
	}

	/** A call that broke down, or whose report cannot be read, is none. */
	private check(event: EventOf<"route_taken">, step: Step | undefined): void {
		this.verdict = verdictOf(event, step);
		if (this.verdict === null) return;
		this.checks++;
		this.last = iso(event.at);
	}

	private repaired({ scope, fields }: EventOf<"fields_set">): void {
		const files = fields[CONFLICT.fixed];
		if (files === undefined) return;
		if (files !== "") this.fixes++;
		this.tell(scope, "auto_fix", files === "" ? "nothing was changed" : `changed: ${files}`);
	}

	/** The executor has ended well, with what it was told before or during the task. */
	private carriedOut({ scope, step: id }: EventOf<"step_completed">, state: RunState): void {
		const step = findStep(state, scope, id);
		const count = this.given.get(scope) ?? 0;
		if (count === 0 || !step || typeOf(state, step)?.role !== EXECUTOR) return;
		this.given.delete(scope);
		this.fixes += count;
		for (let n = 0; n < count; n++) this.tell(scope, "auto_fix", "done by the executor");
	}

	private intervene(verdict: Verdict, event: EventOf<"fields_set">): void {
		const type = word(event.fields[CONFLICT.type]);
		const severity = SEVERITIES.find((one) => one === word(event.fields[CONFLICT.severity]));
		// The format has no word for a criterion that is not met.
		const conflict_type = CONFLICT_TYPES.find((one) => one === (type === INCOMPLETE ? NEAREST : type));
		if (severity === undefined || conflict_type === undefined) return;
		const planned = verdict.action.startsWith("goto");
		const said = (event.fields[CONFLICT.resolution] ?? "").trim() || "no resolution was given";
		const asked = verdict.signal === "auto_fix" && verdict.action.startsWith("wait");
		const fixed = verdict.signal === "auto_fix" && (planned || asked || verdict.check !== "post_task");
		const action = verdict.signal === "re_plan" ? "re_plan" : fixed ? "auto_fix" : "pass";
		const undone = asked ? UNSETTLED : verdict.signal === "re_plan" && !planned ? " (not done: the budget of re-plans is used up)" : "";
		this.conflicts++;
		if (fixed && !planned && !asked) this.given.set(verdict.scope, (this.given.get(verdict.scope) ?? 0) + 1);
		if (verdict.signal === "re_plan" && planned) this.plans++;
		this.interventions.push({
			timestamp: iso(event.at),
			check_type: verdict.check,
			task: verdict.scope,
			conflict_type,
			severity,
			action,
			resolution: `${type === INCOMPLETE ? "a criterion is not met: " : ""}${said}${undone}`,
		});
		const last = this.interventions.at(-1);
		if (asked && last) this.told.add(last);
	}

	/** Adds the result to the newest intervention of this kind that has none. */
	private tell(scope: string | null, action: Intervention["action"], text: string): void {
		const at = this.interventions.findLastIndex(
			(one) => one.action === action && (scope === null || one.task === scope) && !this.told.has(one),
		);
		const found = this.interventions[at];
		if (!found) return;
		const told = { ...found, resolution: `${found.resolution} (${text})` };
		this.told.add(told);
		this.interventions = this.interventions.with(at, told);
	}
}

function verdictOf(event: EventOf<"route_taken">, step: Step | undefined): Verdict | null {
	const check = CHECK_TYPES.find((one) => one === step?.type);
	if (check === undefined || !["pass", "auto_fix", "re_plan"].includes(event.signal)) return null;
	return { scope: event.scope, check, signal: event.signal, action: event.action };
}

/** The first word: a remark may follow it. */
const word = (text = ""): string => /[a-z]+/.exec(text.slice(0, 200).toLowerCase())?.[0] ?? "";
