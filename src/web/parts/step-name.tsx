// A step by its id and what it is; some workflows give both the same name.
import type { StepView } from "../api/types.ts";
import { statusWord } from "../words/words.ts";

export function StepName({ step }: { readonly step: Pick<StepView, "id" | "type"> }) {
	return (
		<>
			{step.id !== step.type && <span class="mono id">{step.id}</span>} <span class="strong">{statusWord(step.type)}</span>
		</>
	);
}
