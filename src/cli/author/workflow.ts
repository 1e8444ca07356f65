// pawl workflow list | new NAME | eject NAME [AS] | show NAME | validate FILE | run NAME "TASK" | install NAME | uninstall NAME | status RUN
import { Command } from "commander";
import type { WrittenWorkflow } from "../../runs/author/new.ts";
import { Refusal } from "../../runs/refusal.ts";
import { type ListedWorkflow, showWorkflow, validateWorkflow, workflowsHere } from "../../runs/workflows.ts";
import type { Context } from "../context.ts";
import { addRunOptions, type RunFlags, startOptions } from "../run/run-options.ts";
import { document } from "../text/document.ts";
import { fitted } from "../text/fit.ts";

export function command(c: Context): Command {
	const workflow = new Command("pawl workflow").description("write, list, show and validate workflows");
	workflow
		.command("list")
		.description("the workflows that you can run here, and where each comes from")
		.option("--json", "as one JSON document")
		.action(async (flags: { json?: boolean }) => list(c, flags.json ?? false));
	workflow
		.command("new")
		.description("write a small workflow of your own, with comments, to begin with")
		.argument("<name>", "its name")
		.option("--extends <workflow>", "take over everything of this workflow, and write only what is different")
		.option("--user", "for all of your repositories, instead of this one")
		.option("--json", "as one JSON document")
		.action(async (name: string, flags: { extends?: string; user?: boolean; json?: boolean }) => {
			const { createWorkflow } = await import("../../runs/author/new.ts");
			told(c, await createWorkflow(c, name, flags.extends ?? null, flags), flags.json ?? false);
		});
	workflow
		.command("eject")
		.description("copy the files of a built-in workflow, for you to change")
		.argument("<name>", "a built-in workflow")
		.argument("[as]", "another name for the copy; without it, the copy replaces the built-in one here")
		.option("--user", "for all of your repositories, instead of this one")
		.option("--json", "as one JSON document")
		.action(async (name: string, as: string | undefined, flags: { user?: boolean; json?: boolean }) => {
			const { ejectWorkflow } = await import("../../runs/author/new.ts");
			told(c, await ejectWorkflow(c, name, as ?? name, flags), flags.json ?? false);
		});
	workflow
		.command("show")
		.description("the steps of a workflow, their routes and limits")
		.argument("<name>", "a name, or a path to a workflow.yml or its folder")
		.option("--mermaid", "as a Mermaid flowchart")
		.option("--json", "the whole definition as one JSON document")
		.action((name: string, flags: { mermaid?: boolean; json?: boolean }) => show(c, name, flags));
	workflow
		.command("validate")
		.description("list every mistake in a workflow, with line and column")
		.argument("<file>", "a workflow.yml, its folder, or a name")
		.option("--json", "as one JSON document")
		.action((file: string, flags: { json?: boolean }) => validate(c, file, flags.json ?? false));
	addRunOptions(
		c,
		workflow
			.command("run")
			.description("create a run whose steps agents fetch (pawl step claim) and print its id; starts no agent")
			.argument("<name>", "a name, or a path to a workflow.yml or its folder")
			.argument("[task]", "the task, in the form that the workflow takes"),
	).action(async (name: string, task: string | undefined, flags: RunFlags) => {
		const { json, quiet: __, dryRun: dry, detach: _, ...options } = startOptions(c, flags);
		const { startPulled } = await import("../../runs/start/start.ts");
		const { prepare } = await import("../../runs/start/prepare.ts");
		const prepared = await prepare(c, name, task, options, { starts: false });
		if (dry) return (await import("../run/dry-run.ts")).dryRun(c, prepared, json ?? false);
		const id = await startPulled(c, prepared);
		c.out(json ? document({ run: id }) : `${id}\n`);
	});
	return workflow;
}

function told(c: Context, { name, file, files, hides }: WrittenWorkflow, json: boolean): void {
	if (json) return c.out(document({ name, file, files, hides }));
	c.out(`${files.join("\n")}\n`);
	if (hides !== null)
		c.err(`${name} now means this workflow; it hides ${hides === "built-in" ? "the built-in one" : `the one of the ${hides}`}\n`);
	c.err(
		[
			`next: edit ${file}`,
			`      pawl workflow validate ${name}`,
			`      pawl workflow show ${name}`,
			`      commit it: a run in your own checkout wants a clean tree`,
			`      pawl run ${name} … --dry-run`,
			"",
		].join("\n"),
	);
}

async function list(c: Context, json: boolean): Promise<void> {
	const all = await workflowsHere(c);
	if (json) return c.out(document(all));
	if (all.length === 0) return c.err("there are no workflows\n");
	const note = (w: ListedWorkflow): string => (w.shadowed_by === null ? "" : `not used: the one of the ${w.shadowed_by} hides it; `);
	c.out(
		`${fitted(
			all.map((w) => [w.name, w.origin, `${note(w)}${w.title ?? `cannot be used: pawl workflow validate ${w.file}`}`]),
			c.width,
			"",
		)}\n`,
	);
}

async function show(c: Context, name: string, flags: { mermaid?: boolean; json?: boolean }): Promise<void> {
	const { file, origin, definition, text, mermaid } = await showWorkflow(c, name);
	if (flags.mermaid) return c.out(mermaid);
	if (flags.json) return c.out(document({ file, origin, definition }));
	c.out(`${text}\nfrom: ${file} (${origin})\n`);
}

async function validate(c: Context, name: string, json: boolean): Promise<void> {
	const { file, definition, problems, warnings, problemLines, warningLines } = await validateWorkflow(c, name);
	if (json) c.out(document({ file, ok: definition !== null, problems, warnings }));
	for (const line of warningLines) c.err(`warning: ${line}\n`);
	if (definition === null)
		throw new Refusal("invalid", `${problems.length} problem${problems.length === 1 ? "" : "s"}\n${problemLines.join("\n")}`);
	if (!json) c.out(`${file} is fine: ${definition.name}, ${Object.keys(definition.types).length} step types\n`);
}
