// The JSON Schema for editors, generated from the schema that loading uses, so that the two cannot differ.
import { z } from "zod";
import { workflowSchema } from "./schema.ts";

export function workflowJsonSchema(): string {
	return `${JSON.stringify(z.toJSONSchema(workflowSchema, { io: "input", reused: "inline" }), null, 2)}\n`;
}
