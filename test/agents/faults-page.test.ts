// The page about faults says what the cases say. To regenerate the tables: WRITE_DOCS=1 node --test test/agents/faults-page.test.ts
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { PROJECT } from "../support/pawl.ts";
import { faultTable, followTable, spentTable } from "./faults-page.ts";

const PAGE = join(PROJECT, "docs", "agents", "faults.md");
const part = (name: string): RegExp => new RegExp(`(<!-- ${name} -->\n)([^<]*?)(\n<!-- /${name} -->)`);
const TABLES = { faults: faultTable(), outcomes: followTable(), spent: spentTable() };

test("docs/agents/faults.md has the tables of the cases", () => {
	if (process.env["WRITE_DOCS"] === "1") {
		let text = readFileSync(PAGE, "utf8");
		for (const [name, table] of Object.entries(TABLES))
			text = text.replace(part(name), (_all, open, _old, close) => `${open}${table}${close}`);
		writeFileSync(PAGE, text);
	}
	const text = readFileSync(PAGE, "utf8");
	for (const [name, table] of Object.entries(TABLES)) assert.equal(part(name).exec(text)?.[2], table, name);
});
