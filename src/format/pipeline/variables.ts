// Variables of a pipeline's inputs. Any key that an agent prints becomes one, so an unknown name is not an error: it is empty, and the
// user is warned.
import { PROMPT_VARIABLES, templateNames } from "../../core/template.ts";
import type { Notes } from "../../definition/spelling.ts";
import type { RawPipeline } from "./shape.ts";

/** Parts of a prompt that pawl puts together for the pipelines of its own; anybody may use them. */
const PARTS = ["sent_back", "asked_before", "story_reports", "in_browser"] as const;

export function warnOfUnknown(raw: RawPipeline, prompts: Readonly<Record<string, string>>, keys: readonly string[], { warn }: Notes): void {
	const said = Object.values(prompts).join("\n");
	const feedback = raw.steps.map((step) => `${step.id}_feedback`);
	const known = new Set<string>([
		...PROMPT_VARIABLES,
		...PARTS,
		...Object.keys(raw.context),
		...feedback,
		...keys.map((key) => key.toLowerCase()),
		"verify_feedback",
	]);
	for (const step of raw.steps)
		for (const name of templateNames(step.input))
			if (!known.has(name) && !said.includes(`${name.toUpperCase()}:`))
				warn(
					[...step.at, "input"],
					`nothing in this pipeline is seen to give \`{{${name}}}\`: without a line ${name.toUpperCase()}: of an agent it is empty`,
					"key",
				);
}
