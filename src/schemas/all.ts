// The published schemas of what pawl prints. The code has types of these alone, with which the compiler compares them.
import { z } from "zod";
import { eventSchema } from "./event.ts";
import { statusSchema } from "./status.ts";

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
