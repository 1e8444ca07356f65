// The view of a run that this process drives: the same as `pawl watch`, which reads the store like any other process. Closed when the run halts.
import { watchRun } from "../../runs/look/watched-run.ts";
import { asRefusal } from "../../runs/refusal.ts";
import type { Context } from "../context.ts";
import type { Reporter } from "../text/progress.ts";
import { oneLine } from "../text/text.ts";
import { Screen } from "./screen.ts";

/** Shows a run while it is driven. */
export interface RunDisplay {
	readonly report: Reporter;
	/** A line that is not about an event. */
	note(text: string): void;
	close(): void;
}

const NOTE_COLUMNS = 2_000;

export function ownRunView(c: Context): RunDisplay {
	const abort = new AbortController();
	/** Printed when the view is closed: on the screen they last only until the next key. */
	const notes: string[] = [];
	let screen: Screen | null = null;
	let begun = false;
	const show = (run: string): void => {
		begun = true;
		void watchRun(c, run, abort.signal, async (watched) => {
			if (abort.signal.aborted) return;
			// The listener of the command does what it does on a signal from outside.
			screen = new Screen(c, watched, { abort, interrupt: () => process.kill(process.pid, "SIGINT") });
			for (const text of notes) screen.note(text);
			await screen.left;
		}).catch((error) => {
			abort.abort();
			c.err(`pawl: the live view ended: ${asRefusal(error).message}\n`);
		});
	};
	return {
		report: (_, state) => {
			if (!begun) show(state.id);
		},
		note: (text) => {
			notes.push(oneLine(text, NOTE_COLUMNS));
			screen?.note(text);
		},
		close: () => {
			abort.abort();
			for (const text of notes) c.err(`${text}\n`);
		},
	};
}
