// Writes schema/workflow.schema.json anew: `node src/definition/write-schema.ts`. A test fails while the file is stale.
import { writeFileSync } from "node:fs";
import { workflowJsonSchema } from "./json-schema.ts";

writeFileSync(new URL("../../schema/workflow.schema.json", import.meta.url), workflowJsonSchema());
