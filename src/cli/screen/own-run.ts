// The view of a run that this command started: the same as `pawl watch`, which reads the store like any other process. Closed when the run halts.
import type { DriveHandle } from "../../runs/drive/observer.ts";
import { watchRun } from "../../runs/look/watched-run.ts";
import { asRefusal } from "../../runs/refusal.ts";
import { type Context, EXIT } from "../context.ts";
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

/** `leave`: the person leaves a run that continues, or the terminal is gone; with pawl's exit code. */
export function ownRunView(c: Context, handle: DriveHandle, leave: (exit: number) => void): RunDisplay {
	const abort = new AbortController();
	/** Printed when the view is closed: on the screen they last only until the next key. */
	const notes: string[] = [];
	let screen: Screen | null = null;
	let begun = false;
	const gone = (exit: number): void => {
		abort.abort();
		leave(exit);
	};
	const show = (): void => {
		begun = true;
		void watchRun(c, handle.run, abort.signal, async (watched) => {
			if (abort.signal.aborted) return;
			// The listener of the command does what it does on a signal from outside.
			const own = { interrupt: () => void process.kill(process.pid, "SIGINT"), canLeave: handle.leave !== null };
			screen = new Screen(c, watched, { abort, own });
			for (const text of notes) screen.note(text);
			const left = await screen.left;
			if (abort.signal.aborted || handle.leave === null) return;
			gone(left.how === "signal" ? EXIT.terminated : EXIT.ok);
		}).catch((error) => {
			abort.abort();
			c.err(`pawl: the live view ended: ${asRefusal(error).message}\n`);
		});
	};
	return {
		report: () => {
			if (!begun) show();
		},
		note: (text) => {
			const line = oneLine(text, NOTE_COLUMNS);
			// The engine says the same in its log.
			if (notes.includes(line)) return;
			notes.push(line);
			screen?.note(text);
		},
		close: () => {
			abort.abort();
			for (const text of notes) c.err(`${text}\n`);
		},
	};
}
