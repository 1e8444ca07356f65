import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { workflowJsonSchema } from "./json-schema.ts";

test("schema/workflow.schema.json is what the schema gives", () => {
	const file = readFileSync(new URL("../../schema/workflow.schema.json", import.meta.url), "utf8");
	assert.equal(file, workflowJsonSchema(), "stale: run `node src/definition/write-schema.ts`");
});

test("the JSON Schema knows every key and allows no other", () => {
	const schema = JSON.parse(workflowJsonSchema());
	assert.equal(schema.additionalProperties, false);
	assert.deepEqual(schema.required, ["name"]);
	assert.ok(schema.properties.types.additionalProperties.properties.timeout.pattern);
});
