// What a person can do with a run; a button is there only while it can be done.
import { useSignal } from "@preact/signals";
import type { RunView } from "../api/types.ts";
import { AskText } from "../parts/ask-text.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { flat } from "../plain.ts";
import { act } from "../state/act.ts";
import { canOf } from "../words/can.ts";
import { ExtendDialog } from "./extend.tsx";

type Asking = "steer" | "cancel" | "extend" | null;

export function RunActions({ run }: { readonly run: RunView }) {
	const asking = useSignal<Asking>(null);
	const busy = useSignal(false);
	const can = canOf(run);
	const close = (): void => {
		asking.value = null;
	};
	const send = async (action: string, body: object = {}): Promise<boolean> => {
		busy.value = true;
		const taken = await act(run.run, action, body);
		busy.value = false;
		return taken;
	};
	const now = (action: string) => () => void send(action);
	const ask = (what: Asking) => () => {
		asking.value = what;
	};
	return (
		<div class="actions">
			{can.resume && <Does name="Resume" main busy={busy.value} run={now("resume")} />}
			{can.retry && <Does name="Retry" main busy={busy.value} run={now("retry")} />}
			{can.pause && <Does name="Pause" busy={busy.value} run={now("pause")} />}
			{can.steer && <Does name="Steer" busy={busy.value} run={ask("steer")} />}
			{can.extend && <Does name="Extend" busy={busy.value} run={ask("extend")} />}
			{can.cancel && <Does name="Cancel" busy={busy.value} run={ask("cancel")} />}
			{asking.value === "steer" && (
				<AskText
					title="Steer the run"
					label="What should its agents know?"
					hint="Every step that starts from now on reads it; steps at work do not."
					does="Steer"
					onClose={close}
					onText={(text) => send("steer", { text })}
				/>
			)}
			{asking.value === "extend" && <ExtendDialog run={run} onClose={close} onSend={(body) => send("extend", body)} />}
			{asking.value === "cancel" && (
				<Dialog
					title="Cancel this run?"
					close="Keep it"
					onClose={close}
					does={{
						name: "Cancel the run",
						bad: true,
						disabled: busy.value,
						run: () =>
							void send("cancel").then((taken) => {
								if (taken) close();
							}),
					}}
				>
					<p class="said">
						“{flat(run.title)}” ends for good: sessions at work are stopped and it cannot be resumed. What was merged stays merged.
					</p>
				</Dialog>
			)}
		</div>
	);
}

function Does({ name, main = false, busy, run }: { name: string; main?: boolean; busy: boolean; run: () => void }) {
	return (
		<button type="button" class={main ? "main" : ""} disabled={busy} onClick={run}>
			{name}
		</button>
	);
}
