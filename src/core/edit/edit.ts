// An agent's request to change its remaining steps: six operations, checked one after the other on a copy. All of them
// are taken or none; every reason against is collected, because the next agent must be able to act on it.

import type { Definition, StepType } from "../definition.ts";
import type { EditDetails, NewStep } from "../event.ts";
import { stepId } from "../fold/apply.ts";
import type { EditRequest } from "../input.ts";
import type { Scope, Step } from "../model.ts";

export interface Edit {
	readonly details: EditDetails;
	/** All step ids of the scope after this operation. */
	readonly order: readonly string[];
}

export type EditDecision =
	| { readonly ok: true; readonly edits: readonly Edit[]; readonly restart: string | null; readonly added: number }
	| { readonly ok: false; readonly reasons: readonly string[]; readonly restartLimit: boolean };

const MAX_OPERATIONS = 100;
const MAX_TEXT = 16_384;

type Fields = Readonly<Record<string, unknown>>;
type Entry = Pick<Step, "id" | "type" | "status" | "description" | "restarts">;

export function decideEdits(request: EditRequest, scope: Scope, current: Step, definition: Definition): EditDecision {
	if ("problem" in request) return refuse([request.problem]);
	const operations = Array.isArray(request.operations) ? request.operations : isFields(request.operations) ? [request.operations] : null;
	if (operations === null) return refuse(["the edit file must hold a JSON array of operations"]);
	if (operations.length === 0) return refuse(["the edit file holds no operation"]);
	if (operations.length > MAX_OPERATIONS) return refuse([`the edit file holds more than ${MAX_OPERATIONS} operations`]);
	const list = new StepList(scope, current, definition);
	operations.forEach((operation, index) => {
		const problem = isFields(operation) ? list.take(operation) : "an operation must be a JSON object";
		if (problem !== null)
			list.reasons.push(
				`operation ${index + 1}${isFields(operation) && typeof operation["operation"] === "string" ? ` (${short(operation["operation"])})` : ""}: ${problem}`,
			);
	});
	if (list.reasons.length > 0) return { ok: false, reasons: list.reasons, restartLimit: list.restartLimit };
	return { ok: true, edits: list.edits, restart: list.restart, added: list.added };
}

const refuse = (reasons: readonly string[]): EditDecision => ({ ok: false, reasons, restartLimit: false });

class StepList {
	readonly reasons: string[] = [];
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

	/** Applies one operation to the copy, or says why not. */
	take(op: Fields): string | null {
		const reason = text(op["reason"]);
		if (reason === null) return "`reason` is missing";
		switch (op["operation"]) {
			case "add_after":
				return this.onTarget(op, (target) => this.addAfter(target, op["new_steps"], reason));
			case "split":
				return this.onTarget(op, (target) => this.split(target, op["replacement_steps"], reason));
			case "skip":
				return this.onTarget(op, (target) => this.skip(target, reason));
			case "edit_description":
				return this.onTarget(op, (target) => this.describe(target, op["new_description"], reason));
			case "restart":
				return this.onTarget(op, (target) => this.restartStep(target, op["new_description"], reason));
			case "reorder":
				return this.reorder(op["new_order"], reason);
			default:
				return `unknown operation ${short(op["operation"])}; there are add_after, split, skip, reorder, edit_description and restart`;
		}
	}

	private onTarget(op: Fields, f: (target: Entry) => string | null): string | null {
		const id = op["target_step_id"];
		const target = this.steps.find((s) => s.id === id && !this.type(s)?.internal);
		return target ? f(target) : `there is no step ${short(id)} in this story`;
	}

	private addAfter(target: Entry, value: unknown, reason: string): string | null {
		if (this.type(target)?.last) return `nothing may come after ${target.type}; name the step before it instead`;
		const made = this.newSteps(value, "new_steps");
		if (typeof made === "string") return made;
		const before = this.shown();
		this.steps.splice(this.steps.indexOf(target) + 1, 0, ...made);
		const over = this.tooMany();
		if (over !== null) return over;
		this.added += made.length;
		return this.done({
			operation: "add_after",
			reason,
			target_step_id: target.id,
			new_steps: made.map(asNew),
			before,
			after: this.shown(),
		});
	}

	private split(target: Entry, value: unknown, reason: string): string | null {
		const type = this.type(target);
		if (target.status !== "pending") return notPending(target);
		if (type?.last) return `${target.type} cannot be split`;
		const made = this.newSteps(value, "replacement_steps");
		if (typeof made === "string") return made;
		if (type?.mandatory && !made.some((s) => s.type === target.type))
			return `${target.type} is mandatory: its replacement must contain a step of that type`;
		const before = this.shown();
		this.steps.splice(this.steps.indexOf(target), 1, ...made);
		const over = this.tooMany();
		if (over !== null) return over;
		this.added += made.length;
		const replaced = { id: target.id, type: target.type, description: target.description };
		return this.done({
			operation: "split",
			reason,
			target_step_id: target.id,
			new_steps: made.map(asNew),
			before: { order: before, step: replaced },
			after: { order: this.shown() },
		});
	}

