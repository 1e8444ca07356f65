// The keeper `task-document`: the document is the user's. Whoever works on a task may not change what the task is measured by, so a change
// is put back, kept in the run's files and told.
import { existsSync, readFileSync } from "node:fs";
import { basename, join, relative } from "node:path";
import { writeWhole } from "../../files/write.ts";
import type { Keeper } from "../../format.ts";

/** What the document was when the attempt began; null if it could not be read then. */
interface Memory {
	readonly text: string | null;
}

export const documentKeeper: Keeper = {
	async before({ state }): Promise<Memory> {
		return { text: textOf(state.input["task_doc"]) };
	},

	async after({ state, workspace, sharedDir, scope, step, attempt }, _said, memory) {
		const file = state.input["task_doc"];
		const was = (memory as Memory | null)?.text ?? null;
		if (file === undefined || was === null) return {};
		const now = textOf(file);
		if (now === was) return {};
		const copy = join(sharedDir, "put_back", `${scope}-${step.id}-${attempt}-${basename(file)}`);
		if (now !== null) await writeWhole(copy, now);
		await writeWhole(file, was);
		const name = relative(workspace.path, file);
		const kept = now === null ? "" : `; what it was changed to is in ${copy}`;
		return { putBack: [name], remarks: [`put back: ${name} (the task document is the user's; ${step.type} may not change it${kept})`] };
	},
};

function textOf(file: string | undefined): string | null {
	if (file === undefined || !existsSync(file)) return null;
	try {
		return readFileSync(file, "utf8");
	} catch {
		return null;
	}
}
