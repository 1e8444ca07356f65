// What an edit file would do: judges it as the engine would at the end of the story's current (or next) step. Changes nothing.
import { resolve } from "node:path";
import { decideEdits, type EditDecision } from "../../core/edit/edit.ts";
import type { EditRequest } from "../../core/input.ts";
import type { RunState, Step, Story } from "../../core/model.ts";
import { typeOf } from "../../core/query.ts";
import { MAX_BYTES, readEdits } from "../../engine/edit-file.ts";
import { readBounded } from "../../files/read.ts";
import type { RunsContext } from "../context.ts";
import { lookAt } from "../open.ts";
import { Refusal } from "../refusal.ts";

export interface JudgedEdits {
	readonly run: string;
	readonly story: string;
	readonly step: string;
	readonly type: string;
	readonly decision: EditDecision;
}

export function judgeEdits(
	c: RunsContext,
	{ run, story: id, file }: { readonly run: string; readonly story: string; readonly file: string },
): Promise<JudgedEdits> {
	return lookAt(c, run, async ({ state }) => {
		const request = await read(resolve(c.cwd, file), file);
		const story = storyOf(state, id);
		const step = stepOf(story);
		return { run: state.id, story: story.id, step: step.id, type: step.type, decision: decideAs(state, story, step, request) };
	});
}

async function read(path: string, name: string): Promise<EditRequest> {
	const found = readBounded(path, { max: MAX_BYTES, oneName: true });
	if ("missing" in found) throw new Refusal("not_found", `there is no file ${name}`);
	if ("problem" in found) throw new Refusal("invalid", `${name} would not be read: ${found.problem}`);
	return readEdits(found.text);
}

function storyOf(state: RunState, id: string): Story {
	const story = state.stories.find((s) => s.id === id);
	if (!story)
		throw new Refusal("not_found", `run ${state.id} has no story ${id}; there are ${state.stories.map((s) => s.id).join(", ") || "none"}`);
	return story;
}

function stepOf(story: Story): Step {
	const { steps } = story.scope;
	const step = steps.find((s) => s.status === "in_progress") ?? steps.find((s) => s.status === "pending");
	if (!step)
		throw new Refusal(
			"refused",
			`${story.id} (${story.status}) ${steps.length === 0 ? "has no steps yet: it was not claimed" : "has no step left that could be edited"}`,
		);
	return step;
}

/** As if the step were running: that is when agents edit. */
export function decideAs(state: RunState, story: Story, step: Step, request: EditRequest): EditDecision {
	const type = typeOf(state, step);
	if (type && !type.edits) return { ok: false, reasons: [`steps of type ${type.name} may not edit the workflow`], restartLimit: false };
	const running: Step = { ...step, status: "in_progress" };
	const scope = { ...story.scope, steps: story.scope.steps.map((s) => (s.id === step.id ? running : s)) };
	return decideEdits(request, scope, running, state.definition);
}
