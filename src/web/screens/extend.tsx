// Asks for new totals of a run's limits.
import { useSignal } from "@preact/signals";
import type { RunView } from "../api/types.ts";
import { Dialog } from "../parts/dialog.tsx";
import { moneyText, span } from "../words/words.ts";

interface ExtendProps {
	readonly run: RunView;
	readonly onClose: () => void;
	readonly onSend: (body: object) => Promise<boolean>;
}

export function ExtendDialog({ run, onClose, onSend }: ExtendProps) {
	const cost = useSignal("");
	const time = useSignal("");
	const iterations = useSignal("");
	const busy = useSignal(false);
	const body = {
		...(cost.value.trim() === "" ? {} : { max_cost: Number(cost.value) }),
		...(time.value.trim() === "" ? {} : { max_time: time.value.trim() }),
		...(iterations.value.trim() === "" ? {} : { max_iterations: Number(iterations.value) }),
	};
	const send = async (): Promise<void> => {
		busy.value = true;
		const taken = await onSend(body);
		busy.value = false;
		if (taken) onClose();
	};
	const { cost: money, time: work } = run.budgets;
	const loops = run.loop !== undefined || run.budgets["iterations"] !== undefined;
	return (
		<Dialog
			title="Extend the limits"
			onClose={onClose}
			does={{ name: "Extend", disabled: busy.value || Object.keys(body).length === 0, run: () => void send() }}
		>
			<p class="soft">New totals, not additions. A run that a limit stopped is resumed after this.</p>
			<label class="field">
				<span>Cost in US dollars{money && money.limit > 0 ? `, now ${moneyText(money.limit)}` : ""}</span>
				<input type="number" min="0" step="any" value={cost.value} onInput={(event) => (cost.value = event.currentTarget.value)} />
			</label>
			<label class="field">
				<span>Time at work, such as 2h30m{work && work.limit > 0 ? `, now ${span(work.limit)}` : ""}</span>
				<input value={time.value} onInput={(event) => (time.value = event.currentTarget.value)} />
			</label>
			{loops && (
				<label class="field">
					<span>Iterations{run.loop?.max_iterations ? `, now ${run.loop.max_iterations}` : ""}</span>
					<input
						type="number"
						min="1"
						step="1"
						value={iterations.value}
						onInput={(event) => (iterations.value = event.currentTarget.value)}
					/>
				</label>
			)}
		</Dialog>
	);
}
