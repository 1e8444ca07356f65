// What a pipeline file says that the steps compiled from it do not; it travels in the definition, frozen into the run.
import type { Definition } from "../../core/definition.ts";

/** For the tables, and for agents that poll for work. */
export interface Pipeline {
	readonly steps: readonly PipelineStep[];
	/** How often agents should poll. */
	readonly intervalMs: number;
	/** The model and the time limit of a polling session. */
	readonly polling: { readonly model: string | null; readonly timeoutMs: number | null };
	/** An address that the file wants notified. Whether it is notified is the user's decision. */
	readonly notify?: string | null;
}

export interface PipelineStep {
	readonly id: string;
	readonly agent: string;
	readonly type: "single" | "loop";
	/** The step type that stands for it in the run's own list; null for one that only stories have. */
	readonly root: string | null;
	readonly loop: PipelineLoop | null;
	/** A key of `Definition.prompts`. */
	readonly input: string;
	readonly expects: string;
	readonly maxRetries: number;
}

export interface PipelineLoop {
	readonly over: "stories";
	readonly completion: "all_done";
	readonly freshSession: boolean;
	readonly verifyEach: boolean;
	readonly verifyStep?: string;
	/** A list with fewer stories fails the run; 0 if it does not say: a plan without work is a plan. */
	readonly minStories?: number;
}

/** The keeper of the steps of agents. */
export const NOTES_KEEPER = "agent-notes";

/** null if the workflow was not written as a pipeline. */
export function pipelineOf(definition: Definition): Pipeline | null {
	// Runs of 0.1 have it at the top of their definition.
	const { pipeline } = definition as { readonly pipeline?: unknown };
	const written = (definition.foreign?.["pipeline"] ?? pipeline) as Pipeline | undefined;
	if (!written) return null;
	// A workflow that extends a pipeline may have taken steps out.
	const listed = new Set(
		[...definition.steps, ...Object.values(definition.types).flatMap(({ each }) => each?.steps ?? [])].map(({ type }) => type),
	);
	const steps = written.steps.filter(({ id, root }) => listed.has(root ?? id));
	return steps.length === written.steps.length ? written : { ...written, steps };
}

export const withPipeline = (pipeline: Pipeline): Pick<Definition, "foreign"> => ({ foreign: { pipeline } });
