// The terminal below the view: raw keys, the alternate screen, rows that changed, and everything put back whatever ends the process.
import { type Key, KeyReader } from "./keys.ts";
import type { Size } from "./model.ts";

// The alternate screen, no cursor, no wrapping, pastes marked as such; and back, in the opposite order.
const ENTER = "\u001b[?1049h\u001b[?25l\u001b[?7l\u001b[?2004h\u001b[2J";
const LEAVE = "\u001b[0m\u001b[?2004l\u001b[?7h\u001b[?25h\u001b[?1049l";

export type EndSignal = "SIGINT" | "SIGTERM" | "SIGHUP";

export interface TerminalEvents {
	onKey(key: Key): void;
	onResize(): void;
	/** Those that the view takes; the command takes care of the others itself. */
	readonly signals: readonly EndSignal[];
	/** The terminal is gone (SIGHUP), or somebody asks the process to end. */
	onSignal(signal: EndSignal): void;
}

export interface ScreenTerminal {
	size(): Size;
	/** Writes the rows that differ from those on the screen. */
	draw(lines: readonly string[]): void;
	/** The next drawing writes every row. */
	forget(): void;
	/** Once; later calls do nothing. */
	close(): void;
}

/** What is written between two drawings; empty if nothing changed. */
export function changes(before: readonly string[], after: readonly string[]): string {
	return after.map((line, i) => (before[i] === line ? "" : `\u001b[${i + 1};1H${line}\u001b[0m\u001b[K`)).join("");
}

export function openTerminal(events: TerminalEvents): ScreenTerminal {
	const { stdin, stderr } = process;
	const reader = new KeyReader();
	let shown: readonly string[] = [];
	let open = true;
	/** Node writes to a terminal at once, so this also works while the process ends. */
	const put = (text: string) => void stderr.write(text);
	const onData = (piece: string) => {
		for (const key of reader.read(piece)) events.onKey(key);
	};
	const onEnd = () => {
		if (events.signals.includes("SIGHUP")) events.onSignal("SIGHUP");
	};
	const onResize = () => {
		shown = [];
		put("\u001b[2J");
		events.onResize();
	};
	const signals = events.signals.map((signal) => {
		const listener = () => events.onSignal(signal);
		process.on(signal, listener);
		return () => process.off(signal, listener);
	});
	const close = () => {
		if (!open) return;
		open = false;
		for (const off of signals) off();
		process.off("exit", close);
		process.off("uncaughtExceptionMonitor", close);
		stderr.off("resize", onResize);
		stdin.off("data", onData);
		stdin.off("end", onEnd);
		stdin.off("error", onEnd);
		put(LEAVE);
		if (stdin.isTTY) {
			try {
				stdin.setRawMode(false);
			} catch {
				// The terminal is gone.
			}
		}
		stdin.pause();
	};
	put(ENTER);
	// Before an error is printed: on the alternate screen nobody would ever see it.
	process.on("uncaughtExceptionMonitor", close);
	process.on("exit", close);
	stderr.on("resize", onResize);
	if (stdin.isTTY) {
		stdin.setRawMode(true);
		stdin.setEncoding("utf8");
		stdin.on("data", onData);
		stdin.once("end", onEnd);
		stdin.once("error", onEnd);
		stdin.resume();
	}
	return {
		size: () => ({ columns: Math.max(20, stderr.columns || 80), rows: Math.max(3, stderr.rows || 24) }),
		draw: (lines) => {
			if (!open) return;
			const text = changes(shown, lines);
			shown = lines;
			if (text !== "") put(text);
		},
		forget: () => {
			shown = [];
			if (open) put("\u001b[2J");
		},
		close,
	};
}
