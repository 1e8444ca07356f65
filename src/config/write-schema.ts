// Regenerates schema/pawl.schema.json: `node src/config/write-schema.ts`. A test fails while the file is out of date.
import { writeFileSync } from "node:fs";
import { configJsonSchema } from "./json-schema.ts";

writeFileSync(new URL("../../schema/pawl.schema.json", import.meta.url), configJsonSchema());
