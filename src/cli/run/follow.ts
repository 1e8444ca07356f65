// Following a run from a terminal: progress while it goes on, signals, the summary and the exit code.
import type { DriveHandle, RunObserver } from "../../runs/drive/drive.ts";
import { type EndedRun, finishedView } from "../../runs/drive/ended.ts";
import { type Context, EXIT, exitOfStatus } from "../context.ts";
import { type LiveView, liveView } from "../live/live.ts";
import { nextText } from "../text/next-text.ts";
import { jsonReporter, lineReporter } from "../text/progress.ts";
import { summaryText } from "../text/summary.ts";
import { paint, wantsColor } from "../text/text.ts";

/** Shows what `work` drives, sums it up, and says with what pawl exits. `work` answers null where there is nothing to sum up. */
export async function follow(c: Context, json: boolean, work: (observer: RunObserver) => Promise<EndedRun | null>): Promise<number> {
	const signals = new Signals();
	const ended = await work({
		onCreated: json ? jsonReporter(c) : lineReporter(c),
		onDriving: (handle) => {
			const screen = screenFor(c, json);
			const ignore = signals.watch(handle, () => screen.note("pawl: stopping; press Ctrl-C again to kill the agents now"));
			return {
				onEvents: screen.report,
				onWarning: (text) => screen.note(`pawl: ${text}`),
				close: () => {
					ignore();
					screen.close();
				},
			};
		},
	});
	if (ended === null) return EXIT.ok;
	const { status } = ended.state;
	const exit = signals.exit !== null && status === "paused" ? signals.exit : exitOfStatus(status);
	conclude(c, json, ended, exit);
	return exit;
}

/** The first signal stops the run, a second one ends it at once. */
class Signals {
	/** What pawl exits with because of a signal. */
	exit: number | null = null;

	/** Until what comes back is called. */
	watch(handle: DriveHandle, onStop: () => void): () => void {
		const listen = (signal: "SIGINT" | "SIGTERM", exit: number) => {
			const listener = () => {
				if (this.exit !== null) {
					handle.kill();
					process.exit(exit);
				}
				this.exit = exit;
				onStop();
				handle.stop();
			};
			process.on(signal, listener);
			return () => void process.off(signal, listener);
		};
		const offs = [listen("SIGINT", EXIT.interrupted), listen("SIGTERM", EXIT.terminated)];
		return () => offs.forEach((off) => off());
	}
}

/** A terminal gets the live view, a pipe gets lines, --json the journal. */
function screenFor(c: Context, json: boolean): LiveView {
	if (!json && c.errIsTty && c.env["TERM"] !== "dumb" && (c.env["CI"] ?? "") === "")
		return liveView(c, () => ({ columns: process.stderr.columns || 80, rows: process.stderr.rows || 24 }));
	const note = (text: string) =>
		c.err(json ? `${JSON.stringify({ ts: new Date(c.now()).toISOString(), event: "warning", text })}\n` : `${text}\n`);
	return { report: json ? jsonReporter(c) : lineReporter(c), note, close: () => {} };
}

function conclude(c: Context, json: boolean, ended: EndedRun, exit: number): void {
	const { id: run, status, reason } = ended.state;
	if (json) {
		c.out(`${JSON.stringify({ event: "run_finished", at: c.now(), run, status, reason, exit_code: exit, ...finishedView(ended) })}\n`);
	} else {
		c.out(summaryText(ended, { width: c.width, color: paint(wantsColor(c.env, c.outIsTty)), now: c.now() }));
		c.out(nextText(ended.state));
		if (ended.temporary && ended.kept) c.warn(`the files of this run are kept in ${ended.sharedDir}`);
	}
}
