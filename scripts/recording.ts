// Records a terminal as an animated picture: node scripts/recording.ts plays `pawl demo` in tmux and writes docs/ui/demo.svg. GitHub and the site
// show it as any picture, without a player or a server of others. Who wants no motion sees its last frame.
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type Frame, filmOf } from "./recording-film.ts";

const root = join(import.meta.dirname, "..");
const COLUMNS = 100;
const ROWS = 26;
const EVERY_MS = 400;
/** Far longer than the demo takes. */
const LONGEST_MS = 60_000;

const scratch = mkdtempSync(join(tmpdir(), "pawl-recording-"));
const DONE = join(scratch, "done");
const socket = join(scratch, "tmux");
const tmux = (...args: readonly string[]): string => execFileSync("tmux", ["-S", socket, "-f", "/dev/null", ...args], { encoding: "utf8" });

try {
	const command = `clear; printf '$ pawl demo\\n'; PATH='${join(root, "bin")}:'"$PATH" TMPDIR='${scratch}' pawl demo; printf '$ '; touch '${DONE}'; sleep 600`;
	tmux("new-session", "-d", "-s", "film", "-x", String(COLUMNS), "-y", String(ROWS), "sh", "-c", command);
	const frames = await record();
	const text = filmOf(frames, { columns: COLUMNS, rows: ROWS, hide: scratch });
	writeFileSync(join(root, "docs", "ui", "demo.svg"), text);
	process.stdout.write(`docs/ui/demo.svg: ${frames.length} frames, ${Math.round(text.length / 1000)} kB\n`);
} finally {
	try {
		tmux("kill-server");
	} catch {
		// It has ended.
	}
	rmSync(scratch, { recursive: true, force: true, maxRetries: 3 });
}

/** What the terminal showed, each as long as it did. */
async function record(): Promise<Frame[]> {
	const frames: Frame[] = [];
	const end = Date.now() + LONGEST_MS;
	for (let last = Date.now(); ; await sleep(EVERY_MS)) {
		const lines = tmux("capture-pane", "-p", "-e", "-t", "film").split("\n").slice(0, ROWS);
		const [now, before] = [Date.now(), frames.at(-1)];
		if (before) before.ms += now - last;
		last = now;
		if (before === undefined || before.lines.join("\n") !== lines.join("\n")) frames.push({ lines, ms: 0 });
		if (existsSync(DONE) && frames.at(-1)?.ms !== 0) return frames;
		if (now > end) throw new Error("the demo did not come to its end");
	}
}