	private skip(target: Entry, reason: string): string | null {
		if (this.type(target)?.mandatory) return `${target.id} (${target.type}) is mandatory and cannot be skipped`;
		if (target.status !== "pending") return notPending(target);
		this.replace(target, { ...target, status: "skipped" });
		return this.done({ operation: "skip", reason, target_step_id: target.id, before: { status: "pending" }, after: { status: "skipped" } });
	}

	private describe(target: Entry, value: unknown, reason: string): string | null {
		const description = text(value);
		if (target.status === "in_progress") return `${target.id} is running; use restart to change its description`;
		if (target.status !== "pending") return notPending(target);
		if (description === null) return "`new_description` is missing";
		this.replace(target, { ...target, description });
		return this.done({
			operation: "edit_description",
			reason,
			target_step_id: target.id,
			old_description: target.description,
			new_description: description,
		});
	}

	private restartStep(target: Entry, value: unknown, reason: string): string | null {
		const description = text(value);
		if (target.id !== this.current.id) return `only the running step (${this.current.id}) can be restarted`;
		if (this.restart !== null) return "the step is restarted by an earlier operation of this file";
		if (description === null) return "`new_description` is missing";
		if (target.restarts >= this.definition.limits.restarts) {
			this.restartLimit = true;
			return `restart limit reached: ${target.id} was restarted ${target.restarts} times already`;
		}
		this.restart = description;
		return this.done({
			operation: "restart",
			reason,
			target_step_id: target.id,
			old_description: target.description,
			new_description: description,
		});
	}

	private reorder(value: unknown, reason: string): string | null {
		if (!Array.isArray(value)) return "`new_order` must be an array of step ids";
		const pending = this.steps.filter((s) => s.status === "pending" && !this.type(s)?.internal);
		const wanted = value.map((id) => pending.find((s) => s.id === id));
		const missing = pending.filter((s) => !value.includes(s.id)).map((s) => s.id);
		const foreign = value.filter((_, i) => wanted[i] === undefined).map(short);
		if (foreign.length > 0) return `\`new_order\` names what is no pending step: ${foreign.join(", ")}`;
		if (missing.length > 0) return `\`new_order\` must name every pending step; missing: ${missing.join(", ")}`;
		if (new Set(value).size !== value.length) return "`new_order` names a step twice";
		const order = wanted.filter((s) => s !== undefined);
		const last = order.findIndex((s) => this.type(s)?.last);
		if (last !== -1 && last !== order.length - 1) return `${order[last]?.type} must stay last`;
		const before = pending.map((s) => s.id);
		const queue = [...order];
		this.steps = this.steps.map((s) => (pending.includes(s) ? (queue.shift() ?? s) : s));
		return this.done({ operation: "reorder", reason, before, after: order.map((s) => s.id) });
	}

	private newSteps(value: unknown, key: string): Entry[] | string {
		if (!Array.isArray(value) || value.length === 0) return `\`${key}\` must be a non-empty array`;
		const made: Entry[] = [];
		let next = this.next;
		for (const item of value) {
			if (!isFields(item)) return `\`${key}\` must hold objects with type and description`;
			const type =
				typeof item["type"] === "string" && Object.hasOwn(this.definition.types, item["type"])
					? this.definition.types[item["type"]]
					: undefined;
			if (!type || type.internal || type.detour || type.kind !== "agent") return `unknown step type ${short(item["type"])}`;
			if (type.byEngine) return `steps of type ${type.name} are added by the engine only`;
			if (type.last) return `${type.name} must stay the last step, so no other can be added`;
			const description = text(item["description"]);
			if (description === null) return `a step of \`${key}\` has no description`;
			made.push({ id: stepId(next++), type: type.name, status: "pending", description, restarts: 0 });
		}
		this.next = next;
		return made;
	}

	private tooMany(): string | null {
		const count = this.steps.filter((s) => !this.type(s)?.internal).length;
		return count > this.definition.limits.steps
			? `the workflow would have ${count} steps; the limit is ${this.definition.limits.steps}`
			: null;
	}

	private done(details: EditDetails): null {
		this.edits.push({ details, order: this.ids() });
		return null;
	}

	private replace(target: Entry, by: Entry): void {
		this.steps = this.steps.with(this.steps.indexOf(target), by);
	}

	private readonly ids = (): string[] => this.steps.map((s) => s.id);
	/** What agents see of it. */
	private readonly shown = (): string[] => this.steps.filter((s) => !this.type(s)?.internal).map((s) => s.id);
	private readonly type = (step: Entry): StepType | undefined => this.definition.types[step.type];
}

const asNew = (step: Entry): NewStep => ({ id: step.id, type: step.type, description: step.description });
const notPending = (step: Entry): string => `${step.id} (${step.type}) is ${step.status}; only pending steps can be changed`;
const isFields = (value: unknown): value is Fields => typeof value === "object" && value !== null && !Array.isArray(value);
const text = (value: unknown): string | null =>
	typeof value === "string" && value.trim() !== "" && value.length <= MAX_TEXT ? value : null;

/** An agent's value in a message: one line, never long. */
function short(value: unknown): string {
	if (typeof value === "string") return `"${value.replaceAll(/\s+/g, " ").slice(0, 60)}"`;
	return value === undefined
		? "(none)"
		: Array.isArray(value)
			? "(a list)"
			: typeof value === "object"
				? "(an object)"
				: String(value).slice(0, 60);
}
