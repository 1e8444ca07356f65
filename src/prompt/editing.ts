// The part of a prompt that tells an agent how to change the steps ahead of it: where the file goes, what it may contain, what will
// be refused, and which steps are ahead. All of it comes from the definition, so that it cannot promise more than holds.
import type { Definition, StepType } from "../core/definition.ts";
import { isAddable, keptBy } from "../core/edit/allowed.ts";
import type { Scope, Step } from "../core/model.ts";

export const NO_EDITING = "Changing the steps is not allowed in this step.";

export interface EditingRequest {
	readonly definition: Definition;
	readonly scope: Scope;
	readonly step: Step;
	readonly editFile: string;
	readonly sharedDir: string;
}

export function editingBlock({ definition, scope, step, editFile, sharedDir }: EditingRequest): string {
	const type = (name: string): StepType | undefined => definition.types[name];
	const steps = scope.steps.filter((one) => !type(one.type)?.internal);
	const addable = Object.values(definition.types).filter(isAddable);
	const ahead = steps.filter((one) => one.status === "pending");
	const last = steps.find((one) => type(one.type)?.last);
	const before = last ? steps[steps.indexOf(last) - 1] : undefined;
	const added = addable.find((one) => one.name === "coding")?.name ?? addable[0]?.name ?? "coding";
	// The example must not be one that would be rejected: nothing may be put after the last step. And it is copied: more work of a kind comes behind
	// the work of that kind.
	const behind = last?.id === step.id ? (before?.id ?? step.id) : (ahead.findLast((one) => one.type === added)?.id ?? step.id);
	const example = [
		{ operation: "add_after", target_step_id: behind, new_steps: [{ type: added, description: "what to do" }], reason: "why" },
	];
	const under = editFile.startsWith(`${sharedDir}/`) ? " (under `$RALPH_SHARED_DIR`)" : "";

	const rejected = last?.id === step.id ? ", and this step runs again and is told why" : "";
	return [
		ahead.length === 0
			? "No step is ahead of this one."
			: `Ahead: ${ahead.map((one) => `${one.id} ${one.type}${marks(type(one.type))}`).join(", ")}.`,
		...described(ahead, type),
		"",
		`${ahead.length === 0 ? "If work is missing" : "If they do not fit"}, write a JSON array of operations to \`${editFile}\`${under}: to a temporary name beside it, then rename it. It is read once, when this step has ended well. They apply in order; one that is not allowed rejects all${rejected}. Each has an \`operation\`, a \`reason\` and (but \`reorder\`) a \`target_step_id\`:`,
		"",
		`    ${JSON.stringify(example)}`,
		"",
		"- `add_after`: `new_steps` right behind any step",
		"- `split`: `replacement_steps`, like `new_steps`, in place of a pending step",
		"- `skip`: a pending step is not needed",
		"- `edit_description`: `new_description`, another task for a pending step",
		"- `restart`: `new_description`; this step begins again, its changes undone",
		"- `reorder`: `new_order`, every pending id once",
		"",
		`${limits(definition, steps, step, addable)}${lastWords(last, before, step)}${keptWords(ahead, type)}`,
	].join("\n");
}

/** The tasks that differ from what every step of the type is for. */
function described(ahead: readonly Step[], type: (name: string) => StepType | undefined): string[] {
	const own = ahead.filter((one) => one.description !== type(one.type)?.description);
	return own.length === 0 ? [] : ["", ...own.map((one) => `- ${one.id}: ${oneLine(one.description)}`)];
}

function marks(type: StepType | undefined): string {
	const words = [...(type?.mandatory ? ["mandatory"] : []), ...(type?.last ? ["last"] : [])];
	return words.length === 0 ? "" : ` (${words.join(", ")})`;
}

function limits(definition: Definition, steps: readonly Step[], step: Step, addable: readonly StepType[]): string {
	const { limits: most, types } = definition;
	const mandatory = Object.values(types).some((one) => one.mandatory && !one.internal);
	return [
		`Types for new steps: ${addable.map((one) => one.name).join(", ")}; pawl gives them their ids.`,
		...(mandatory ? ["A mandatory step can be neither skipped nor split away."] : []),
		`At most ${most.steps} steps in the list (now ${steps.length}).`,
		...(step.restarts === 0 ? [] : [`At most ${most.restarts} restarts of one step (this one: ${step.restarts}).`]),
	].join(" ");
}

function lastWords(last: Step | undefined, before: Step | undefined, step: Step): string {
	if (!last) return "";
	if (last.id !== step.id) return " Nothing goes behind the last step.";
	const front = before
		? ` To put work in front of it, use \`add_after\` with \`"target_step_id":"${before.id}"\`. This step then runs again.`
		: "";
	return ` This step stays last.${front}`;
}

function keptWords(ahead: readonly Step[], type: (name: string) => StepType | undefined): string {
	const kept = ahead.filter((one) => keptBy(type(one.type)) !== null).map((one) => `${one.id} (${one.type})`);
	if (kept.length === 0) return "";
	return ` ${kept.join(", ")}: a person, a review or the engine does ${kept.length > 1 ? "these" : "this"}; neither skip, split nor describe ${kept.length > 1 ? "them" : "it"} otherwise, and move no step past ${kept.length > 1 ? "them" : "it"}.`;
}

function oneLine(text: string): string {
	const line = text.replace(/\s+/g, " ").trim();
	return line.length > 200 ? `${line.slice(0, 200)}...` : line;
}
