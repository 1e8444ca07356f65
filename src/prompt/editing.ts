// The part of a prompt that tells an agent how to change the steps ahead of it: where the file goes, what it may contain, what will
// be refused, and the current list. All of it comes from the definition, so that it cannot promise more than holds.
import type { Definition, StepType } from "../core/definition.ts";
import { isAddable, keptBy } from "../core/edit/allowed.ts";
import { amount, MAX_OPERATIONS, MAX_TEXT } from "../core/edit/fields.ts";
import type { Scope, Step } from "../core/model.ts";

export const NO_EDITING = "Changing the list of steps is not allowed in this step: a request for it would be rejected.";

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
	const mandatory = Object.values(definition.types)
		.filter((one) => one.mandatory && !one.internal)
		.map((one) => `\`${one.name}\``);
	const last = steps.find((one) => type(one.type)?.last);
	const ahead = steps.filter((one) => one.status === "pending");
	const before = last ? steps[steps.indexOf(last) - 1] : undefined;
	const spare = ahead.find((one) => !type(one.type)?.mandatory && keptBy(type(one.type)) === null)?.id ?? "ID-OF-A-PENDING-STEP";
	const kept = ahead.filter((one) => keptBy(type(one.type)) !== null).map((one) => `${one.id} (${one.type})`);
	const order = ahead.length > 0 ? ahead.map((one) => one.id) : [spare];
	// The example must not be one that would be rejected: nothing may be put after the last step.
	const behind = last?.id === step.id ? (before?.id ?? step.id) : step.id;
	const under = editFile.startsWith(`${sharedDir}/`) ? ` (\`${editFile.slice(sharedDir.length + 1)}\` under \`$RALPH_SHARED_DIR\`)` : "";
	const some = addable[0]?.name ?? "coding";
	const added = addable.some((one) => one.name === "coding") ? "coding" : some;
	const example = (operation: string, fields: object): string => `\`${JSON.stringify({ operation, reason: "why", ...fields })}\``;

	return [
		"You may change the steps that are still ahead. Do it only when the list as it stands would not lead to the goal.",
		"",
		`Write one JSON array of operations to \`${editFile}\`${under}. Write it under a temporary name in the same folder`,
		`first, then rename it: \`mv '${editFile}.part' '${editFile}'\`. It is read once, after this step has ended well.`,
		"The operations apply in order, each to the list as the ones before it have left it. They are taken as a whole: one operation that is not allowed rejects all of them.",
		last?.id === step.id
			? "This is the last step: if its operations are rejected, it runs again and is told why."
			: "The reasons of a rejection are put into the story's scratch file.",
		"",
		"The operations, each with a `reason`:",
		"",
		`- \`add_after\`: new steps right behind any step, whatever its status. ${example("add_after", { target_step_id: behind, new_steps: [{ type: added, description: "what exactly it must do" }] })}`,
		`- \`split\`: several steps in place of a pending one. ${example("split", {
			target_step_id: spare,
			replacement_steps: [
				{ type: added, description: "first part" },
				{ type: added, description: "second part" },
			],
		})}`,
		`- \`skip\`: a pending step is not needed. ${example("skip", { target_step_id: spare })}`,
		`- \`reorder\`: another order of the pending steps; \`new_order\` names every pending id exactly once. ${example("reorder", { new_order: order })}`,
		`- \`edit_description\`: another task for a pending step. ${example("edit_description", { target_step_id: spare, new_description: "the new task" })}`,
		`- \`restart\`: this step went the wrong way; its changes are undone and it runs again with the new description. ${example("restart", { target_step_id: step.id, new_description: "the task, and what to avoid this time" })}`,
		"",
		"Limits:",
		"",
		`- Types for new steps: ${addable.map((one) => `\`${one.name}\``).join(", ")}. Ids are given by the engine: do not invent any, and do not refer to steps that the same file adds.`,
		...(mandatory.length > 0 ? [`- Steps of type ${mandatory.join(" and ")} can be neither skipped nor split away.`] : []),
		...(last ? [`- \`${last.type}\` stays last: nothing comes after ${last.id}.${beforeLast(last, before, step)}`] : []),
		...(kept.length > 0
			? [
					`- ${kept.join(", ")}: a person, a review or the engine does ${kept.length > 1 ? "these" : "this"}. Neither skip, split nor describe them otherwise, and move no step past them.`,
				]
			: []),
		"- Only pending steps change. What is completed, failed, skipped or cancelled stays as it is; for the running step there is `restart` alone.",
		`- At most ${definition.limits.steps} steps in the list (now ${steps.length}), at most ${definition.limits.restarts} restarts of one step (this one: ${step.restarts}).`,
		`- At most ${MAX_OPERATIONS} operations, and ${amount(MAX_TEXT)} characters in a text.`,
		"- Only this story's steps. Never write to the files in which pawl keeps the state of the run.",
		"",
		"The list now:",
		"",
		...steps.map((one) => `- ${one.id} ${one.type} [${one.status}] ${oneLine(one.description)}${one.id === step.id ? " (this step)" : ""}`),
	].join("\n");
}

function beforeLast(last: Step, before: Step | undefined, step: Step): string {
	if (!before) return "";
	const again = last.id === step.id ? " This step then runs again after them." : "";
	return ` To put work in front of it, use \`add_after\` with \`"target_step_id":"${before.id}"\`.${again}`;
}

function oneLine(text: string): string {
	const line = text.replace(/\s+/g, " ").trim();
	return line.length > 200 ? `${line.slice(0, 200)}...` : line;
}
