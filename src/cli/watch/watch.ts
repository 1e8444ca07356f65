// pawl watch [RUN]: a live view of a run, whoever drives it.
import { Command } from "commander";
import { runToWatch, type WatchedRun, watchRun } from "../../runs/look/watched-run.ts";
import { type Context, EXIT, exitOfStatus } from "../context.ts";
import { ended, plainLines } from "../screen/plain.ts";
import { hasScreen, showScreen } from "../screen/screen.ts";

export function command(c: Context): Command {
	return new Command("pawl watch")
		.description("watch a run live: stories, steps, what agents print, what waits; approve, steer, pause and resume it by keys")
		.argument("[run]", "an id, a unique prefix, or latest; without it, the run that is running now, else the latest")
		.action(async (name: string | undefined) => c.exit(await watch(c, name)));
}

async function watch(c: Context, name: string | undefined): Promise<number> {
	const { run, others } = name === undefined ? await runToWatch(c) : { run: name, others: [] };
	const note = others.length === 0 ? {} : { note: `other runs go on too: ${others.map((id) => `pawl watch ${id}`).join(", ")}` };
	const abort = new AbortController();
	return watchRun(c, run, abort.signal, async (watched) => {
		if (!hasScreen(c)) return plainLines(c, watched, abort, note.note);
		const left = await showScreen(c, watched, { ...note, abort });
		if (left.how === "ended") return finish(c, watched);
		if (left.how === "left") return EXIT.ok;
		return left.signal === "SIGINT" ? EXIT.interrupted : EXIT.terminated;
	});
}

async function finish(c: Context, watched: WatchedRun): Promise<number> {
	await ended(c, watched);
	return exitOfStatus(watched.now().state.status);
}
