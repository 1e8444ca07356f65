// The published schemas of what pawl prints. The code has types of these alone, with which the compiler compares them.
import { z } from "zod";
import type { RunFlag } from "../reader.ts";
import { eventSchema } from "./event.ts";
import { statusSchema } from "./status.ts";
import { typeText } from "./type-text.ts";

export const SCHEMAS = { event: eventSchema, status: statusSchema } as const;
export type SchemaName = keyof typeof SCHEMAS;

/** `closed`: refuses keys that it does not list. Published is the open one, because new versions add keys. */
export function jsonSchemaOf(name: SchemaName, closed = false): z.core.JSONSchema.BaseSchema {
	return z.toJSONSchema(SCHEMAS[name], {
		io: closed ? "output" : "input",
		unrepresentable: "any",
		override: ({ jsonSchema }) => {
			// Of the types: it says nothing about a document.
			delete jsonSchema.readOnly;
		},
	});
}

export const publishedText = (name: SchemaName): string => `${JSON.stringify(jsonSchemaOf(name), null, 2)}\n`;

/** The text of src/library/documents.ts. `flags`: those that formats add to `pawl run`. */
export const documentTypes = (flags: Readonly<Record<string, RunFlag>>): string =>
	[
		"// Made by `node src/schemas/write-schemas.ts`: the published schemas, and the flags that formats add to `pawl run`, as types. As long as they are.\n",
		flagTypes(flags),
		typeText("RunEvent", jsonSchemaOf("event")),
		typeText("RunStatus", jsonSchemaOf("status")),
	].join("\n");

/** A flag of the form `--no-…` is given as `false`. */
function flagTypes(flags: Readonly<Record<string, RunFlag>>): string {
	const own = Object.entries(flags).filter(([, { command }]) => command === undefined);
	const lines = own.map(([name, { flag, help }]) => {
		const isNo = flag.startsWith("--no-");
		return `\t/** ${isNo ? "false: " : ""}${help} */\n\treadonly ${name}?: ${isNo ? "boolean" : "string"};\n`;
	});
	return `/** What only some workflows understand. */\nexport interface FormatFlags {\n${lines.join("")}}\n`;
}
