// `passes` in the user's prd.json: set when the story's merge is in the journal, in place, nothing else touched. The file is
// the user's: where it was changed or is gone, what can be marked is marked and the rest is left alone.
import { readFile } from "node:fs/promises";
import type { Event } from "../../core/event.ts";
import type { Projection } from "../../format.ts";
import { markPassed } from "./mark-passed.ts";

export class PrdFile implements Projection {
	private readonly file: string;
	private readonly write_: (file: string, text: string) => Promise<void>;
	private readonly passed = new Set<string>();
	private readonly written = new Set<string>();

	constructor(file: string, write: (file: string, text: string) => Promise<void>) {
		this.file = file;
		this.write_ = write;
	}

	apply(event: Event): void {
		if (event.event === "story_completed") this.passed.add(event.scope);
	}

	get dirty(): boolean {
		return this.passed.size > this.written.size;
	}

	async write(): Promise<void> {
		const todo = [...this.passed].filter((id) => !this.written.has(id));
		for (const id of todo) this.written.add(id);
		let text: string;
		try {
			text = await readFile(this.file, "utf8");
		} catch {
			return;
		}
		const marked = todo.reduce((now, id) => markPassed(now, id) ?? now, text);
		if (marked !== text) await this.write_(this.file, marked);
	}
}
