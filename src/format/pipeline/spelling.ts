// A pipeline as a way of writing a workflow.
import type { Spelling } from "../../definition/spelling.ts";
import { spellPipeline } from "./compile.ts";
import { isPipeline, readPipeline } from "./shape.ts";

export const pipelineSpelling: Spelling = {
	matches: isPipeline,
	read: (value, notes) => spellPipeline(readPipeline(isPipeline(value) ? value : {}, notes), notes),
};
