// Follows a run from a terminal: progress while it runs, signals, the summary and the exit code.
import { RUN_SCOPE, type RunState } from "../../core/model.ts";
import { decide } from "../../runs/change/decide.ts";
import { resume } from "../../runs/control/resume.ts";
import type { EndedRun } from "../../runs/drive/ended.ts";
import type { RunObserver } from "../../runs/drive/observer.ts";
import { estimateText } from "../../runs/look/estimate.ts";
import { usedUp } from "../../runs/look/next.ts";
import { type Context, EXIT, exitOfStatus } from "../context.ts";
import { ownRunView, type RunDisplay } from "../screen/own-run.ts";
import { hasScreen } from "../screen/screen.ts";
import { jsonReporter, lineReporter } from "../text/progress.ts";
import { type Answerer, ask, canAsk, type WhyItWaits } from "./ask.ts";
import { conclude, sayItDied, sayItGoesOn } from "./conclude.ts";
import { Signals } from "./signals.ts";

export interface FollowFlags {
	/** The journal as JSON lines on stdout. */
	readonly json: boolean;
	/** Only warnings while it runs. */
	readonly quiet: boolean;
	/** Who decides what the run waits for; without it the person at the terminal, if there is one. */
	readonly answer?: Answerer;
	/** The engine has to live in this process, also below a live view: it uses parts that only this process has. */
	readonly here?: boolean;
}

type Work = (observer: RunObserver) => Promise<EndedRun | null>;

/** Shows the run that `work` drives, prints the summary, and returns the exit code. `work` returns null if there is nothing to sum up. Asks the person
 * at the terminal for decisions that the run waits for, and continues the run with the answer. */
export async function follow(c: Context, flags: FollowFlags, work: Work): Promise<number> {
	const following = new Following(c, flags);
	let ended = await work(following.observer());
	const answerer = flags.answer ?? (!flags.json && canAsk(c) ? (state: RunState, why: WhyItWaits) => ask(c, state, why) : null);
	while (ended !== null && ended.state.status === "waiting" && answerer !== null) {
		const { state, reasons } = ended;
		const answer = await answerer(
			state,
			(scope, step) => reasons.find((w) => (w.story ?? RUN_SCOPE) === scope && w.step === step)?.reason ?? "",
		);
		if (answer === null) break;
		await decide(c, { run: state.id, ...answer });
		const resumed = await resume(c, state.id, {}, following.observer());
		if (resumed.how !== "driven") break;
		ended = resumed.ended;
	}
	if (ended === null) return following.exit;
	const exit = following.exitOf(ended.state);
	conclude(c, flags.json, ended, exit, following.told);
	return exit;
}

/** One command, which may drive its run several times: after each answer of a person. */
class Following {
	/** The exit code if there is nothing to sum up. */
	exit: number = EXIT.ok;
	/** Warnings that were shown. */
	readonly told = new Set<string>();
	private readonly c: Context;
	private readonly flags: FollowFlags;
	private readonly signals = new Signals();

	constructor(c: Context, flags: FollowFlags) {
		this.c = c;
		this.flags = flags;
	}

	observer(): RunObserver {
		const { c, flags } = this;
		const live = !flags.json && !flags.quiet && hasScreen(c);
		return {
			apart: live && !flags.here,
			onCreated: (events, state, estimate) => {
				if (flags.quiet) return;
				(flags.json ? jsonReporter(c) : lineReporter(c))(events, state);
				const likely = flags.json ? null : estimateText(estimate);
				if (likely !== null) c.err(`${likely}\n`);
			},
			onDriving: (handle) => {
				let last = (): void => {};
				const leave = (exit: number): void => {
					this.exit = exit;
					if (exit === EXIT.ok) last = () => sayItGoesOn(c, handle.run);
					handle.leave?.();
				};
				const screen = live ? ownRunView(c, handle, leave) : linesFor(c, flags);
				const ignore = this.signals.watch(handle, () => {
					if (!handle.elsewhere) return screen.note("pawl: stopping; press Ctrl-C again to kill the agents now");
					this.exit = this.signals.exit ?? EXIT.interrupted;
					last = () => sayItGoesOn(c, handle.run);
				});
				return {
					onEvents: screen.report,
					onWarning: (text) => {
						this.told.add(text);
						screen.note(`pawl: ${text}`);
					},
					onEngineEnd: (end, state, halted) => {
						this.signals.passedOn(end.code);
						if (halted) return;
						this.exit = this.signals.exit ?? EXIT.failed;
						last = () => sayItDied(c, state, end);
					},
					close: () => {
						ignore();
						screen.close();
						last();
					},
				};
			},
		};
	}

	exitOf(state: RunState): number {
		const { status } = state;
		// Stopped with no limit reached: somebody asked for it.
		const asked = status === "stopped" && usedUp(state) === null;
		return this.signals.exit !== null && status === "paused" ? this.signals.exit : asked ? EXIT.ok : exitOfStatus(status);
	}
}

/** A pipe gets lines, --json the journal. */
function linesFor(c: Context, { json, quiet }: FollowFlags): RunDisplay {
	const note = (text: string) => (json ? c.warn(text) : c.err(`${text}\n`));
	return { report: quiet ? () => {} : json ? jsonReporter(c) : lineReporter(c), note, close: () => {} };
}
