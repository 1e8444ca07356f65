// Skips a step that has not begun, with a reason that the next agent reads.
import { useSignal } from "@preact/signals";
import { act } from "../state/act.ts";
import { AskText } from "./ask-text.tsx";

export function SkipStep({ run, story, step }: { readonly run: string; readonly story: string; readonly step: string }) {
	const asking = useSignal(false);
	return (
		<div class="actions">
			<button type="button" onClick={() => (asking.value = true)}>
				Skip
			</button>
			{asking.value && (
				<AskText
					title={`Skip ${step}`}
					label="Reason"
					hint="The next agent of the story reads this."
					does="Skip"
					onClose={() => (asking.value = false)}
					onText={(reason) => act(run, "skip", { story, step, reason })}
				/>
			)}
		</div>
	);
}
