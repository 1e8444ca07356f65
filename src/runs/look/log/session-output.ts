// What the sessions and checks of one step print, as it comes: records of the step's log, and the checks from the journal.
import type { Event } from "../../../core/event.ts";
import type { RunState } from "../../../core/model.ts";
import { logFile } from "../../run-files.ts";
import { checksOf } from "../logs.ts";
import { Tail } from "./tail.ts";

/** A log may be hundreds of megabytes long; its end is what people watch. `pawl logs` prints all of it. */
const LAST_BYTES = 1024 * 1024;

export class SessionOutput {
	readonly scope: string;
	readonly step: string;
	private readonly tail: Tail;
	private seen = 0;

	constructor(state: RunState, scope: string, step: string) {
		this.scope = scope;
		this.step = step;
		this.tail = new Tail(logFile(state, scope, step), LAST_BYTES);
	}

	/** Its beginning was left out. */
	get cut(): boolean {
		return this.tail.cut;
	}

	/** The records since the last call, each a line of JSON. */
	read(events: readonly Event[]): string[] {
		const records: string[] = [];
		this.tail.read((line) => records.push(line));
		for (const check of checksOf(events.slice(this.seen), this)) records.push(JSON.stringify(check));
		this.seen = events.length;
		return records;
	}
}
