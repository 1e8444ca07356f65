// A dialog that asks for a text, such as the reason of a rejection.
import { useSignal } from "@preact/signals";
import { plain } from "../plain.ts";
import { Dialog } from "./dialog.tsx";

interface AskTextProps {
	readonly title: string;
	readonly label: string;
	readonly hint?: string;
	readonly does: string;
	readonly bad?: boolean;
	readonly onClose: () => void;
	/** True closes it. */
	readonly onText: (text: string) => Promise<boolean>;
}

export function AskText({ title, label, hint, does, bad = false, onClose, onText }: AskTextProps) {
	const text = useSignal("");
	const busy = useSignal(false);
	const send = async (): Promise<void> => {
		busy.value = true;
		const taken = await onText(text.peek().trim());
		busy.value = false;
		if (taken) onClose();
	};
	return (
		<Dialog
			title={title}
			onClose={onClose}
			does={{ name: does, bad, disabled: busy.value || text.value.trim() === "", run: () => void send() }}
		>
			{hint !== undefined && <p class="soft said asked">{plain(hint)}</p>}
			<label class="field">
				<span>{label}</span>
				<textarea rows={4} value={text.value} onInput={(event) => (text.value = event.currentTarget.value)} />
			</label>
		</Dialog>
	);
}
