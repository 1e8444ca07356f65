// Writes schema/agent-state.schema.json from the schema in the code. A test fails where the two differ.
import { writeFileSync } from "node:fs";
import { agentStateJsonSchema } from "./json-schema.ts";

writeFileSync(new URL("../../../schema/agent-state.schema.json", import.meta.url), agentStateJsonSchema());
