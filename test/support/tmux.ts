// A real terminal for tests: tmux, with a server of its own in a scratch folder. A shell runs in it, so that what a program left behind can be seen.
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { after } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { scratchFolder } from "./scratch.ts";

export const hasTmux = spawnSync("tmux", ["-V"]).status === 0;

const LONGEST_MS = 30_000;

export interface Tmux {
	/** Types a line into the shell. */
	type(line: string): void;
	/** Presses keys, by tmux's names: Up, Enter, C-c, or characters. */
	press(...keys: string[]): void;
	screen(): string;
	resize(columns: number, rows: number): void;
	/** Waits until the screen shows it; returns the screen. */
	shows(what: RegExp): Promise<string>;
	/** The alternate screen, the cursor and wrapping: "0 1 1" for a terminal in its usual state. */
	state(): string;
}

export function startTmux(cwd: string, columns: number, rows: number): Tmux {
	const folder = scratchFolder("tmux");
	const env = { ...process.env, TMUX_TMPDIR: folder, TERM: "xterm-256color", PS1: "$ ", HOME: folder, ENV: "", CI: "", NO_COLOR: "" };
	const tmux = (...args: string[]): string => execFileSync("tmux", ["-L", "test", ...args], { cwd, env, encoding: "utf8", stdio: "pipe" });
	tmux("-f", "/dev/null", "new-session", "-d", "-s", "t", "-x", String(columns), "-y", String(rows), "/bin/sh");
	after(() => {
		spawnSync("tmux", ["-L", "test", "kill-server"], { env });
	});
	const screen = () => tmux("capture-pane", "-p", "-t", "t");
	return {
		type: (line) => {
			tmux("send-keys", "-t", "t", "-l", line);
			tmux("send-keys", "-t", "t", "Enter");
		},
		press: (...keys) => void tmux("send-keys", "-t", "t", ...keys),
		screen,
		resize: (width, height) => void tmux("resize-window", "-t", "t", "-x", String(width), "-y", String(height)),
		shows: async (what) => {
			for (const end = Date.now() + LONGEST_MS; ; await sleep(25)) {
				const now = screen();
				if (what.test(now)) return now;
				assert.ok(Date.now() < end, `waited for ${what} on\n${now}`);
			}
		},
		state: () => tmux("display-message", "-p", "-t", "t", "#{alternate_on} #{cursor_flag} #{wrap_flag}").trim(),
	};
}
