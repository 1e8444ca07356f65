// pawl phased init | check: the task document of a phased run.
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { Command } from "commander";
import type { CommandContext } from "../../../command.ts";
import { readCriteria } from "../../../core/criterion.ts";
import { notPrograms } from "../not-programs.ts";
import { readDocument } from "../reader.ts";
import type { TaskDocument } from "../task-document.ts";
import { TEMPLATE } from "../task-document-template.ts";

const FILE = "tasks/tasks.md";

export function command(c: CommandContext): Command {
	const phased = new Command("pawl phased").description("write and check task documents");
	phased
		.command("init")
		.description("write a task document to fill in; never overwrites an existing one")
		.argument("[file]", `where it goes (${FILE})`)
		.action((file: string = FILE) => init(c, file));
	phased
		.command("check")
		.description(
			"list every mistake in a task document with its line; if there is none, list its tasks and the commands that pawl will run",
		)
		.argument("<file>", "a task document")
		.option("--json", "as one JSON document")
		.action((file: string, flags: { json?: boolean }) => check(c, file, flags.json ?? false));
	return phased;
}

function init(c: CommandContext, name: string): void {
	const file = resolve(c.cwd, name);
	mkdirSync(dirname(file), { recursive: true });
	try {
		writeFileSync(file, TEMPLATE, { flag: "wx" });
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code === "EEXIST") throw c.refusal(`${file} is there already; it was left as it is`);
		throw error;
	}
	c.out(`${file} written: fill it in, commit it, then start it with\n  pawl run phased ${name}\n`);
}

async function check(c: CommandContext, name: string, json: boolean): Promise<void> {
	const read = await readDocument(resolve(c.cwd, name), name);
	if (json) c.out(c.json(read.ok ? { ok: true, ...read.document, proofs: proofsOf(read.document) } : read));
	if (!read.ok) throw c.refusal(read.problems.join("\n"));
	if (json) return;
	const { phases, tasks, about, unplaced } = read.document;
	const proofs = proofsOf(read.document);
	const part = (title: string, rows: readonly (readonly string[])[]): void =>
		rows.length === 0 ? undefined : c.out(`\n${title}\n${c.table(rows)}\n`);
	c.out(`${name} is fine: ${phases.length} phase${phases.length === 1 ? "" : "s"}, ${tasks.length} task${tasks.length === 1 ? "" : "s"}\n`);
	c.out(
		`${c.table(tasks.map((task) => [task.id, `${task.criteria.length} criteri${task.criteria.length === 1 ? "on" : "a"}`, task.title]))}\n`,
	);
	part(
		"pawl runs these commands whenever an iteration of the task ends; each must exit 0:",
		proofs.flatMap(({ task, commands }) => commands.map((command) => [task, command])),
	);
	part(
		"words among them that are no program here; if one is only a name, let words follow it:",
		notPrograms(read.document, c.cwd, process.env["PATH"] ?? "").map(({ task, word }) => [task, word]),
	);
	part(
		"the executor's word counts for these criteria, because no command ends them:",
		proofs.filter(({ commands }) => commands.length === 0).map(({ task, text }) => [task, text]),
	);
	part(
		"names in backticks that are not run, because something else follows them:",
		proofs.flatMap(({ task, mentions }) => mentions.map((mention) => [task, mention])),
	);
	part(
		"boxes that belong to no task, which pawl does not check:",
		unplaced.map(({ line, message }) => [`${name}:${line}`, message]),
	);
	const sections = [...about.matchAll(/^## +(.*)$/gm)].map((match) => [match[1] ?? ""]);
	part("sections that are not a phase; all agents get them:", sections);
}

/** How each criterion will be proven. */
function proofsOf({ tasks }: TaskDocument) {
	return tasks.flatMap((task) => readCriteria(task.criteria).map((criterion) => ({ task: task.id, ...criterion })));
}
