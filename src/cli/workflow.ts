// pawl workflow list | show NAME | validate FILE | run NAME "TASK" | install NAME | uninstall NAME | status RUN
import { homedir } from "node:os";
import { Command } from "commander";
import { findWorkflow, listWorkflows, type Place, workflowPlaces } from "../definition/find.ts";
import { loadDefinition } from "../definition/load.ts";
import { mermaid } from "../definition/mermaid.ts";
import { formatProblem } from "../definition/problem.ts";
import { showDefinition } from "../definition/show.ts";
import { lookAt } from "../runs/open.ts";
import { CliError, type Context } from "./context.ts";
import { document } from "./document.ts";
import { fitted } from "./fit.ts";
import { pipelineStatus } from "./pipeline-status.ts";
import { count, type RunFlags } from "./run-options.ts";
import type { InstallFlags } from "./workflow-install.ts";

export function command(c: Context): Command {
	const workflow = new Command("pawl workflow").description("list, show and validate workflows");
	workflow
		.command("list")
		.description("the workflows that can be run here, and where each comes from")
		.option("--json", "as one JSON document")
		.action(async (flags: { json?: boolean }) => list(c, flags.json ?? false));
	workflow
		.command("show")
		.description("the steps of a workflow, their routes and limits")
		.argument("<name>", "a name, or a path to a workflow.yml or its folder")
		.option("--mermaid", "as a Mermaid flowchart")
		.option("--json", "the whole definition as one JSON document")
		.action((name: string, flags: { mermaid?: boolean; json?: boolean }) => show(c, name, flags));
	workflow
		.command("validate")
		.description("say everything that is wrong with a workflow, with its place")
		.argument("<file>", "a workflow.yml, its folder, or a name")
		.option("--json", "as one JSON document")
		.action((file: string, flags: { json?: boolean }) => validate(c, file, flags.json ?? false));
	workflow
		.command("run")
		.description("make a run whose steps agents come for (pawl step claim); starts nobody and prints its id")
		.argument("<name>", "a name, or a path to a workflow.yml or its folder")
		.argument("<task>", "what is to be done")
		.option("--agents <n>", "stories at the same time, where the stories say what they need (default 1)", count)
		.option("--base <branch>", "the branch that it starts from")
		.option("--push", "may push the branch and open the pull request")
		.option("--json", "as one JSON document")
		.action(async (name: string, task: string, { json, ...options }: Pick<RunFlags, "agents" | "base" | "push" | "json">) => {
			const { startPulled } = await import("../runs/start/start.ts");
			const { prepare } = await import("../runs/start/prepare.ts");
			const id = await startPulled(c, await prepare(c, name, task, options, { starts: false }));
			c.out(json ? document({ run: id }) : `${id}\n`);
		});
	workflow
		.command("install")
		.description("set up the folders of a pipeline's agents, and say (or set up) the timer that lets them look for work")
		.argument("<name>", "a name, or a path to a workflow.yml or its folder")
		.option("--timer", "write the timer into your crontab")
		.option("--agent-command <cmd>", "the command that the timer starts, with its text on stdin (default: claude -p)")
		.action(async (name: string, flags: InstallFlags) => (await import("./workflow-install.ts")).install(c, name, flags));
	workflow
		.command("uninstall")
		.description("take away what install has set up, but for what was changed since")
		.argument("<name>", "a name, or a path to a workflow.yml or its folder")
		.action(async (name: string) => (await import("./workflow-install.ts")).uninstall(c, name));
	workflow
		.command("status")
		.description("the steps and stories of a run, a line each")
		.argument("[run]", "an id, a unique prefix, or latest")
		.action((run: string | undefined) => lookAt(c, run, ({ state }) => c.out(pipelineStatus(state))));
	return workflow;
}

/** Works outside a repository too, and in one that has no commit yet. */
async function places(c: Context): Promise<Place[]> {
	const repository = await c.services.openRepository(c.cwd, () => ({ setup: null, copy: [], link: [] }));
	return workflowPlaces({ root: repository.root ?? null, env: c.env, home: homedir() });
}

async function list(c: Context, json: boolean): Promise<void> {
	const all = await Promise.all(
		listWorkflows(await places(c)).map(async (w) => {
			const loaded = await loadDefinition(w.file, c.services.names);
			return { ...w, title: loaded.ok ? loaded.definition.title : null, problems: loaded.ok ? [] : loaded.problems.map(formatProblem) };
		}),
	);
	if (json)
		return c.out(
			document(
				all.map((w) => ({ name: w.name, origin: w.origin, file: w.file, shadowed_by: w.shadowedBy, title: w.title, problems: w.problems })),
			),
		);
	if (all.length === 0) return c.err("there are no workflows\n");
	const note = (w: (typeof all)[number]): string => (w.shadowedBy === null ? "" : `not used: the one of the ${w.shadowedBy} hides it; `);
	c.out(
		`${fitted(
			all.map((w) => [w.name, w.origin, `${note(w)}${w.title ?? `cannot be used: pawl workflow validate ${w.file}`}`]),
			c.width,
			"",
		)}\n`,
	);
}

async function load(c: Context, name: string) {
	const found = findWorkflow(name, c.cwd, await places(c));
	if (!found.ok) throw new CliError(found.message);
	return { found: found.found, loaded: await loadDefinition(found.found.file, c.services.names) };
}

async function show(c: Context, name: string, flags: { mermaid?: boolean; json?: boolean }): Promise<void> {
	const { found, loaded } = await load(c, name);
	if (!loaded.ok) throw new CliError(`${found.file} cannot be used:\n${loaded.problems.map(formatProblem).join("\n")}`);
	if (flags.mermaid) return c.out(mermaid(loaded.definition));
	if (flags.json) return c.out(document({ file: found.file, origin: found.origin, definition: loaded.definition }));
	c.out(`${showDefinition(loaded.definition)}\nfrom: ${found.file} (${found.origin})\n`);
}

async function validate(c: Context, file: string, json: boolean): Promise<void> {
	const { found, loaded } = await load(c, file);
	const problems = loaded.ok ? [] : loaded.problems;
	const warnings = loaded.ok ? loaded.warnings : [];
	if (json) c.out(document({ file: found.file, ok: loaded.ok, problems, warnings }));
	for (const warning of warnings) c.err(`warning: ${formatProblem(warning)}\n`);
	if (problems.length > 0)
		throw new CliError(`${problems.length} problem${problems.length === 1 ? "" : "s"}\n${problems.map(formatProblem).join("\n")}`);
	if (!json && loaded.ok)
		c.out(`${found.file} is fine: ${loaded.definition.name}, ${Object.keys(loaded.definition.types).length} step types\n`);
}
