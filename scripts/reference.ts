// The reference in docs/reference/, made from the code: npm run reference writes it. test/docs/ compares it with the code.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { configJsonSchema } from "../src/config/json-schema.ts";
import { workflowJsonSchema } from "../src/definition/json-schema.ts";
import { prdJsonSchema } from "../src/format/prd/json-schema.ts";
import { jsonSchemaOf } from "../src/schemas/all.ts";
import { apiPage } from "./reference/api.ts";
import { cliPage } from "./reference/cli.ts";
import { eventsPage } from "./reference/events.ts";
import { type Schema, schemaPage } from "./reference/schema.ts";

/** File of docs/reference/ → its text. */
export async function referencePages(): Promise<Readonly<Record<string, string>>> {
	return {
		"cli.md": await cliPage(),
		"pawl-yml.md": schemaPage({
			title: "Keys of pawl.yml",
			intro: "[Configuration](../configuration.md) explains them. Every key may be left out. The schema for editors: `pawl schema pawl`.",
			schema: JSON.parse(configJsonSchema()) as Schema,
			names: { timeouts: "TYPE", steps: "TYPE", roles: "ROLE" },
		}),
		"workflow-yml.md": schemaPage({
			title: "Keys of workflow.yml",
			intro:
				"[The workflow reference](../workflow-reference.md) explains them, with every default. The schema for editors: `pawl schema workflow`.",
			schema: JSON.parse(workflowJsonSchema()) as Schema,
			names: { types: "TYPE", roles: "ROLE", on: "SIGNAL" },
		}),
		"prd-json.md": schemaPage({
			title: "Keys of prd.json",
			intro:
				"A list of stories: `userStories` or `stories` of a map, or the list itself. Other keys are kept. [More](../dynamic.md#prdjson). The schema for editors: `pawl schema prd`.",
			schema: prdJsonSchema() as Schema,
		}),
		"status.md": schemaPage({
			title: "Keys of status --json",
			intro: "What `pawl status --json` prints. New versions add keys, and change none. The schema: `pawl schema status`.",
			schema: jsonSchemaOf("status") as Schema,
			printed: true,
		}),
		"events.md": eventsPage(),
		"http-api.md": apiPage(),
	};
}

if (import.meta.main) {
	for (const [name, text] of Object.entries(await referencePages()))
		writeFileSync(join(import.meta.dirname, "..", "docs", "reference", name), text);
}
