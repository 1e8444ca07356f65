// pawl workflow new, pawl workflow eject: a workflow of one's own, in the place where pawl looks for it. Nothing that exists is written over.
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { basename, dirname, join } from "node:path";
import type { Definition } from "../../core/definition.ts";
import { findWorkflow, type WorkflowFolder, workflowFolders } from "../../definition/find.ts";
import { loadDefinition } from "../../definition/load.ts";
import { formatProblem } from "../../definition/problem.ts";
import { WORKFLOW_FILE } from "../../definition/read/files.ts";
import { NAME } from "../../definition/schema.ts";
import { writeWhole } from "../../files/write.ts";
import { packagePath } from "../../package-root.ts";
import type { RunsContext } from "../context.ts";
import { Refusal } from "../refusal.ts";
import { makePawlFolder } from "../repository.ts";
import { newExtension, newWorkflow } from "./templates.ts";

const SCHEMA = "workflow.schema.json";

export interface WrittenWorkflow {
	readonly name: string;
	readonly file: string;
	/** All files that were written. */
	readonly files: readonly string[];
	/** The workflow of the same name that pawl no longer uses here. */
	readonly hides: string | null;
}

export interface Where {
	/** For all repositories of the user, instead of this one. */
	readonly user?: boolean;
}

export async function createWorkflow(c: RunsContext, name: string, parent: string | null, where: Where): Promise<WrittenWorkflow> {
	const { folder, folders, schema } = await target(c, name, where);
	const text = parent === null ? newWorkflow(name, schema) : await extension(c, name, parent, folders, schema);
	await makeFolder(folder, schema);
	writeFileSync(join(folder, WORKFLOW_FILE), text, { flag: "wx" });
	return written(c, name, folder, folders);
}

/** Copies a built-in workflow, with the files of others that it names. */
export async function ejectWorkflow(c: RunsContext, from: string, name: string, where: Where): Promise<WrittenWorkflow> {
	const builtIn = workflowFolders({ root: null, env: c.env, home: homedir() }).filter(({ origin }) => origin === "built-in");
	const found = NAME.test(from) ? findWorkflow(from, packagePath("workflows"), builtIn) : null;
	if (!found?.ok)
		throw new Refusal("not_found", `there is no built-in workflow ${from}; there are ${readdirSync(packagePath("workflows")).join(", ")}`);
	const { folder, folders, schema } = await target(c, name, where);
	const source = dirname(found.found.file);
	// The scripts of `pawl demo` are no part of a workflow.
	await makeFolder(folder, schema);
	cpSync(source, folder, { recursive: true, filter: (path) => !/^demo.*\.yml$/.test(basename(path)) });
	const file = join(folder, WORKFLOW_FILE);
	const text = readFileSync(file, "utf8").replace(/^# yaml-language-server: .*$/m, `# yaml-language-server: $schema=${schema}`);
	writeFileSync(file, renamed(withFilesOfOthers(text, source, folder), from, name));
	return written(c, name, folder, folders);
}

/** Files of another built-in workflow come along, at the same path in this one's folder. */
function withFilesOfOthers(text: string, source: string, folder: string): string {
	return text.replace(/\.\.\/[\w-]+\/([\w./-]+)/g, (path, inside: string) => {
		const file = join(source, path);
		if (path.includes("schema") || !existsSync(file)) return path;
		if (!existsSync(join(folder, inside)) && statSync(file).isFile()) cpSync(file, join(folder, inside), { recursive: true });
		return inside;
	});
}

/** `name` in one spelling, `id` in the other. */
const renamed = (text: string, from: string, name: string): string =>
	from === name ? text : text.replace(new RegExp(`^(name|id): ${from}$`, "m"), `$1: ${name}`);

interface Target {
	readonly folder: string;
	/** Where pawl looks for workflows, nearest first. */
	readonly folders: readonly WorkflowFolder[];
	/** Where an editor finds the schema, from the folder. */
	readonly schema: string;
}

async function target(c: RunsContext, name: string, { user = false }: Where): Promise<Target> {
	if (!NAME.test(name))
		throw new Refusal("invalid", `${name} cannot be the name of a workflow: use lower-case letters, digits, _ and -, with a letter first`);
	const { root = null } = await c.services.openRepository(c.cwd, () => ({ setup: null, copy: [], link: [] }));
	const folders = workflowFolders({ root, env: c.env, home: homedir() });
	const home = folders.find(({ origin }) => origin === (user ? "user" : "repository"));
	if (!home) throw new Refusal("refused", "this is not a git repository; --user writes a workflow for all of your repositories");
	const folder = join(home.folder, name);
	if (existsSync(folder)) throw new Refusal("refused", `${folder} exists already; pawl does not write over it`);
	const installed = root !== null && !user && existsSync(join(root, "node_modules/pawl/schema", SCHEMA));
	return { folder, folders, schema: installed ? `../../../node_modules/pawl/schema/${SCHEMA}` : `../../${SCHEMA}` };
}

/** With a copy of the schema for editors, unless the repository has pawl as a dependency. */
async function makeFolder(folder: string, schema: string): Promise<void> {
	const home = join(folder, "..", "..");
	if (basename(home) === ".pawl") makePawlFolder(dirname(home));
	mkdirSync(folder, { recursive: true });
	if (schema === `../../${SCHEMA}`) await writeWhole(join(home, SCHEMA), readFileSync(packagePath("schema", SCHEMA), "utf8"));
}

async function extension(
	c: RunsContext,
	name: string,
	parent: string,
	folders: readonly WorkflowFolder[],
	schema: string,
): Promise<string> {
	const found = findWorkflow(parent, c.cwd, folders);
	if (!found.ok) throw new Refusal("not_found", found.message);
	const { types } = await load(c, found.found.file);
	const steps = Object.values(types).filter((type) => type.kind === "agent" && !type.byEngine && !type.detour);
	const main = steps.find(({ writes }) => writes !== "none") ?? steps[0];
	return newExtension(
		name,
		parent,
		steps.map((type) => type.name),
		main?.name ?? "STEP",
		main?.prompt === `prompts/${main?.name}.md`,
		schema,
	);
}

async function load(c: RunsContext, file: string): Promise<Definition> {
	const loaded = await loadDefinition(file, c.services.language);
	if (!loaded.ok) throw new Refusal("invalid", `${file} cannot be used:\n${loaded.problems.map(formatProblem).join("\n")}`);
	return loaded.definition;
}

/** What does not load is not left behind. */
async function written(c: RunsContext, name: string, folder: string, folders: readonly WorkflowFolder[]): Promise<WrittenWorkflow> {
	const file = join(folder, WORKFLOW_FILE);
	try {
		await load(c, file);
	} catch (error) {
		rmSync(folder, { recursive: true, force: true });
		throw error;
	}
	const files = readdirSync(folder, { recursive: true, withFileTypes: true }).flatMap((entry) =>
		entry.isFile() ? [join(entry.parentPath, entry.name)] : [],
	);
	const hidden = folders.find((one) => join(one.folder, name) !== folder && existsSync(join(one.folder, name, WORKFLOW_FILE)));
	return { name, file, files: files.sort(), hides: hidden?.origin ?? null };
}
