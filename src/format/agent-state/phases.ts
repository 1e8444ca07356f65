// The position of a task: phases count from 0 in their order, tasks from 1 within their phase. Labels such as `1.2` are not used for counting.
import type { RunState, Story } from "../../core/model.ts";

export interface Group {
	readonly label: string;
	readonly name: string;
	/** What the document says about the phase itself. */
	readonly about?: string;
}

/** The field that holds the phases of the document, as a JSON list. */
export const PHASES = "phases";
/** The field that holds what the document says to everybody. */
export const ABOUT = "about";

/** The phases of the document, then those that only a new plan has, which gives them no names: they are called by their first task. */
export function groupsOf(state: RunState): readonly Group[] {
	const known = phasesIn(state.root.fields[PHASES]);
	const more = state.stories.filter((story) => !known.some((g) => g.label === labelOf(story)));
	return [...known, ...[...new Set(more.map(labelOf))].map((label) => ({ label, name: nameOf(more.filter((s) => labelOf(s) === label)) }))];
}

function nameOf([first, ...others]: readonly Story[]): string {
	const title = first?.title.replace(/\s+/g, " ").trim() ?? "";
	return others.length === 0 ? title : `${title}, and ${others.length} more`;
}

export function positionOf(state: RunState, story: Story): { readonly phase: number; readonly number: number; readonly count: number } {
	const label = labelOf(story);
	const beside = state.stories.filter((s) => labelOf(s) === label);
	return {
		phase: Math.max(
			0,
			groupsOf(state).findIndex((g) => g.label === label),
		),
		number: beside.findIndex((s) => s.id === story.id) + 1,
		count: beside.length,
	};
}

/** A task without a phase gets one of its own, named by the beginning of its label. */
export const labelOf = (story: Pick<Story, "id" | "group">): string => story.group ?? story.id.split(".")[0] ?? story.id;

export function phasesIn(text: string | undefined): readonly Group[] {
	try {
		const value: unknown = JSON.parse(text ?? "[]");
		return Array.isArray(value) ? (value as Group[]) : [];
	} catch {
		return [];
	}
}
