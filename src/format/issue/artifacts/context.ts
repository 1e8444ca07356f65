// Shared by the actions, rules and keepers of artifacts: where the run's folder is, which specs are worked on, what a step type's
// `with` says.
import { basename, join } from "node:path";
import type { StepContext } from "../../../format.ts";
import { readTask, type TaskSpec } from "../spec/task.ts";
import { readArtifact } from "./folder.ts";

/** All that is needed to find the files of a run. */
export type OfRun = Pick<StepContext, "state">;

export const runDirOf = ({ state }: OfRun): string => state.input["run_dir"] ?? "";

export const withOf = ({ state, step }: StepContext): Readonly<Record<string, string>> => state.definition.types[step.type]?.with ?? {};

export const fieldOf = ({ state }: OfRun, name: string): string => state.root.fields[name] ?? "";

/** File names from a field, one per line; only those of files in the run's folder. */
export function namesIn(context: OfRun, field: string): string[] {
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

export const taskName = (n: number): string => `task-${n}.md`;
export const fixName = (n: number): string => `task-fix-${n}.md`;

/** The names of the specs that are worked on now: the task, or the fixes that a review asked for. What a failed check or a review of the
 * tests finds can be about any of them, so then (`all_specs`) all of the run count. */
export function specNames(context: OfRun): string[] {
	const current = namesIn(context, "spec");
	if (fieldOf(context, "all_specs") !== "yes") return current;
	const task = readArtifact(runDirOf(context), taskName(1)) === null ? [] : [taskName(1)];
	return [...new Set([...task, ...fixNames(context), ...current])];
}

/** The names of all fix specs that are there. */
export const fixNames = (context: OfRun): string[] =>
	fieldOf(context, "fix_keys")
		.split("\n")
		.filter((key) => key !== "")
		.map((_, i) => fixName(i + 1))
		.filter((name) => readArtifact(runDirOf(context), name) !== null);

/** The specs that are worked on now. */
export function currentSpecs(context: OfRun): NamedSpec[] {
	return specsOf(context, specNames(context));
}

export function specsOf(context: OfRun, names: readonly string[]): NamedSpec[] {
	return names.flatMap((name) => {
		const text = readArtifact(runDirOf(context), name);
		return text === null ? [] : [{ name, spec: readTask(text) }];
	});
}
