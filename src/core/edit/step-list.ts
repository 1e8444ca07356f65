// A copy of a scope's steps to which operations are applied one after the other. An operation changes the copy, or says why not.
import type { Definition, StepType } from "../definition.ts";
import type { EditDetails, NewStep } from "../event.ts";
import { stepId } from "../fold/apply.ts";
import type { Scope, Step } from "../model.ts";
import { own } from "../query.ts";
import { isAddable, keptBy } from "./allowed.ts";
import { type Fields, isFields, missing, short, textOf } from "./fields.ts";

export interface Edit {
	readonly details: EditDetails;
	/** All step ids of the scope after this operation. */
	readonly order: readonly string[];
}

type Entry = Pick<Step, "id" | "type" | "status" | "description" | "restarts">;

export class StepList {
	readonly edits: Edit[] = [];
	restart: string | null = null;
	restartLimit = false;
	added = 0;
	private steps: Entry[];
	private next: number;
	private readonly current: Step;
	private readonly definition: Definition;

	constructor(scope: Scope, current: Step, definition: Definition) {
		this.steps = [...scope.steps];
		this.next = scope.nextNumber;
		this.current = current;
		this.definition = definition;
	}

	take(op: Fields): string | null {
		const reason = textOf(op, "reason");
		if ("problem" in reason) return reason.problem;
		switch (op["operation"]) {
			case "add_after":
				return this.onTarget(op, (target) => this.addAfter(target, op, reason.text));
			case "split":
				return this.onTarget(op, (target) => this.split(target, op, reason.text));
			case "skip":
				return this.onTarget(op, (target) => this.skip(target, reason.text));
			case "edit_description":
				return this.onTarget(op, (target) => this.describe(target, op, reason.text));
			case "restart":
				return this.onTarget(op, (target) => this.restartStep(target, op, reason.text));
			case "reorder":
				return this.reorder(op, reason.text);
			case undefined:
				return missing(op, "operation");
			default:
				return `unknown operation ${short(op["operation"])}; there are add_after, split, skip, reorder, edit_description and restart`;
		}
	}

	private onTarget(op: Fields, f: (target: Entry) => string | null): string | null {
		const id = op["target_step_id"];
		if (id === undefined) return missing(op, "target_step_id");
		const target = this.steps.find((s) => s.id === id && !this.type(s)?.internal);
		return target ? f(target) : `\`target_step_id\`: there is no step ${short(id)} in this story`;
	}

	private addAfter(target: Entry, op: Fields, reason: string): string | null {
		if (this.type(target)?.last) return `nothing may come after ${target.type}; name the step before it instead`;
		const made = this.newSteps(op, "new_steps");
		if (typeof made === "string") return made;
		const before = this.shown();
		const over = this.setSteps(this.steps.toSpliced(this.steps.indexOf(target) + 1, 0, ...made));
		if (over !== null) return over;
		this.added += made.length;
		const details = { operation: "add_after", reason, target_step_id: target.id, new_steps: made.map(asNew) } as const;
		return this.done({ ...details, before, after: this.shown() });
	}

	private split(target: Entry, op: Fields, reason: string): string | null {
		const type = this.type(target);
		if (target.status !== "pending") return notPending(target);
		if (type?.last) return `${target.type} cannot be split`;
		const kept = this.kept(target, "split");
		if (kept !== null) return kept;
		const made = this.newSteps(op, "replacement_steps");
		if (typeof made === "string") return made;
		if (type?.mandatory && !made.some((s) => s.type === target.type))
			return `${target.type} is mandatory: its replacement must contain a step of that type`;
		const before = this.shown();
		const over = this.setSteps(this.steps.toSpliced(this.steps.indexOf(target), 1, ...made));
		if (over !== null) return over;
		this.added += made.length;
		const step = { id: target.id, type: target.type, description: target.description };
		return this.done({
			operation: "split",
			reason,
			target_step_id: target.id,
			new_steps: made.map(asNew),
			before: { order: before, step },
			after: { order: this.shown() },
		});
	}

	private skip(target: Entry, reason: string): string | null {
		if (this.type(target)?.mandatory) return `${target.id} (${target.type}) is mandatory and cannot be skipped`;
		if (target.status !== "pending") return notPending(target);
		const kept = this.kept(target, "skipped");
		if (kept !== null) return kept;
		this.replace(target, { ...target, status: "skipped" });
		return this.done({ operation: "skip", reason, target_step_id: target.id, before: { status: "pending" }, after: { status: "skipped" } });
	}

	private describe(target: Entry, op: Fields, reason: string): string | null {
		if (target.status === "in_progress") return `${target.id} is running; use restart to change its description`;
		if (target.status !== "pending") return notPending(target);
		const kept = this.kept(target, "described otherwise");
		if (kept !== null) return kept;
		const description = textOf(op, "new_description");
		if ("problem" in description) return description.problem;
		this.replace(target, { ...target, description: description.text });
		return this.done({
			operation: "edit_description",
			reason,
			target_step_id: target.id,
			old_description: target.description,
			new_description: description.text,
		});
	}

