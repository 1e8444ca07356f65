// The start of a run in a test: a built-in workflow by its name or the test's own, and its input as the real reader reads it.
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Definition } from "../../core/definition.ts";
import type { Input, StorySeed } from "../../core/input.ts";
import type { RunOptions } from "../../core/model.ts";
import { NO_AGENT, toShell } from "../../core/started-with.ts";
import { storyOf } from "../../core/testing/builders.suite.ts";
import { loadDefinition } from "../../definition/load.ts";
import { services } from "../../wiring.ts";

export interface Start {
	/** The name of a built-in workflow, or a workflow as YAML with the prompts that it names. */
	readonly workflow: string | { readonly yaml: string; readonly prompts?: Readonly<Record<string, string>> };
	/** An input mode of the workflow; its first by default. */
	readonly mode?: string;
	/** The arguments of `pawl run WORKFLOW …`, for the reader of the mode. */
	readonly given?: string;
	/** Ids, or whole stories. */
	readonly stories?: readonly (string | StorySeed)[];
	readonly input?: Readonly<Record<string, string>>;
	/** Input that holds paths: made from the root of the repository. */
	readonly inputOf?: (root: string) => Readonly<Record<string, string>>;
	/** `none`: the options contain what the reader of the mode would return. */
	readonly reader?: "none";
	/** Files of the run that stay out of git. */
	readonly exclude?: readonly string[];
	readonly fields?: Readonly<Record<string, string>>;
	readonly options?: Partial<RunOptions>;
	readonly push?: boolean;
	/** As `--pr`: the run works on a branch of its own, and its pull request goes into this branch. */
	readonly pr?: string;
	/** As `--no-checks`. */
	readonly unchecked?: boolean;
	/** As `merge: serial` in pawl.yml. */
	readonly serialMerges?: boolean;
}

export interface StartSite {
	readonly run: string;
	readonly at: number;
	readonly root: string;
	readonly folder: string;
	readonly sharedDir: string;
	readonly startCommit: string;
	readonly checks: Readonly<Record<string, string>>;
	readonly pull: boolean;
}

const WORKFLOWS = fileURLToPath(new URL("../../../workflows", import.meta.url));
/** A definition is the same wherever its files lie, so each is loaded once. */
const known = new Map<string, Promise<Definition>>();

export function definitionOf(workflow: Start["workflow"], folder: string): Promise<Definition> {
	const key = JSON.stringify(workflow);
	const found = known.get(key) ?? loaded(typeof workflow === "string" ? join(WORKFLOWS, workflow) : written(workflow, folder));
	known.set(key, found);
	return found;
}

async function loaded(path: string): Promise<Definition> {
	const result = await loadDefinition(path, services.language);
	if (!result.ok) throw new Error(result.problems.map((p) => `${p.file}:${p.line}:${p.column}: ${p.message}`).join("\n"));
	return result.definition;
}

function written({ yaml, prompts = {} }: Exclude<Start["workflow"], string>, folder: string): string {
	const file = join(folder, "workflow", "own.yml");
	for (const [name, text] of [["own.yml", yaml], ...Object.entries(prompts)] as const) {
		mkdirSync(dirname(join(dirname(file), name)), { recursive: true });
		writeFileSync(join(dirname(file), name), text);
	}
	return file;
}

export async function createInput(
	start: Start,
	definition: Definition,
	site: StartSite,
): Promise<{ readonly input: Extract<Input, { type: "create_run" }>; readonly exclude: readonly string[] }> {
	const mode = start.mode ?? Object.keys(definition.inputs)[0] ?? "";
	const agents = start.options?.agents ?? 1;
	const workspace = definition.inputs[mode]?.workspace;
	// A run with its own branch has its own slot besides those of the parallel stories.
	const slots = workspace === "worktree" ? agents : workspace === "branch" && agents > 1 ? agents + 1 : 1;
	const ownBranch = start.pr !== undefined && workspace !== "branch";
	const read = await readBy(definition.inputs[mode]?.reader ?? "", start, site);
	const exclude = start.exclude ?? read?.exclude ?? [];
	return {
		exclude,
		input: {
			type: "create_run",
			at: site.at,
			id: site.run,
			title: read?.title ?? "A run of the test",
			definition,
			options: {
				mode,
				agents,
				slots: Array.from({ length: slots }, (_, i) => i + 1),
				base: ownBranch ? `pawl/${site.run}` : "main",
				yes: true,
				maxWaitMs: null,
				timeouts: {},
				budgets: {},
				shell: toShell({
					agent: NO_AGENT,
					roles: {},
					steps: {},
					fallback: [],
					root: "",
					sharedDir: site.sharedDir,
					checks: site.checks,
					startCommit: site.startCommit,
					push: start.push ?? start.pr !== undefined,
					pr: start.pr !== undefined,
					target: ownBranch ? (start.pr ?? "") : "",
					ephemeral: false,
					within: [],
					unchecked: start.unchecked ?? false,
					exclude,
					pull: site.pull,
					settings: "",
					commitStyle: null,
					requires: [],
					sandbox: null,
					serialMerges: start.serialMerges ?? false,
				}),
				...start.options,
			},
			input: {
				...(start.given === undefined ? {} : { request: start.given }),
				...read?.input,
				...start.input,
				...start.inputOf?.(site.root),
			},
			fields: { ...definition.fields, ...read?.fields, ...start.fields },
			stories: start.stories?.map((story) => (typeof story === "string" ? storyOf(story) : story)) ?? read?.stories ?? [],
		},
	};
}

/** null if the reader has nothing to read: the test itself gives the input. */
async function readBy(name: string, { given, reader: how }: Start, { root }: StartSite) {
	const reader = how !== "none" && Object.hasOwn(services.readers, name) ? services.readers[name] : undefined;
	if (reader === undefined) return null;
	const read = await reader({ text: given, root, tree: root, cwd: root, options: {}, flags: {} });
	if (read === null) return null;
	if (!read.ok) throw new Error(read.problems.join("\n"));
	return read;
}
