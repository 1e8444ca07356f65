// Regenerates schema/event.schema.json and status.schema.json, and the same as types for the library: `node src/schemas/write-schemas.ts`. A test
// fails while a file is out of date.
import { writeFileSync } from "node:fs";
import { formats } from "../format/all.ts";
import { documentTypes, publishedText, SCHEMAS, type SchemaName } from "./all.ts";

for (const name of Object.keys(SCHEMAS) as SchemaName[])
	writeFileSync(new URL(`../../schema/${name}.schema.json`, import.meta.url), publishedText(name));
writeFileSync(new URL("../library/documents.ts", import.meta.url), documentTypes(Object.assign({}, ...formats.map(({ flags }) => flags))));
