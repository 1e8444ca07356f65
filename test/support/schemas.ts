// Whether a document is what the published schemas say. Closed: a key that a schema does not list is a fault of the schema.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { main } from "../../src/cli/program.ts";
import { jsonSchemaOf, SCHEMAS, type SchemaName } from "../../src/schemas/all.ts";
import { services } from "../../src/wiring.ts";
import { PAWL } from "./bin.ts";

const ROOT = join(import.meta.dirname, "..", "..");
const made = new Map<string, z.ZodType>();

function schemaFor(name: string, closed: boolean): z.ZodType {
	const key = `${name} ${closed}`;
	const known = made.get(key);
	if (known !== undefined) return known;
	const document =
		closed && name in SCHEMAS
			? jsonSchemaOf(name as SchemaName, true)
			: JSON.parse(readFileSync(join(ROOT, "schema", `${name}.schema.json`), "utf8"));
	const schema = z.fromJSONSchema(document as Parameters<typeof z.fromJSONSchema>[0]);
	made.set(key, schema);
	return schema;
}

/** What is wrong with it; empty if nothing is. */
export function faultsOf(name: string, document: unknown, closed: boolean): string {
	const result = schemaFor(name, closed).safeParse(document);
	return result.success ? "" : `${JSON.stringify(document).slice(0, 300)}: ${z.prettifyError(result.error)}`;
}

export function assertFits(name: SchemaName, document: unknown): void {
	for (const closed of [false, true]) assert.equal(faultsOf(name, document, closed), "", name);
}

/** `history --json` and `status --json` of the latest run in a repository, in this process. */
export async function assertRunFits(cwd: string): Promise<void> {
	const printed = async (...args: string[]): Promise<string> => {
		let out = "";
		const add = (text: string): void => {
			out += text;
		};
		const place = { cwd, env: { PATH: process.env["PATH"] }, out: add, err: () => {}, input: () => process.stdin, self: [PAWL] };
		assert.equal(await main(args, services, place), 0, args.join(" "));
		return out;
	};
	for (const line of (await printed("history", "--json")).trimEnd().split("\n")) assertFits("event", JSON.parse(line));
	assertFits("status", JSON.parse(await printed("status", "--json")));
}
