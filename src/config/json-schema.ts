// The JSON Schema of pawl.yml for editors, generated from the schema that loading uses, so that the two cannot differ.
import { z } from "zod";
import { configSchema } from "./schema.ts";

export function configJsonSchema(): string {
	return `${JSON.stringify(z.toJSONSchema(configSchema, { io: "input", reused: "inline", unrepresentable: "any" }), null, 2)}\n`;
}
