// Pages of what has a JSON Schema in schema/: a section for each map of keys, in tables.
import { cell, code, MADE, page, table } from "./table.ts";

export interface Schema {
	readonly type?: string | readonly string[];
	readonly const?: unknown;
	readonly enum?: readonly unknown[];
	readonly pattern?: string;
	readonly description?: string;
	readonly minimum?: number;
	readonly maximum?: number;
	readonly items?: Schema;
	readonly properties?: Readonly<Record<string, Schema>>;
	readonly required?: readonly string[];
	readonly additionalProperties?: Schema | boolean;
	readonly anyOf?: readonly Schema[];
	readonly oneOf?: readonly Schema[];
	readonly $ref?: string;
	readonly $defs?: Readonly<Record<string, Schema>>;
}

export interface SchemaPage {
	readonly title: string;
	readonly intro: string;
	readonly schema: Schema;
	/** What a key of a map stands for: `agents` → NAME. */
	readonly names?: Readonly<Record<string, string>>;
	/** What pawl prints, not what it reads: a key that may be missing is said, and so is null. */
	readonly printed?: true;
}

export function schemaPage({ title, intro, schema, names = {}, printed }: SchemaPage): string {
	const sections: string[] = [];
	const done = new Map<string, string>();
	const walk = (path: string, at: Schema): void => {
		const map = keysOf(at, schema);
		if (map === null) return;
		// The same keys at a second place are shown once.
		const same = JSON.stringify(map.properties);
		const before = done.get(same);
		if (before !== undefined) return void sections.push(`## \`${path}\`\n\nAs [\`${before}\`](#${anchor(before)}).`);
		if (path !== "") done.set(same, path);
		sections.push(`## ${path === "" ? "Top level" : `\`${path}\``}\n\n${keyTable(map, schema, printed)}`);
		for (const [key, value] of Object.entries(map.properties ?? {}))
			for (const { below, inside } of insides(value, schema, names[key] ?? "NAME"))
				walk(`${path === "" ? "" : `${path}.`}${key}${below}`, inside);
	};
	walk("", schema);
	for (const [name, value] of Object.entries(schema.$defs ?? {}))
		if (!name.startsWith("__")) sections.push(`## ${name}\n\n${keyTable(value, schema)}`);
	return page(`# ${title}`, `${MADE} ${intro}`, ...sections);
}

const anchor = (path: string): string => path.toLowerCase().replace(/[^a-z0-9_-]/g, "");

export function keyTable(map: Schema, whole: Schema, printed?: true): string {
	const required = new Set(map.required ?? []);
	return withoutEmptyColumn(
		["key", "value", "meaning"],
		Object.entries(map.properties ?? {}).map(([key, value]) => [
			code(key),
			typeWords(value, whole) + (printed && mayBeNull(value) ? " or `null`" : ""),
			[
				printed || !required.has(key) ? "" : "required",
				cell(descriptionOf(value, whole)),
				printed && !required.has(key) ? "not always there" : "",
			]
				.filter((part) => part !== "")
				.join("; "),
		]),
	);
}

const mayBeNull = (at: Schema): boolean => [at.type].flat().includes("null") || (at.anyOf ?? []).some(mayBeNull);

function withoutEmptyColumn(head: readonly string[], rows: readonly (readonly string[])[]): string {
	const isEmpty = rows.every((row) => row.at(-1) === "");
	return isEmpty
		? table(
				head.slice(0, -1),
				rows.map((row) => row.slice(0, -1)),
			)
		: table(head, rows);
}

const resolved = (at: Schema, whole: Schema): Schema => {
	const name = /^#\/\$defs\/(.+)$/.exec(at.$ref ?? "")?.[1];
	return name === undefined ? at : (whole.$defs?.[name] ?? {});
};

const choices = (at: Schema): readonly Schema[] => (at.anyOf ?? at.oneOf ?? [at]).filter((one) => one.type !== "null");

function descriptionOf(at: Schema, whole: Schema): string {
	return at.description ?? choices(resolved(at, whole)).find((one) => one.description !== undefined)?.description ?? "";
}

/** The map of known keys that this is, or may be. */
function keysOf(at: Schema, whole: Schema): Schema | null {
	for (const one of choices(resolved(at, whole))) {
		const found = resolved(one, whole);
		if (found.properties !== undefined) return found;
		if (found !== at && found.anyOf !== undefined) return keysOf(found, whole);
	}
	return null;
}

const namesDefinition = ({ $ref }: Schema): boolean => $ref !== undefined && !/\/__\w+$/.test($ref);

/** Maps of known keys in a value: the value itself, its items, or what its names stand for. */
function insides(at: Schema, whole: Schema, name: string): { readonly below: string; readonly inside: Schema }[] {
	const found: { below: string; inside: Schema }[] = [];
	for (const one of choices(at)) {
		// It has a section of its own.
		if (namesDefinition(one) || choices(resolved((one.additionalProperties || one.items || {}) as Schema, whole)).some(namesDefinition))
			continue;
		if (one.properties !== undefined) found.push({ below: "", inside: one });
		if (one.items !== undefined && keysOf(one.items, whole) !== null) found.push({ below: "[]", inside: one.items });
		if (typeof one.additionalProperties === "object" && keysOf(one.additionalProperties, whole) !== null)
			found.push({ below: `.${name}`, inside: one.additionalProperties });
		if (one.anyOf !== undefined) found.push(...insides(one, whole, name));
	}
	return found;
}

/** The kind of a value in words, as Markdown. */
export function typeWords(at: Schema, whole: Schema): string {
	const words = [...new Set((at.anyOf ?? at.oneOf ?? [at]).map((one) => oneType(one, whole)))].filter((word) => word !== "");
	return words.length === 0 ? "anything" : words.join(" or ");
}

function oneType(at: Schema, whole: Schema): string {
	if (at.$ref !== undefined) return refWords(at, whole);
	if (at.anyOf !== undefined || at.oneOf !== undefined) return typeWords(at, whole);
	if (at.const !== undefined) return code(String(at.const));
	if (at.enum !== undefined) return at.enum.map((value) => code(String(value))).join(", ");
	const types = [at.type ?? []].flat().filter((type) => type !== "null");
	return types.map((type) => plainType(type, at, whole)).join(" or ");
}

function refWords(at: Schema, whole: Schema): string {
	const name = at.$ref?.split("/").at(-1) ?? "";
	return namesDefinition(at) ? `[${name}](#${anchor(name)})` : typeWords(resolved(at, whole), whole);
}

function plainType(type: string, at: Schema, whole: Schema): string {
	switch (type) {
		case "string":
			return "text";
		case "boolean":
			return "`true`, `false`";
		case "integer":
		case "number": {
			const from = at.minimum === undefined ? "" : ` from ${at.minimum}`;
			const to = at.maximum === undefined || at.maximum > 1e15 ? "" : ` to ${at.maximum}`;
			return `${type === "integer" ? "whole number" : "number"}${from}${to}`;
		}
		case "array":
			return at.items === undefined ? "list" : `list of ${plural(typeWords(at.items, whole))}`;
		case "object":
			return at.properties === undefined && typeof at.additionalProperties === "object"
				? `name → ${typeWords(at.additionalProperties, whole)}`
				: "map";
		default:
			return type;
	}
}

const plural = (words: string): string => (words === "text" ? "texts" : words === "map" ? "maps" : words);
