// The steps of a story as a row of small marks.
import type { StepView } from "../api/types.ts";
import { countOf, statusWord, toneOf } from "../words/words.ts";

export function StepDots({ steps }: { readonly steps: readonly StepView[] }) {
	if (steps.length === 0) return null;
	const done = steps.filter(({ status }) => status === "completed" || status === "skipped").length;
	return (
		<span class="dots" role="img" aria-label={`${done} of ${countOf(steps.length, "step")} done`}>
			{steps.map((step) => (
				<span
					key={step.id}
					class={`dot ${step.status} ${toneOf(step.status)}`}
					title={`${statusWord(step.type)}: ${statusWord(step.status)}`}
				/>
			))}
		</span>
	);
}
