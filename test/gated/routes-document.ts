// Writes docs/gated-routes.md: node test/gated/routes-document.ts. A test says when it is behind.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Definition } from "../../src/core/definition.ts";
import { loadDefinition } from "../../src/definition/load.ts";
import { routeOf, testName } from "./matrix.ts";
import { ROWS } from "./rows.ts";

const root = join(import.meta.dirname, "..", "..");
export const DOCUMENT = join(root, "docs", "gated-routes.md");

export async function gated(): Promise<Definition> {
	const loaded = await loadDefinition(join(root, "workflows", "gated"));
	if (!loaded.ok) throw new Error(loaded.problems.map((p) => `${p.line}:${p.column}: ${p.message}`).join("\n"));
	return loaded.definition;
}

export function routesDocument(definition: Definition): string {
	const who = (text: string): string => cell(text).replace(/^(?:pm|orchestrator|check|simplify|test|make)\b/, "`$&`");
	const cell = (text: string): string => text.replaceAll("|", "\\|");
	const rows = ROWS.map(
		(row, i) => `| ${i + 1} | ${row.phase} | ${who(row.source)} | ${cell(row.signal)} | ${cell(routeOf(definition, row))} | ${row.ids} |`,
	);
	return `# The routes of \`gated\`

Every signal of the routing matrix, in its order, and the route of [\`workflows/gated/workflow.yml\`](../workflows/gated/workflow.yml) that
answers it. Each row has a test in \`test/gated/routes.test.ts\`, called \`${testName(ROWS[0] as never, 0).slice(0, 5)} …\`: a scripted role gives the signal, and the test
checks what pawl dispatches next. \`node test/gated/routes-document.ts\` writes this page, and a test fails when it is out of date.

| row | phase | who | signal | route | requirement |
|---|---|---|---|---|---|
${rows.join("\n")}
`;
}

if (import.meta.main) writeFileSync(DOCUMENT, routesDocument(await gated()));
