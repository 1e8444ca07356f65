// A pipeline as a way of writing a workflow.
import type { Spelling } from "../../definition/spelling.ts";
import { compilePipeline } from "./compile.ts";
import { isPipeline, readPipeline } from "./shape.ts";

export const pipelineSpelling: Spelling = {
	matches: isPipeline,
	compile: (value, readFile, notes) => compilePipeline(readPipeline(isPipeline(value) ? value : {}, notes), readFile, notes),
};
