// What comes first in the prompt of a step that runs again, or that has to repair something: why, and what failed. Every prompt gets it
// here, so that no prompt file can forget it.
import { failingPart } from "../core/failing-part.ts";
import type { RunState, Scope, Step } from "../core/model.ts";
import { templateNames } from "../core/template.ts";
import { quoted } from "./quoted.ts";

const SHOWN = 6000;

export interface OpeningRequest {
	readonly state: RunState;
	readonly scope: Scope;
	readonly step: Step;
	/** The prompt file and its frame, before anything is filled in: where these say why the step runs again, it is not repeated. */
	readonly template: string;
	/** Diff files of earlier attempts whose work was put back. */
	readonly diffs: readonly string[];
}

/** Empty if there is nothing to repair and nothing to explain. */
export function opening({ state, scope, step, template, diffs }: OpeningRequest): string {
	const saysWhy = templateNames(template).some((name) => name === "feedback" || name === "surroundings");
	const parts = [
		...failing(scope, state.definition.types[step.type]?.writes === "none" ? `${step.id} (${step.type})` : null),
		...(step.feedback === null || saysWhy ? [] : [`## Why this step runs again\n\n${quoted("reason", step.feedback)}`]),
		...(diffs.length === 0
			? []
			: [
					`What an earlier attempt at this step had done was put back. It is kept as a diff: ${diffs.map((file) => `\`${file}\``).join(", ")}`,
				]),
	];
	return parts.length === 0 ? "" : `${parts.join("\n\n")}\n\n`;
}

/** `own`: only what failed after that step, which can mend nothing else. */
function failing(scope: Scope, own: string | null): string[] {
	const checks = (scope.failing ?? []).filter((check) => own === null || check.step === own);
	if (checks.length === 0) return [];
	const texts = checks.map(({ name, command, exitCode, output, step }) => {
		const how = exitCode === null ? "it did not end" : `it exited ${exitCode}`;
		return `After ${step} pawl ran the check \`${name}\` (\`${command}\`): ${how}. The part of its output that says why:\n\n${quoted("output", failingPart(output, SHOWN), "(it printed nothing)")}`;
	});
	return [`## What fails now\n\nThis comes first: it has to pass before the work can be delivered.\n\n${texts.join("\n\n")}`];
}
