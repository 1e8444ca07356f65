// One iteration as the keeper of a run folder sees it.
import type { StepContext } from "../../format.ts";
import { countIn, type RunFolder } from "./folder.ts";
import { modeOf } from "./journal-files.ts";
import type { Who } from "./permissions.ts";

/** What is known of the iteration. */
export interface Turn {
	readonly place: StepContext;
	readonly folder: RunFolder;
	readonly who: Who;
	readonly iteration: number;
	readonly letter: string;
	readonly mode: string | undefined;
}

export function turnOf(place: StepContext, folder: RunFolder): Turn {
	const letter = place.step.running.find((a) => a.number === place.attempt)?.letter ?? "";
	const who: Who = place.role === "reviewer" || place.role === "steering" ? place.role : "worker";
	return { place, folder, who, iteration: place.step.iteration + 1, letter, mode: modeOf(place.state, letter) };
}

/** A field of the run that holds a count. */
export const field = (place: StepContext, name: string): number => countIn(Number(place.state.root.fields[name] ?? 0)) ?? 0;
