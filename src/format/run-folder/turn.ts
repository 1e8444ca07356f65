// One iteration as the keeper of a run folder sees it.
import type { StepContext } from "../../format.ts";
import { countIn, type RunFolder } from "./folder.ts";
import { modeOf } from "./journal-files.ts";
import type { Who } from "./permissions.ts";

/** What is known of the iteration. */
export interface Turn {
	readonly context: StepContext;
	readonly folder: RunFolder;
	readonly who: Who;
	readonly iteration: number;
	readonly letter: string;
	readonly mode: string | undefined;
}

export function turnOf(context: StepContext, folder: RunFolder): Turn {
	const letter = context.step.running.find((a) => a.number === context.attempt)?.letter ?? "";
	const who: Who = context.role === "reviewer" || context.role === "steering" ? context.role : "worker";
	return { context, folder, who, iteration: context.step.iteration + 1, letter, mode: modeOf(context.state, letter) };
}

/** A field of the run that holds a count. */
export const field = (context: StepContext, name: string): number => countIn(Number(context.state.root.fields[name] ?? 0)) ?? 0;

/** Another sentence follows it. */
export const sentence = (text: string): string => (/[.!?:]["'`)]*$/.test(text) ? text : `${text}.`);
