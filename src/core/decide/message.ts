// Messages from control files: what people and agents ask of a loop. Each is taken once and journaled.

import type { Message } from "../input.ts";
import { RUN_SCOPE } from "../model.ts";
import { fieldOf, isOver, openLoop, own, runningAttempts, typeOf } from "../query.ts";
import type { Decision } from "./decision.ts";
import { cancelRunning } from "./story.ts";

export function takeMessage(d: Decision, inbox: string, id: string, message: Message): void {
	if (isOver(d.state.status) || own(d.state.taken ?? {}, inbox) === id) return;
	d.emit({ event: "message_taken", inbox, id, text: message.text });
	const reason = message.reason ?? message.text;
	if (message.hold !== undefined && message.hold !== (typeof d.state.held === "string"))
		d.emit({ event: "run_held", reason: message.hold ? reason : null });
	addTo(d, message.add ?? {});
	const step = openLoop(d.state);
	const loop = step && typeOf(d.state, step)?.loop;
	if (!step || !loop) return;
	const signals = message.signals ?? [];
	const calls = signals.flatMap((signal) => own(loop.inject, signal) ?? []);
	const [other] = signals.filter((signal) => own(loop.inject, signal) === undefined);
	const asked = other === undefined ? (step.asked ?? null) : { signal: other, reason };
	const skips = (step.skips ?? 0) + (message.skip ?? 0);
	if (calls.length > 0 || other !== undefined || skips !== (step.skips ?? 0))
		d.emit({ event: "loop_asked", scope: RUN_SCOPE, step: step.id, queue: [...step.queue, ...calls], skips, asked });
	if (message.now) cancelRunning(d, RUN_SCOPE, step, reason);
}

/** During a session pawl cannot tell a person's message from the agent's, so a message only asks to raise a limit that a person set. */
function addTo(d: Decision, more: Readonly<Record<string, number>>): void {
	const added = Object.entries(more).flatMap(([name, amount]): [string, string][] => {
		const now = Number(fieldOf(d.state, d.state.root, name));
		if (!Number.isFinite(now) || !Number.isFinite(amount)) return [];
		if (!d.state.ownLimits?.includes(name) || runningAttempts(d.state).length === 0) return [[name, String(now + amount)]];
		d.emit({ event: "limit_asked", field: name, now, more: amount });
		const text = `${amount} more than the ${now} ${name.replaceAll("_", " ")} that you allowed are asked for: pawl extend says yes`;
		d.effect({ effect: "notify", scope: RUN_SCOPE, about: "budget", text });
		return [];
	});
	if (added.length > 0) d.emit({ event: "fields_set", scope: RUN_SCOPE, fields: Object.fromEntries(added) });
}
