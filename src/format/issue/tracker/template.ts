// Templates of new issues: the built-in ones, and those that a team keeps in `TODO/templates/`.
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { oneLine } from "../../../text/markdown.ts";
import { readFile } from "./folder.ts";
import { parseIssue, type Refused } from "./issue.ts";

export interface Template {
	readonly labels: readonly string[];
	readonly category: string | null;
	/** With `{{id}}`, `{{title}}` and `{{criteria}}` in it. */
	readonly body: string;
}

const BUILT_IN: Readonly<Record<string, Template>> = {
	feature: { labels: ["feature"], category: null, body: "{{title}}.\n\n## Acceptance criteria\n\n{{criteria}}\n" },
	bug: {
		labels: ["bug"],
		category: null,
		body: "{{title}}.\n\n## What happens\n\n## What should happen\n\n## How to see it\n\n## Acceptance criteria\n\n{{criteria}}\n",
	},
	"tech-debt": {
		labels: ["tech-debt"],
		category: null,
		body: "{{title}}.\n\n## Why it costs us\n\n## Acceptance criteria\n\n{{criteria}}\n",
	},
};

export const DEFAULT_TEMPLATE = "feature";

/** A team's own template wins over the built-in one of the same name. */
export function readTemplate(dir: string, name: string): Template | Refused {
	if (!/^[\w-]{1,64}$/.test(name)) return { problem: `${JSON.stringify(name)} is not the name of a template` };
	const text = readFile(join(dir, "templates"), `${name}.md`);
	if (typeof text === "string") return parse(text);
	if (!text.missing) return { problem: `templates/${name}.md: ${text.problem}` };
	const own = Object.hasOwn(BUILT_IN, name) ? BUILT_IN[name] : undefined;
	return own ?? { problem: `there is no template ${name}; there are ${templateNames(dir).join(", ")}` };
}

export function templateNames(dir: string): string[] {
	const folder = join(dir, "templates");
	const own = existsSync(folder) ? readdirSync(folder).flatMap((name) => /^([\w-]{1,64})\.md$/.exec(name)?.[1] ?? []) : [];
	return [...new Set([...Object.keys(BUILT_IN), ...own])].sort();
}

function parse(text: string): Template | Refused {
	if (!/^\uFEFF?---[ \t]*\r?\n/.test(text)) return { labels: [], category: null, body: text };
	const issue = parseIssue("TEMPLATE-1", text);
	return "problem" in issue ? issue : { labels: issue.labels, category: issue.category, body: issue.body };
}

/** The body of the issue with this id. */
export function filledIn(template: Template, id: string, title: string, criteria: readonly string[]): string {
	const all = criteria.length > 0 ? criteria : [title];
	const values: Readonly<Record<string, string>> = {
		id,
		title: oneLine(title),
		criteria: all.map((one) => `- [ ] ${oneLine(one)}`).join("\n"),
	};
	return template.body.replace(/\{\{(id|title|criteria)\}\}/g, (_, name: string) => values[name] ?? "");
}
