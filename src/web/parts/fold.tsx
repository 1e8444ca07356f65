// Something long that opens on demand; what it holds is made only while it is open.
import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";

interface FoldProps {
	readonly name: string;
	readonly note?: string;
	readonly open?: boolean;
	readonly children: () => ComponentChildren;
}

export function Fold({ name, note, open: first = false, children }: FoldProps) {
	const open = useSignal(first);
	const body = useId();
	return (
		<div class="fold">
			<button type="button" class="fold-button" aria-expanded={open.value} aria-controls={body} onClick={() => (open.value = !open.value)}>
				{name}
				{note !== undefined && <span class="soft"> {note}</span>}
			</button>
			<div id={body} class="fold-body">
				{open.value && children()}
			</div>
		</div>
	);
}
