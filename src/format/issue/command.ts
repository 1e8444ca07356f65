// pawl todo: the issues in TODO/ of this checkout: all of them, what can run now, a new one, and whether they agree with each other.
import { join } from "node:path";
import { Command, Option } from "commander";
import type { CommandContext } from "../../command.ts";
import { checkTracker } from "./tracker/check.ts";
import { type Issue, type Refused, STATUSES } from "./tracker/issue.ts";
import { DEFAULT_TEMPLATE, filledIn, readTemplate } from "./tracker/template.ts";
import { listIssues, newIssue, runnable, waitsFor } from "./tracker/tracker.ts";

interface Flags {
	readonly json?: boolean;
}

interface NewFlags extends Flags {
	readonly template: string;
	readonly prefix?: string;
	readonly category?: string;
	readonly parent?: string;
	readonly label: readonly string[];
	readonly dependsOn: readonly string[];
	readonly criterion: readonly string[];
}

export function command(c: CommandContext): Command {
	const todo = new Command("pawl todo").description("list, make and check the issues in TODO/ of this checkout");
	todo
		.command("list")
		.description("list the issues with their status, what each waits for, and its title")
		.addOption(new Option("--status <status>", "only those with this status").choices(STATUSES))
		.option("--json", "as one JSON document")
		.action((flags: Flags & { status?: string }) => list(c, flags));
	todo
		.command("next")
		.description("print the issues that can run now, the next one first: they are Todo, and everything they depend on is Done")
		.option("--json", "as one JSON document")
		.action((flags: Flags) => next(c, flags));
	const each = (value: string, all: readonly string[]) => [...all, value];
	const words = (value: string, all: readonly string[]) => [...all, ...value.split(/[\s,]+/).filter((word) => word !== "")];
	todo
		.command("new")
		.description("make a new issue under the next free number, and list it in the README")
		.argument("<title>", "one line")
		.option("--template <name>", "feature, bug, tech-debt, or a file NAME.md of TODO/templates/", DEFAULT_TEMPLATE)
		.option("--prefix <prefix>", "what the id begins with (default: the most common prefix)")
		.option("--category <name>", "the heading in the README to list it under")
		.option("--parent <id>", "the issue that it is a part of")
		.option("--label <label>", "a label besides the template's (repeatable)", words, [])
		.option("--depends-on <id>", "an issue that must be Done before (repeatable)", words, [])
		.option("--criterion <text>", "an acceptance criterion (repeatable; default: the title)", each, [])
		.option("--json", "as one JSON document")
		.action((title: string, flags: NewFlags) => make(c, title, flags));
	todo
		.command("check")
		.description("list where the issues, the README and the lists of sub-issues disagree")
		.option("--json", "as one JSON document")
		.action((flags: Flags) => check(c, flags));
	return todo;
}

const folderOf = async (c: CommandContext): Promise<string> => join((await c.repository()).tree().path, "TODO");

function taken<T>(c: CommandContext, result: T | Refused): T {
	if (typeof result === "object" && result !== null && "problem" in result) throw c.refusal(result.problem);
	return result as T;
}

async function issuesOf(c: CommandContext): Promise<readonly Issue[]> {
	const listed = listIssues(await folderOf(c));
	if ("problem" in listed) throw c.refusal(listed.missing ? `${listed.problem}; pawl todo new "TITLE" makes it` : listed.problem);
	for (const problem of listed.problems) c.err(`pawl: ${problem}\n`);
	return listed.issues;
}

const shown = (issue: Issue, all: readonly Issue[]) => ({
	id: issue.id,
	title: issue.title,
	status: issue.status,
	category: issue.category,
	parent: issue.parent,
	labels: issue.labels,
	dependsOn: issue.dependsOn,
	waitsFor: issue.status === "Done" ? [] : waitsFor(issue, all),
	criteria: issue.criteria.map(({ text, done }) => ({ text, done })),
	file: `TODO/${issue.id}.md`,
});

async function list(c: CommandContext, flags: Flags & { readonly status?: string }): Promise<void> {
	const all = await issuesOf(c);
	const wanted = all.filter((issue) => flags.status === undefined || issue.status === flags.status);
	if (flags.json) return c.out(c.json({ issues: wanted.map((issue) => shown(issue, all)) }));
	if (wanted.length === 0) return c.err("there is no such issue\n");
	const rows = wanted.map((issue) => {
		const { waitsFor: open } = shown(issue, all);
		return [issue.id, issue.status ?? "?", open.length > 0 ? `after ${open.join(", ")}` : "", issue.title];
	});
	c.out(`${c.table(rows, "")}\n`);
}

async function next(c: CommandContext, flags: Flags): Promise<void> {
	const all = await issuesOf(c);
	const can = runnable(all);
	if (can.length === 0) c.exit("failed");
	if (flags.json) return c.out(c.json({ next: can[0]?.id ?? null, runnable: can.map((issue) => shown(issue, all)) }));
	if (can.length > 0)
		return c.out(
			`${c.table(
				can.map((issue) => [issue.id, issue.title]),
				"",
			)}\n`,
		);
	const waiting = all.filter(({ status }) => status === "Todo").map((issue) => `${issue.id} waits for ${waitsFor(issue, all).join(", ")}`);
	c.err(`nothing can run now${waiting.length > 0 ? `:\n${waiting.map((line) => `  ${line}`).join("\n")}` : ": no issue is Todo"}\n`);
}

async function make(c: CommandContext, title: string, flags: NewFlags): Promise<void> {
	if (title.trim() === "") throw c.refusal("an issue needs a title");
	const dir = await folderOf(c);
	const template = taken(c, readTemplate(dir, flags.template));
	const category = flags.category ?? template.category;
	const issue = taken(
		c,
		await newIssue(dir, {
			title,
			...(flags.prefix === undefined ? {} : { prefix: flags.prefix }),
			...(category === null ? {} : { category }),
			...(flags.parent === undefined ? {} : { parent: flags.parent }),
			labels: [...new Set([...template.labels, ...flags.label])],
			dependsOn: [...new Set(flags.dependsOn)],
			body: (id) => filledIn(template, id, title, flags.criterion),
		}),
	);
	c.out(flags.json ? c.json(shown(issue, await issuesOf(c))) : `${issue.id}  TODO/${issue.id}.md\n`);
}

async function check(c: CommandContext, flags: Flags): Promise<void> {
	const found = taken(c, checkTracker(await folderOf(c)));
	if (found.length > 0) c.exit("failed");
	if (flags.json)
		return c.out(c.json({ ok: found.length === 0, problems: found.map(({ file, ...rest }) => ({ file: `TODO/${file}`, ...rest })) }));
	c.out(
		found.length === 0
			? "the issues, the README and the lists of sub-issues agree\n"
			: found.map(({ file, line, text }) => `TODO/${file}:${line}: ${text}\n`).join(""),
	);
}