	private restartStep(target: Entry, op: Fields, reason: string): string | null {
		if (target.id !== this.current.id) return `only the running step (${this.current.id}) can be restarted`;
		if (this.restart !== null) return "the step is restarted by an earlier operation of this file";
		const description = textOf(op, "new_description");
		if ("problem" in description) return description.problem;
		if (target.restarts >= this.definition.limits.restarts) {
			this.restartLimit = true;
			return `restart limit reached: ${target.id} was restarted ${target.restarts} times already`;
		}
		this.restart = description.text;
		return this.done({
			operation: "restart",
			reason,
			target_step_id: target.id,
			old_description: target.description,
			new_description: description.text,
		});
	}

	private reorder(op: Fields, reason: string): string | null {
		const value = op["new_order"];
		if (value === undefined) return missing(op, "new_order");
		if (!Array.isArray(value)) return "`new_order` must be an array of step ids";
		const pending = this.steps.filter((s) => s.status === "pending" && !this.type(s)?.internal);
		const left = pending.filter((s) => !value.includes(s.id)).map((s) => s.id);
		const foreign = value.filter((id) => !pending.some((s) => s.id === id)).map(short);
		if (foreign.length > 0)
			return `\`new_order\` names what is no pending step: ${foreign.slice(0, MOST_NAMED).join(", ")}${foreign.length > MOST_NAMED ? ` and ${foreign.length - MOST_NAMED} more` : ""}`;
		if (left.length > 0) return `\`new_order\` must name every pending step; missing: ${left.join(", ")}`;
		if (new Set(value).size !== value.length) return "`new_order` names a step twice";
		const order = value.flatMap((id) => pending.find((s) => s.id === id) ?? []);
		const early = order.slice(0, -1).find((s) => this.type(s)?.last);
		if (early) return `${early.type} must stay last`;
		const passed = this.passed(pending, order);
		if (passed !== null) return passed;
		const queue = [...order];
		this.steps = this.steps.map((s) => (pending.includes(s) ? (queue.shift() ?? s) : s));
		return this.done({ operation: "reorder", reason, before: pending.map((s) => s.id), after: order.map((s) => s.id) });
	}

	/** A step that a person, a review or the engine does stays in place: steps before it stay before it, steps after it stay after it. */
	private passed(pending: readonly Entry[], order: readonly Entry[]): string | null {
		for (const step of pending) {
			const who = keptBy(this.type(step));
			if (who === null) continue;
			const before = new Set(pending.slice(0, pending.indexOf(step)));
			if (order.slice(0, order.indexOf(step)).some((s) => !before.has(s)) || order.indexOf(step) !== before.size)
				return `${step.id} (${step.type}) must stay where it is, and no step can be moved past it: ${who}`;
		}
		return null;
	}

	private newSteps(op: Fields, key: string): Entry[] | string {
		const value = op[key];
		if (value === undefined) return missing(op, key);
		if (!Array.isArray(value) || value.length === 0) return `\`${key}\` must be a non-empty array`;
		const made: Entry[] = [];
		let next = this.next;
		for (const item of value) {
			if (!isFields(item)) return `\`${key}\` must hold objects with type and description`;
			const type = typeof item["type"] === "string" ? own(this.definition.types, item["type"]) : undefined;
			if (!type || type.internal || type.detour || type.kind !== "agent")
				return `\`${key}\`: unknown step type ${short(item["type"])}; there are ${this.addable()}`;
			if (type.byEngine) return `steps of type ${type.name} are added by the engine only`;
			if (type.last) return `${type.name} must stay the last step, so no other can be added`;
			const description = textOf(item, "description");
			if ("problem" in description) return `a step of \`${key}\`: ${description.problem}`;
			made.push({ id: stepId(next++), type: type.name, status: "pending", description: description.text, restarts: 0 });
		}
		this.next = next;
		return made;
	}

	/** The limit only refuses growth: a list that is already too long, because the engine added steps, can still change. */
	private setSteps(steps: Entry[]): string | null {
		const count = steps.filter((s) => !this.type(s)?.internal).length;
		const { steps: limit } = this.definition.limits;
		const grows = steps.length > this.steps.length;
		this.steps = steps;
		return count > limit && grows ? `the workflow would have ${count} steps; the limit is ${limit}` : null;
	}

	private kept(target: Entry, how: string): string | null {
		const who = keptBy(this.type(target));
		return who === null ? null : `${target.id} (${target.type}) cannot be ${how}: ${who}`;
	}

	private done(details: EditDetails): null {
		this.edits.push({ details, order: this.steps.map((s) => s.id) });
		return null;
	}

	private replace(target: Entry, by: Entry): void {
		this.steps = this.steps.with(this.steps.indexOf(target), by);
	}

	private readonly addable = (): string =>
		Object.values(this.definition.types)
			.filter(isAddable)
			.map((type) => type.name)
			.join(", ");
	/** What agents see of it. */
	private readonly shown = (): string[] => this.steps.filter((s) => !this.type(s)?.internal).map((s) => s.id);
	private readonly type = (step: Entry): StepType | undefined => own(this.definition.types, step.type);
}

/** Of what is wrong; the journal keeps the reasons. */
const MOST_NAMED = 10;
const asNew = (step: Entry): NewStep => ({ id: step.id, type: step.type, description: step.description });
const notPending = (step: Entry): string => `${step.id} (${step.type}) is ${step.status}; only pending steps can be changed`;
