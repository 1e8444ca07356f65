// What a person can do with a run that has halted, as lines.
import type { RunState } from "../../core/model.ts";
import { type Advice, adviceFor } from "../../runs/look/next.ts";

export const adviceLine = ({ text, commands, note }: Advice): string =>
	commands.length === 0
		? text
		: `${text}: ${commands.slice(0, -1).join(", ")}${commands.length > 1 ? " or " : ""}${commands.at(-1) ?? ""}${note === undefined ? "" : ` (${note})`}`;

/** Empty if there is nothing to do. */
export const nextText = (state: RunState): string =>
	adviceFor(state, false)
		.map((advice) => `${advice.commands.length === 0 ? "\n" : ""}${adviceLine(advice)}\n`)
		.join("");
