// Finds the workflow that another one extends: by path from its folder, or by name. A name means the nearest workflow of that name that is not one of
// those that lead here, so a workflow of the repository can extend the built-in one that it replaces.
import { existsSync, realpathSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { listWorkflows, type WorkflowFolder, workflowFolders } from "../find.ts";
import type { FindParent, Parent } from "../options.ts";
import { suggest } from "../problem.ts";
import { NAME } from "../schema.ts";
import { isFolder, readersOf, readText, WORKFLOW_FILE } from "./files.ts";

/** More would be hard to follow for anybody. */
const MOST = 8;

export const findParent: FindParent = (name, chain) => {
	const from = chain.at(-1) ?? "";
	if (chain.length >= MOST) return { problem: `this is the ${MOST}th workflow in a row that extends another: put some of them together` };
	const real = chain.map(realOf);
	if (/[/\\]|\.ya?ml$/.test(name)) {
		const path = resolve(dirname(from), name);
		const file = isFolder(path) ? join(path, WORKFLOW_FILE) : path;
		return real.includes(realOf(file)) ? circle(name) : read(file, name);
	}
	if (!NAME.test(name)) return { problem: `\`${name}\` cannot be the name of a workflow` };
	const folders = foldersFor(from);
	const files = folders.map(({ folder }) => join(folder, name, WORKFLOW_FILE)).filter((file) => existsSync(file));
	const free = files.find((file) => !real.includes(realOf(file)));
	if (free !== undefined) return read(free, name);
	if (files.length > 0) return circle(name);
	return { problem: `there is no workflow \`${name}\`${suggest(name, new Set(listWorkflows(folders).map((one) => one.name)))}` };
};

const circle = (name: string): { problem: string } => ({
	problem: `\`${name}\` extends this workflow, directly or through others: they would go round in a circle`,
});

function read(file: string, name: string): Parent | { readonly problem: string } {
	const text = readText(file);
	return "problem" in text ? { problem: `\`${name}\`: ${text.problem}` } : { file, text: text.text, ...readersOf(dirname(file)) };
}

/** Beside the workflow itself, in the repository around it, the user's own, the built-in ones. */
function foldersFor(file: string): WorkflowFolder[] {
	const beside = dirname(dirname(file));
	const above: WorkflowFolder[] = [];
	for (let folder = beside; folder !== dirname(folder); folder = dirname(folder))
		above.push({ origin: "repository", folder: join(folder, ".pawl", "workflows") });
	return [{ origin: "repository", folder: beside }, ...above, ...workflowFolders({ root: null, env: process.env, home: homedir() })];
}

function realOf(file: string): string {
	try {
		return realpathSync(file);
	} catch {
		return file;
	}
}
