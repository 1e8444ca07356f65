// pawl edits validate FILE --run RUN --story STORY: says what an edit file would do before an agent relies on it.
import { resolve } from "node:path";
import { Command } from "commander";
import { decideEdits, type EditDecision } from "../core/edit/edit.ts";
import type { EditRequest } from "../core/input.ts";
import type { RunState, Step, Story } from "../core/model.ts";
import { typeOf } from "../core/query.ts";
import { readBounded } from "../files/read.ts";
import { lookAt } from "../runs/open.ts";
import { CliError, type Context } from "./context.ts";
import { document } from "./document.ts";

const MAX_BYTES = 1024 * 1024;

export function command(c: Context): Command {
	const edits = new Command("pawl edits").description("validate an edit file of an agent");
	edits
		.command("validate")
		.description("decide an edit file as the engine would at the end of the story's current (or next) step; nothing is changed")
		.argument("<file>", "a JSON array of operations")
		.option("--run <run>", "an id, a unique prefix, or latest", "latest")
		.requiredOption("--story <story>", "the story whose steps it edits")
		.option("--json", "as one JSON document")
		.action((file: string, flags: { run: string; story: string; json?: boolean }) =>
			lookAt(c, flags.run, async ({ state }) => {
				const request = await read(resolve(c.cwd, file), file);
				const story = storyOf(state, flags.story);
				const step = stepOf(story);
				const decision = decideAs(state, story, step, request);
				if (flags.json) c.out(document({ run: state.id, story: story.id, step: step.id, type: step.type, ...decision }));
				if (!decision.ok)
					throw new CliError(
						`the edits would be rejected as a whole, for ${step.id} (${step.type}) of ${story.id}:\n${decision.reasons.map((r) => `- ${r}`).join("\n")}`,
					);
				if (!flags.json) c.out(acceptedText(decision, step));
			}),
		);
	return edits;
}

async function read(path: string, name: string): Promise<EditRequest> {
	const found = readBounded(path, { max: MAX_BYTES, oneName: true });
	if ("missing" in found) throw new CliError(`there is no file ${name}`);
	if ("problem" in found) throw new CliError(`${name} would not be read: ${found.problem}`);
	try {
		return { operations: JSON.parse(found.text) as unknown };
	} catch (error) {
		return { problem: `the edit file is not JSON: ${(error as Error).message}` };
	}
}

function storyOf(state: RunState, id: string): Story {
	const story = state.stories.find((s) => s.id === id);
	if (!story) throw new CliError(`run ${state.id} has no story ${id}; there are ${state.stories.map((s) => s.id).join(", ") || "none"}`);
	return story;
}

function stepOf(story: Story): Step {
	const { steps } = story.scope;
	const step = steps.find((s) => s.status === "in_progress") ?? steps.find((s) => s.status === "pending");
	if (!step)
		throw new CliError(
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

function acceptedText(decision: Extract<EditDecision, { ok: true }>, step: Step): string {
	const lines = decision.edits.map(({ details }) => {
		const made = (details.new_steps ?? []).map((s) => `${s.id} ${s.type}`).join(", ");
		return `  ${details.operation} ${details.target_step_id ?? ""}${made === "" ? "" : ` → ${made}`}: ${details.reason}`;
	});
	return `accepted, at the end of ${step.id} (${step.type}):\n${lines.join("\n")}\nthe steps would be: ${decision.edits.at(-1)?.order.join(", ") ?? ""}\n`;
}
