// The formats that pawl knows. A new one is a folder beside this file and a line in this list.
import type { Format } from "../format.ts";
import { agentState } from "./agent-state/format.ts";
import { issue } from "./issue/format.ts";
import { pipeline } from "./pipeline/format.ts";
import { prd } from "./prd/format.ts";
import { request } from "./request/format.ts";
import { runFolder } from "./run-folder/format.ts";
import { workflowState } from "./workflow-state/format.ts";

export const formats: readonly Format[] = [request, prd, workflowState, agentState, runFolder, pipeline, issue];
