// A published schema as a TypeScript type, for programs that use pawl as a library.
import type { z } from "zod";

type Schema = z.core.JSONSchema.BaseSchema;

/** `export type NAME = …`, with the descriptions of the schema as comments. */
export const typeText = (name: string, schema: Schema): string =>
	`${comment(schema, "")}export type ${name} = ${typeOf(schema, "")};\n`.replaceAll(/ +\n/g, "\n");

function typeOf(schema: Schema, indent: string): string {
	const { type, properties, additionalProperties, items } = schema;
	const either = schema.anyOf ?? schema.oneOf;
	if (either !== undefined) return eitherType(either.map(asSchema), indent);
	if (schema.const !== undefined) return JSON.stringify(schema.const);
	if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
	if (Array.isArray(type)) return type.map((one) => typeOf({ ...schema, type: one }, indent)).join(" | ");
	if (type === "array") return `readonly ${inBrackets(typeOf(asSchema(items), indent))}[]`;
	if (type === "object" && properties !== undefined) return objectType(schema, indent);
	if (type === "object") return `{ readonly [name: string]: ${typeOf(asSchema(additionalProperties), indent)} }`;
	if (type === "integer") return "number";
	return typeof type === "string" ? type : "unknown";
}

/** On one line if it is short. */
function eitherType(types: readonly Schema[], indent: string): string {
	const short = types.map((one) => typeOf(one, indent)).join(" | ");
	if (!short.includes("\n")) return short;
	const inner = `${indent}\t`;
	return types.map((one) => `\n${comment(one, inner)}${inner}| ${typeOf(one, inner)}`).join("");
}

const inBrackets = (type: string): string => (/^\w+$|^\{/.test(type) ? type : `(${type})`);

function objectType({ properties = {}, required = [] }: Schema, indent: string): string {
	const inner = `${indent}\t`;
	const lines = Object.entries(properties).map(([name, value]) => {
		const one = asSchema(value);
		return `${comment(one, inner)}${inner}readonly ${name}${required.includes(name) ? "" : "?"}: ${typeOf(one, inner)};\n`;
	});
	return `{\n${lines.join("")}${indent}}`;
}

const asSchema = (one: unknown): Schema => (typeof one === "object" && one !== null && !Array.isArray(one) ? (one as Schema) : {});

const comment = ({ description }: Schema, indent: string): string => (description === undefined ? "" : `${indent}/** ${description} */\n`);
