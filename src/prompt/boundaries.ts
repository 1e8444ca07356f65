// Tells an agent what its step may write.
import type { StepType } from "../core/definition.ts";

export function boundaries(type: StepType | undefined): string {
	const writes = type?.writes ?? "none";
	if (writes === "any") return "You may change files in the working tree. Make no other branch, tag or stash.";
	const undone = "Any other change in the working tree, committed or not, is undone and fails the step.";
	if (writes === "none")
		return "You may not change, create or delete files in the working tree, nor commit: such a change is undone and fails the step.";
	if ("rule" in writes)
		return `In the working tree you may change only what the rule \`${writes.rule}\` allows; your instructions say what that is. ${undone}`;
	return `In the working tree you may change only what matches ${writes.map((glob) => `\`${glob}\``).join(", ")}. ${undone}`;
}
