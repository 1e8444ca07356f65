// Regenerates schema/workflow.schema.json: `node src/definition/write-schema.ts`. A test fails while the file is out of date.
import { writeFileSync } from "node:fs";
import { workflowJsonSchema } from "./json-schema.ts";

writeFileSync(new URL("../../schema/workflow.schema.json", import.meta.url), workflowJsonSchema());
