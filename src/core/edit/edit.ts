// An agent's request to change its remaining steps. The operations are applied one after the other to a copy of the list (step-list.ts).
// All of them are accepted or none. All reasons for a rejection are collected, so that the next agent can act on them.
import type { Definition } from "../definition.ts";
import type { EditRequest } from "../input.ts";
import type { Scope, Step } from "../model.ts";
import { type Fields, isFields, MAX_OPERATIONS, short } from "./fields.ts";
import { type Edit, StepList } from "./step-list.ts";

export type EditDecision =
	/** Without `edits` the request asks for nothing. */
	| { readonly ok: true; readonly edits: readonly Edit[]; readonly restart: string | null; readonly added: number }
	| { readonly ok: false; readonly reasons: readonly string[]; readonly restartLimit: boolean };

export function decideEdits(request: EditRequest, scope: Scope, current: Step, definition: Definition): EditDecision {
	if ("problem" in request) return refuse([request.problem]);
	const operations = listOf(request.operations);
	if (operations === null) return refuse(["the edit file must hold a JSON array of operations, or one operation"]);
	if (operations.length > MAX_OPERATIONS)
		return refuse([`the edit file holds ${operations.length} operations, and ${MAX_OPERATIONS} are the most that are taken`]);
	const list = new StepList(scope, current, definition);
	const reasons = operations.flatMap((operation, index) => {
		const problem = isFields(operation) ? list.take(operation) : `an operation must be a JSON object, and is ${short(operation)}`;
		return problem === null ? [] : [`operation ${index + 1}${nameOf(operation)}: ${problem}`];
	});
	if (reasons.length > 0) return { ok: false, reasons, restartLimit: list.restartLimit };
	return { ok: true, edits: list.edits, restart: list.restart, added: list.added };
}

/** A list; one operation alone; or `{"operations": [...]}` around them. */
function listOf(value: unknown): readonly unknown[] | null {
	if (Array.isArray(value)) return value;
	if (!isFields(value)) return null;
	return !Object.hasOwn(value, "operation") && Array.isArray(value["operations"]) ? value["operations"] : [value];
}

const nameOf = (operation: unknown): string => {
	const name = isFields(operation) ? (operation as Fields)["operation"] : undefined;
	return typeof name === "string" ? ` (${short(name)})` : "";
};

const refuse = (reasons: readonly string[]): EditDecision => ({ ok: false, reasons, restartLimit: false });
