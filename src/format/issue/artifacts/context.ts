// Shared by the actions, rules and keepers of artifacts: where the run's folder is, which specs are worked on, what a step type's
// `with` says.
import { basename, join } from "node:path";
import type { StepContext } from "../../../format.ts";
import { readTask, type TaskSpec } from "../spec/task.ts";
import { readArtifact } from "./folder.ts";

export const runDirOf = ({ state }: StepContext): string => state.input["run_dir"] ?? "";

export const withOf = ({ state, step }: StepContext): Readonly<Record<string, string>> => state.definition.types[step.type]?.with ?? {};

export const fieldOf = ({ state }: StepContext, name: string): string => state.root.fields[name] ?? "";

/** File names from a field, one per line; only those of files in the run's folder. */
export function namesIn(context: StepContext, field: string): string[] {
	const dir = runDirOf(context);
	return fieldOf(context, field)
		.split("\n")
		.map((line) => line.replace(/^\s*-\s*/, "").trim())
		.filter((path) => path !== "" && path === join(dir, basename(path)))
		.map((path) => basename(path));
}

/** A list of files for a prompt, by absolute path. */
export const pathList = (dir: string, names: readonly string[]): string => names.map((name) => join(dir, name)).join("\n");

export interface NamedSpec {
	readonly name: string;
	readonly spec: TaskSpec;
}

/** The specs that are worked on now. */
export function currentSpecs(context: StepContext): NamedSpec[] {
	return specsOf(context, namesIn(context, "spec"));
}

export function specsOf(context: StepContext, names: readonly string[]): NamedSpec[] {
	return names.flatMap((name) => {
		const text = readArtifact(runDirOf(context), name);
		return text === null ? [] : [{ name, spec: readTask(text) }];
	});
}
