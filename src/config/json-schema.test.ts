import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { configJsonSchema } from "./json-schema.ts";

test("T-60 T-62: schema/pawl.schema.json is what the schema of pawl.yml gives", () => {
	const file = readFileSync(new URL("../../schema/pawl.schema.json", import.meta.url), "utf8");
	assert.equal(file, configJsonSchema(), "stale: run `node src/config/write-schema.ts`");
	const schema = JSON.parse(file);
	assert.equal(schema.additionalProperties, false);
	for (const key of ["checks", "setup", "agents", "limits", "notify"]) assert.ok(schema.properties[key], key);
});
