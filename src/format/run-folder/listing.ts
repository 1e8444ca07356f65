// The stories of a run over a run folder, as its prd.json has them now.
import type { RunState } from "../../core/model.ts";
import type { KeptStory } from "../../format.ts";
import { RunFolder } from "./folder.ts";
import { idOf, nextStory, passes, readDoc, wordOf } from "./stories.ts";

/** Empty if the run has no such folder, or its prd.json cannot be read at the moment. */
export function storiesInFolder(state: RunState): readonly KeptStory[] {
	const folder = state.input["folder"] === undefined ? null : RunFolder.of(state.input);
	if (folder === null) return [];
	const read = readDoc(folder.text(folder.own("prd.json")) ?? "");
	if (!read.ok) return [];
	const next = nextStory(read.doc);
	const works = state.root.steps.some((step) => step.running.some((attempt) => attempt.role === "worker"));
	return read.doc.stories.map((story) => ({
		id: idOf(story),
		title: wordOf(story["title"]),
		status: passes(story) ? "completed" : works && idOf(story) === next ? "in_progress" : "unclaimed",
		passes: passes(story),
		notes: wordOf(story["notes"]),
		description: wordOf(story["description"]),
		acceptance_criteria: criteriaOf(story["acceptance_criteria"] ?? story["acceptanceCriteria"]),
	}));
}

const criteriaOf = (value: unknown): readonly string[] =>
	Array.isArray(value) ? value.filter((one) => typeof one === "string") : typeof value === "string" && value !== "" ? [value] : [];
