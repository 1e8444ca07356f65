// The files of a run folder that follow the journal: run.json, orchestration.json, events.ndjson. Only pawl writes them: if
// somebody else changes one, it is restored to what was last written.
import type { Event } from "../../core/event.ts";
import type { RunState, Step } from "../../core/model.ts";
import { isOver } from "../../core/query.ts";
import { removeTemporariesIn } from "../../files/write.ts";
import type { Projection } from "../../format.ts";
import { jsonText, objectIn, RunFolder } from "./folder.ts";

const EVENTS = "events.ndjson";
const MOST_EVENTS = 64 * 1024 * 1024;

/** By the run folder's path, so that the keeper in the same process can restore the files. */
const open = new Map<string, JournalFiles>();
export const journalFilesOf = (folder: string): JournalFiles | undefined => open.get(folder);

export class JournalFiles implements Projection {
	private readonly folder: RunFolder;
	private readonly run: string;
	private readonly lines: string[] = [];
	private iteration = 0;
	private role = "";
	private mode: string | undefined;
	private lastSignal = "";
	private status = "running";
	/** How the run will have ended if it completes. */
	private ended = "completed";
	private error: string | null = null;
	private state: RunState;
	private changed = true;
	/** What was last written, by name. */
	private readonly written = new Map<string, string>();
	/** Those that a power loss cannot take any more. Nobody writes the last ones of a run again. */
	private readonly synced = new Set<string>();
	private shown = 0;

	constructor(state: RunState, folder: string, id: string) {
		// ralph/runs/<id> in the checkout.
		this.folder = new RunFolder(folder.slice(0, -`/ralph/runs/${id}`.length), id);
		this.run = state.id;
		this.state = state;
		// Of a killed writer: an agent would commit them.
		removeTemporariesIn(folder);
		open.set(folder, this);
	}

	get dirty(): boolean {
		return this.changed;
	}

	apply(event: Event, state: RunState): void {
		this.state = state;
		this.changed = true;
		const said = this.told(event);
		if (said !== null)
			this.lines.push(
				JSON.stringify({
					ts: new Date(event.at).toISOString(),
					run_id: this.folder.id,
					...said,
					pawl: `${this.run}#${this.lines.length + 1}`,
				}),
			);
	}

	async write(): Promise<void> {
		this.changed = false;
		if (!this.folder.exists()) return;
		const step = loopStep(this.state);
		this.put("run.json", { run_id: this.folder.id, ...this.runFacts(step) });
		this.put("orchestration.json", {
			...(this.known("orchestration.json")["scheme"] === undefined ? { scheme: this.state.root.fields["scheme"] ?? "" } : {}),
			cursor: step?.cursor ?? 0,
			queue: step?.queue ?? [],
			final_review_pending: step?.queue.includes("F") ?? false,
		});
		this.append();
	}

	/** Restores files that were changed, and returns their names. */
	putBack(): string[] {
		const wrong = [...this.written].filter(([name, text]) => this.textOf(name) !== text);
		for (const [name, text] of wrong) this.writeWhole(name, text);
		return wrong.map(([name]) => name);
	}

	private textOf(name: string): string | null {
		const found = this.folder.read(this.folder.own(name), MOST_EVENTS);
		return "text" in found ? found.text : null;
	}

	private runFacts(step: Step | undefined): Record<string, unknown> {
		const { state } = this;
		const known = this.known("run.json");
		return {
			status: typeof state.held === "string" && this.status === "running" ? "paused" : this.status,
			iteration: Math.max(step?.iteration ?? 0, Number(state.root.fields["start_iteration"] ?? 0)),
			max_iterations: Number(state.root.fields["max_iterations"] ?? 0),
			...(known["created_at"] === undefined ? { created_at: new Date(state.createdAt).toISOString() } : {}),
			updated_at: this.lines.length === 0 ? null : (JSON.parse(this.lines.at(-1) ?? "{}") as { ts: string }).ts,
			error: this.error,
			pawl_run: this.run,
		};
	}

	private known(name: string): Record<string, unknown> {
		return objectIn(this.written.get(name) ?? this.folder.text(this.folder.own(name))) ?? {};
	}

