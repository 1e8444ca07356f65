// The pages about agents say what the code says. To regenerate the table: WRITE_DOCS=1 node --test src/agent/cli/docs.test.ts
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { agentRequest } from "../agent.suite.ts";
import { capabilityTable } from "./capability-table.ts";
import { KNOWN_AGENTS } from "./known.ts";

const page = (name: string): URL => new URL(`../../../docs/${name}`, import.meta.url);
const adapters = Object.values(KNOWN_AGENTS);
const PART = /(<!-- capabilities -->\n)(.*?)(<!-- \/capabilities -->)/s;

test("docs/agents.md has the table of the code", () => {
	const table = capabilityTable(adapters);
	if (process.env["WRITE_DOCS"] === "1") {
		const text = readFileSync(page("agents.md"), "utf8");
		writeFileSync(
			page("agents.md"),
			text.replace(PART, (_, open: string, __, close: string) => open + table + close),
		);
	}
	assert.equal(PART.exec(readFileSync(page("agents.md"), "utf8"))?.[2], table);
});

test("the page of each agent names its install line, its version, and every flag and variable that is used", () => {
	for (const adapter of adapters) {
		const text = readFileSync(page(`agents/${adapter.name}.md`), "utf8");
		const request = agentRequest("/repo", {
			readOnly: true,
			model: "m",
			effort: "high",
			maxTurns: 1,
			maxCostUsd: 1,
			session: { folder: "/kept", continue: "id" },
		});
		const contexts = [request, { ...request, readOnly: false }];
		const launches = contexts.map((each) => adapter.launch({ request: each, config: "/c", userSettings: false, extra: [], user: {} }));
		const flags = launches.flatMap(({ args }) => args.filter((arg) => /^--?[a-z]/i.test(arg)).map((arg) => arg.split("=")[0] ?? arg));
		const variables = launches.flatMap(({ env }) => Object.keys(env));
		const missing = [adapter.install, ...flags, ...variables, ...adapter.env].filter((word) => !text.includes(`${word}`));
		assert.deepEqual([...new Set(missing)], [], adapter.name);
	}
});
