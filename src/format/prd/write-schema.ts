// Regenerates schema/prd.schema.json: `node src/format/prd/write-schema.ts`. A test fails while the file is out of date.
import { writeFileSync } from "node:fs";
import { prdJsonSchema } from "./json-schema.ts";

writeFileSync(new URL("../../../schema/prd.schema.json", import.meta.url), `${JSON.stringify(prdJsonSchema(), null, 2)}\n`);
