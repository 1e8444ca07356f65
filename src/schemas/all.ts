// The schemas that schema/ publishes of formats that are not read with a schema: of these the code has types alone.
import { z } from "zod";
import { eventSchema } from "./event.ts";
import { prdSchema } from "./prd.ts";
import { statusSchema } from "./status.ts";

export const SCHEMAS = { event: eventSchema, prd: prdSchema, status: statusSchema } as const;
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
