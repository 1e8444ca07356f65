// The live view on a terminal: events scroll above; the running steps stay below and are redrawn. It only moves the cursor, keeps
// everything that is on the screen, and erases its last drawing when the run has ended.
import type { Event } from "../../core/event.ts";
import type { RunState } from "../../core/model.ts";
import type { Context } from "../context.ts";
import { columnsOf, cutTo } from "../text/columns.ts";
import { LineTeller } from "../text/event-lines.ts";
import type { Reporter } from "../text/progress.ts";
import { oneLine, paint, wantsColor } from "../text/text.ts";
import { drawing } from "./live-drawing.ts";

const REDRAW_MS = 60;
const TICK_MS = 200;

export interface LiveView {
	readonly report: Reporter;
	/** A line that is not about an event. */
	note(text: string): void;
	close(): void;
}

export function liveView(c: Context, size: () => { readonly columns: number; readonly rows: number }): LiveView {
	const color = paint(wantsColor(c.env, true));
	const teller = new LineTeller();
	let state: RunState | null = null;
	let lines: string[] = [];
	/** The widths of the lines of the last drawing: if the terminal became narrower, they have wrapped. */
	let drawn: readonly number[] = [];
	let frame = 0;
	let timer: NodeJS.Timeout | null = null;

	const draw = (final = false) => {
		timer = null;
		const { columns, rows } = size();
		const region = final || state === null ? [] : drawing(state, { now: c.now(), columns, rows, color, frame: frame++ });
		if (region.length === 0 && lines.length === 0 && drawn.length === 0) return;
		const up = drawn.reduce((sum, width) => sum + Math.max(1, Math.ceil(width / Math.max(1, columns))), 0);
		// Writes each line over the old one and clears only the rest of it: clearing first would flicker.
		const text = [...lines, ...region].map((line) => `${line}\u001b[K\n`).join("");
		c.err(`${up > 0 ? `\u001b[${up}A` : ""}\r${text}\u001b[J`);
		lines = [];
		drawn = region.map(columnsOf);
	};
	const soon = () => {
		timer ??= setTimeout(draw, REDRAW_MS);
	};
	const tick = setInterval(soon, TICK_MS);
	tick.unref();
	return {
		report: (events: readonly Event[], now: RunState) => {
			state = now;
			for (const event of events) lines.push(...teller.linesFor(event, now, { color, columns: size().columns, live: true }));
			soon();
		},
		note: (text) => {
			lines.push(cutTo(oneLine(text, 2000), size().columns - 1));
			soon();
		},
		close: () => {
			clearInterval(tick);
			if (timer !== null) clearTimeout(timer);
			draw(true);
		},
	};
}
