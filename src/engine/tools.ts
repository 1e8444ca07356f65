// What the parts of the engine share: the open run, its workspaces and its files.

import type { AgentPicker } from "./attempt/agent-picker.ts";
import type { EditFiles } from "./edit-file.ts";
import type { EngineParts } from "./parts.ts";
import type { Projector } from "./projector.ts";
import type { Run } from "./run.ts";
import type { Scratch } from "./scratch.ts";
import type { Workspaces } from "./workspaces.ts";

export interface Tools {
	readonly parts: EngineParts;
	readonly run: Run;
	readonly workspaces: Workspaces;
	readonly scratch: Scratch;
	readonly edits: EditFiles;
	readonly projector: Projector;
	readonly picker: AgentPicker;
}
