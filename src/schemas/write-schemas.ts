// Regenerates schema/event.schema.json and status.schema.json: `node src/schemas/write-schemas.ts`. A test fails while a file is out of date.
import { writeFileSync } from "node:fs";
import { publishedText, SCHEMAS, type SchemaName } from "./all.ts";

for (const name of Object.keys(SCHEMAS) as SchemaName[])
	writeFileSync(new URL(`../../schema/${name}.schema.json`, import.meta.url), publishedText(name));