	/** Keys of other tools are kept. */
	private put(name: string, facts: Record<string, unknown>): void {
		const text = jsonText({ ...this.known(name), ...facts });
		if (this.written.get(name) !== text || this.isUnsafe(name)) this.writeWhole(name, text);
	}

	private writeWhole(name: string, text: string): void {
		const durable = isOver(this.state.status);
		this.folder.write(this.folder.own(name), text, durable);
		this.written.set(name, text);
		if (durable) this.synced.add(name);
		else this.synced.delete(name);
	}

	/** It says what it has to say for good, and a power loss could still take it. */
	private readonly isUnsafe = (name: string): boolean => isOver(this.state.status) && !this.synced.has(name);

	/** Lines of earlier runs are kept before ours; each of ours is there once, even after a crash. */
	private append(): void {
		const there = this.folder.read(this.folder.own(EVENTS), MOST_EVENTS);
		// Too long to read, or not a file: leave it alone.
		if ("problem" in there) return;
		const before = this.written.get(EVENTS) ?? this.adopt("text" in there ? there.text : "");
		if (this.shown === this.lines.length && this.written.has(EVENTS) && !this.isUnsafe(EVENTS)) return;
		const more = this.lines.slice(this.shown);
		const text = before + more.map((line) => `${line}\n`).join("");
		this.shown = this.lines.length;
		if (!this.written.has(EVENTS) || !("text" in there) || there.text !== before || isOver(this.state.status))
			return this.writeWhole(EVENTS, text);
		this.folder.append(this.folder.own(EVENTS), text.slice(before.length));
		this.written.set(EVENTS, text);
		this.synced.delete(EVENTS);
	}

	/** How many of our lines the file already has when the run continues. */
	private adopt(text: string): string {
		const whole = text === "" || text.endsWith("\n") ? text : text.slice(0, text.lastIndexOf("\n") + 1);
		this.shown = this.lines.findLastIndex((line) => whole.includes(`${line}\n`)) + 1;
		return whole;
	}

	private told(event: Event): Record<string, unknown> | null {
		const at = () => ({ iteration: this.iteration + 1, role: this.role, ...(this.mode === undefined ? {} : { review_mode: this.mode }) });
		switch (event.event) {
			case "run_created": {
				const { scheme, max_iterations, start_iteration } = event.fields;
				return { event: "run_started", scheme, max_iterations: Number(max_iterations), iteration: Number(start_iteration) };
			}
			case "step_started": {
				if (event.letter === undefined) return null;
				this.role = event.role;
				this.mode = modeOf(this.state, event.letter);
				this.status = "running";
				return { event: "iteration_started", ...at(), attempt: event.attempt };
			}
			case "attempt_reported":
				return { event: "iteration_finished", ...at(), signal: event.signal };
			case "step_extended":
				this.iteration = event.iteration;
				return null;
			case "message_taken":
				return { event: "control", text: event.text };
			case "remarked":
				return { event: "note", iteration: this.iteration + 1, text: event.text };
			case "step_completed":
				// The final checks follow: the run is not over yet. Journals of earlier versions completed a loop that was told to stop.
				this.ended = event.signal === "stop" ? "stopped" : "completed";
				return null;
			case "route_taken":
				this.lastSignal = event.signal;
				return null;
			case "run_resumed":
				this.status = "running";
				this.error = null;
				return { event: "run_resumed" };
			case "run_status_changed":
				this.error = event.status === "completed" ? null : event.reason;
				if (event.status === "completed") this.status = this.ended;
				else this.status = event.status === "stopped" && this.lastSignal !== "stop" ? "max_iterations" : event.status;
				return { event: "run_status", status: this.status, reason: event.reason };
			default:
				return null;
		}
	}
}

const loopStep = (state: RunState): Step | undefined => state.root.steps.find((s) => state.definition.types[s.type]?.kind === "loop");

/** How a letter of the loop reviews: a variable of its prompt. */
export function modeOf(state: RunState, letter: string): string | undefined {
	for (const type of Object.values(state.definition.types)) {
		const mode = type.loop?.roles[letter]?.fields?.["review_mode"];
		if (mode !== undefined) return mode;
	}
	return undefined;
}
