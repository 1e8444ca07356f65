// The view at work: redraws when the run, its output, the clock or the person changes something, until the person leaves or the run ends.
import type { RunState } from "../../core/model.ts";
import { isOver } from "../../core/query.ts";
import { SessionOutput } from "../../runs/look/log/session-output.ts";
import type { WatchedRun } from "../../runs/look/watched-run.ts";
import { bringLogs, type LogOf } from "../../runs/shared-files.ts";
import type { Context } from "../context.ts";
import { logText } from "../text/log-text.ts";
import { paint, visible } from "../text/text.ts";
import { type Asked, carryOut } from "./actions.ts";
import type { Key } from "./keys.ts";
import { type Model, START, selectedScope, selectedStep, type Ui } from "./model.ts";
import { type Action, press } from "./press.ts";
import { type EndSignal, openTerminal, type ScreenTerminal } from "./terminal.ts";
import { view } from "./view.ts";

const REDRAW_MS = 40;
const TICK_MS = 250;
/** `pawl logs` has the rest. */
const MOST_LINES = 2_000;

export type Left =
	| { readonly how: "left" }
	/** The run ended while it was watched. */
	| { readonly how: "ended" }
	| { readonly how: "signal"; readonly signal: EndSignal };

export interface ScreenOptions {
	/** Said once at the beginning. */
	readonly note?: string;
	/** Aborted when the view is left; whoever aborts it closes the view. */
	readonly abort: AbortController;
	/** For a run that this command started. The view stays until the run has halted, or the person leaves it if they can. */
	readonly own?: OwnRun;
}

export interface OwnRun {
	/** Somebody pressed Ctrl-C, or wants it to stop. */
	interrupt(): void;
	/** Its engine has a process of its own. */
	readonly canLeave: boolean;
}

/** The terminal can show the view and send keys, and nothing says that plain lines are wanted. */
export const hasScreen = ({ errIsTty, env }: Pick<Context, "errIsTty" | "env">, inIsTty = process.stdin.isTTY === true): boolean =>
	errIsTty && inIsTty && env["TERM"] !== "dumb" && ["CI", "NO_COLOR"].every((name) => (env[name] ?? "") === "");

export async function showScreen(c: Context, watched: WatchedRun, options: ScreenOptions): Promise<Left> {
	const screen = new Screen(c, watched, options);
	try {
		return await screen.left;
	} finally {
		screen.close();
	}
}

export class Screen {
	readonly left: Promise<Left>;
	private readonly watched: WatchedRun;
	private readonly options: ScreenOptions;
	private readonly c: Context;
	private readonly terminal: ScreenTerminal;
	private readonly wasOver: boolean;
	private readonly tick: NodeJS.Timeout;
	private asked: Promise<void> = Promise.resolve();
	private ui: Ui;
	private output: SessionOutput | null = null;
	private lines: string[] = [];
	private bringing = false;
	private timer: NodeJS.Timeout | null = null;
	private leave: (left: Left) => void = () => {};
	private fail: (error: unknown) => void = () => {};

	constructor(c: Context, watched: WatchedRun, options: ScreenOptions) {
		this.watched = watched;
		this.options = options;
		this.wasOver = isOver(watched.now().state.status);
		this.ui = { ...START, note: options.note ?? null };
		// Nothing may be printed over the view.
		this.c = { ...c, warn: (text) => this.change({ note: text }), out: () => {}, err: () => {} };
		this.left = new Promise((resolve, reject) => {
			this.leave = resolve;
			this.fail = reject;
		});
		this.terminal = openTerminal({
			onKey: (key) => this.guarded(() => this.onKey(key)),
			onResize: () => this.guarded(() => this.draw()),
			// The command that started the run takes care of SIGINT and SIGTERM itself.
			signals: options.own === undefined ? ["SIGINT", "SIGTERM", "SIGHUP"] : options.own.canLeave ? ["SIGHUP"] : [],
			onSignal: (signal) => this.leave({ how: "signal", signal }),
		});
		options.abort.signal.addEventListener("abort", () => this.close());
		this.tick = setInterval(() => this.guarded(() => this.draw()), TICK_MS);
		this.guarded(() => this.draw());
		void this.follow().catch(this.fail);
	}

	/** Puts the terminal back at once. */
	close(): void {
		clearInterval(this.tick);
		if (this.timer !== null) clearTimeout(this.timer);
		this.terminal.close();
		this.leave({ how: "left" });
		if (!this.options.abort.signal.aborted) this.options.abort.abort();
	}

	/** Shows a message above the keys. */
	note(note: string): void {
		this.change({ note });
	}

	/** A fault in the drawing ends the view and is reported, with the terminal as it was. */
	private guarded(work: () => void): void {
		try {
			work();
		} catch (error) {
			this.fail(error);
		}
	}

	private async follow(): Promise<void> {
		while (!this.options.abort.signal.aborted) {
			await this.watched.changed();
			if (isOver(this.watched.now().state.status) && !this.wasOver && this.options.own === undefined) return this.leave({ how: "ended" });
			this.soon();
		}
	}

	private get own(): Model["own"] {
		const { own } = this.options;
		return own === undefined ? null : own.canLeave ? "apart" : "here";
	}

	private model(): Model {
		const run = this.watched.now();
		const base = { run, ui: this.ui, now: this.c.now(), own: this.own, output: this.lines };
		const scope = selectedScope(base);
		const step = selectedStep(base)?.id;
		if (this.output?.scope !== scope || this.output.step !== step) {
			this.output = step === undefined ? null : new SessionOutput(run.state, scope, step);
			this.lines = [];
		}
		if (step !== undefined) this.bring(run.state, { scope, step });
		for (const record of this.output?.read(run.events) ?? []) {
			const text = logText(record);
			if (text !== null) for (const line of text.split("\n")) this.lines.push(visible(line.replaceAll("\t", "    ")));
		}
		if (this.lines.length > MOST_LINES) this.lines = this.lines.slice(-MOST_LINES);
		return { ...base, output: this.lines };
	}

	/** What workers on other machines print. The next picture shows it. */
	private bring(state: RunState, shown: LogOf): void {
		if (this.bringing) return;
		this.bringing = true;
		bringLogs(this.watched.open.store, state, ({ step }) => step === shown.step, shown.scope)
			.catch(() => {})
			.finally(() => {
				this.bringing = false;
			});
	}

	private draw(): void {
		this.timer = null;
		this.terminal.draw(view(this.model(), this.terminal.size(), paint(true)));
	}

	private soon(): void {
		this.timer ??= setTimeout(() => this.guarded(() => this.draw()), REDRAW_MS);
	}

	private change(part: Partial<Ui>): void {
		this.ui = { ...this.ui, ...part };
		this.soon();
	}

	private onKey(key: Key): void {
		const { ui, action } = press(this.model(), key, this.terminal.size());
		this.ui = ui;
		if (action !== undefined) this.obey(action);
		this.soon();
	}

	private obey(action: Action): void {
		switch (action.do) {
			case "leave":
				return this.leave({ how: "left" });
			case "interrupt":
				return this.options.own === undefined ? this.leave({ how: "signal", signal: "SIGINT" }) : this.options.own.interrupt();
			case "redraw":
				return this.terminal.forget();
			default:
				return this.start(action);
		}
	}

	/** In the order in which the person asked, so that the last thing said is about the last thing asked. */
	private start(action: Asked): void {
		this.asked = this.asked.then(() => carryOut(this.c, this.watched, action)).then((part) => this.change(part), this.fail);
	}
}
