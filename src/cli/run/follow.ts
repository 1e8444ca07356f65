// Follows a run from a terminal: progress while it runs, signals, the summary and the exit code.
import { RUN_SCOPE, type RunState } from "../../core/model.ts";
import { decide } from "../../runs/change/decide.ts";
import { resume } from "../../runs/control/resume.ts";
import type { DriveHandle, RunObserver } from "../../runs/drive/drive.ts";
import { type EndedRun, finishedView } from "../../runs/drive/ended.ts";
import { usedUp } from "../../runs/look/next.ts";
import { type Context, EXIT, exitOfStatus } from "../context.ts";
import { ownRunView, type RunDisplay } from "../screen/own-run.ts";
import { hasScreen } from "../screen/screen.ts";
import { nextText } from "../text/next-text.ts";
import { jsonReporter, lineReporter } from "../text/progress.ts";
import { summaryText } from "../text/summary.ts";
import { paint, wantsColor } from "../text/text.ts";
import { type Answerer, ask, canAsk, type WhyItWaits } from "./ask.ts";

export interface FollowFlags {
	/** The journal as JSON lines on stdout. */
	readonly json: boolean;
	/** Only warnings while it runs. */
	readonly quiet: boolean;
	/** Who decides what the run waits for; without it the person at the terminal, if there is one. */
	readonly answer?: Answerer;
}

type Work = (observer: RunObserver) => Promise<EndedRun | null>;

/** Shows the run that `work` drives, prints the summary, and returns the exit code. `work` returns null if there is nothing to sum up. Asks the person
 * at the terminal for decisions that the run waits for, and continues the run with the answer. */
export async function follow(c: Context, flags: FollowFlags, work: Work): Promise<number> {
	const signals = new Signals();
	let ended = await work(observerFor(c, flags, signals));
	const answerer = flags.answer ?? (!flags.json && canAsk(c) ? (state: RunState, why: WhyItWaits) => ask(c, state, why) : null);
	while (ended !== null && ended.state.status === "waiting" && answerer !== null) {
		const { state, reasons } = ended;
		const answer = await answerer(
			state,
			(scope, step) => reasons.find((w) => (w.story ?? RUN_SCOPE) === scope && w.step === step)?.reason ?? "",
		);
		if (answer === null) break;
		await decide(c, { run: state.id, ...answer });
		const resumed = await resume(c, state.id, {}, observerFor(c, flags, signals));
		if (resumed.how !== "driven") break;
		ended = resumed.ended;
	}
	if (ended === null) return EXIT.ok;
	const { status } = ended.state;
	// Stopped with no limit reached: somebody asked for it.
	const asked = status === "stopped" && usedUp(ended.state) === null;
	const exit = signals.exit !== null && status === "paused" ? signals.exit : asked ? EXIT.ok : exitOfStatus(status);
	conclude(c, flags.json, ended, exit);
	return exit;
}

function observerFor(c: Context, flags: FollowFlags, signals: Signals): RunObserver {
	return {
		onCreated: flags.quiet ? () => {} : flags.json ? jsonReporter(c) : lineReporter(c),
		onDriving: (handle) => {
			const screen = screenFor(c, flags);
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
	};
}

/** The first signal stops the run, a second one ends it at once. */
class Signals {
	/** pawl's exit code after a signal. */
	exit: number | null = null;

	/** Until the returned function is called. */
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
function screenFor(c: Context, { json, quiet }: FollowFlags): RunDisplay {
	if (!json && !quiet && hasScreen(c)) return ownRunView(c);
	const note = (text: string) => (json ? c.warn(text) : c.err(`${text}\n`));
	return { report: quiet ? () => {} : json ? jsonReporter(c) : lineReporter(c), note, close: () => {} };
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
