// Watching without a screen, for a pipe or a terminal that cannot do it: a line for each thing that happens, and the summary when the run halts.
import { lookAtEnded } from "../../runs/drive/ended.ts";
import type { WatchedRun } from "../../runs/look/watched-run.ts";
import { type Context, EXIT, exitOfStatus } from "../context.ts";
import { nextText } from "../text/next-text.ts";
import { lineReporter } from "../text/progress.ts";
import { summaryText } from "../text/summary.ts";
import { paint, wantsColor } from "../text/text.ts";

/** The exit code: of the run if it halted meanwhile, 0 if it had halted before. */
export async function plainLines(c: Context, watched: WatchedRun, abort: AbortController, note: string | undefined): Promise<number> {
	const first = watched.now();
	if (note !== undefined) c.warn(note);
	const report = lineReporter(c);
	// How it came here; then what happens.
	report(first.events, first.state);
	if (!first.driven) {
		await ended(c, watched);
		return EXIT.ok;
	}
	let exit: number | null = null;
	const signals = (
		[
			["SIGINT", EXIT.interrupted],
			["SIGTERM", EXIT.terminated],
		] as const
	).map(([signal, code]) => {
		const listener = () => {
			exit = code;
			abort.abort();
		};
		process.once(signal, listener);
		return () => process.off(signal, listener);
	});
	try {
		while (watched.now().driven && exit === null) report(await watched.changed(), watched.now().state);
	} finally {
		for (const off of signals) off();
	}
	if (exit !== null) return exit;
	await ended(c, watched);
	return exitOfStatus(watched.now().state.status);
}

/** The summary of a run that has halted, as `pawl run` prints it. */
export async function ended(c: Context, watched: WatchedRun): Promise<void> {
	const { state, events } = watched.now();
	const { repository } = watched.open;
	const look = { width: c.width, color: paint(wantsColor(c.env, c.outIsTty)), now: c.now() };
	c.out(summaryText(await lookAtEnded(repository, events, state), look));
	c.out(nextText(state));
}
