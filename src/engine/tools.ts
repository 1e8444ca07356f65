// What the parts of the engine share: the open run, its workspaces and its files.

import { AgentPicker } from "./attempt/agent-picker.ts";
import { EditFiles } from "./edit-file.ts";
import type { EngineParts } from "./parts.ts";
import { Projector } from "./projector.ts";
import type { Run } from "./run.ts";
import { Scratch } from "./scratch.ts";
import { Workspaces } from "./workspaces.ts";

export interface Tools {
	readonly parts: EngineParts;
	readonly run: Run;
	readonly workspaces: Workspaces;
	readonly scratch: Scratch;
	readonly edits: EditFiles;
	readonly projector: Projector;
	readonly picker: AgentPicker;
}

/** `onError`: the files that follow the journal cannot be written. `vacate`: see Workspaces. */
export function toolsOf(
	parts: EngineParts,
	run: Run,
	onError: (error: unknown) => void,
	vacate?: (story: string, next: string | null) => Promise<void>,
): Tools {
	return {
		parts,
		run,
		workspaces: new Workspaces(parts.repository, parts.occupants, vacate),
		projector: new Projector(
			parts.projections(run.state, (text) => parts.onWarning?.(text)),
			parts.clock,
			onError,
		),
		scratch: new Scratch(parts.sharedDir),
		edits: new EditFiles(parts.sharedDir),
		picker: new AgentPicker(),
	};
}
