// `passes` in the user's prd.json: set when the story's merge is in the journal, in place, nothing else touched. The file is the
// user's: a story that is no longer in it is ignored, and if the file is gone or is no longer a PRD, the user is told.
import { realpathSync } from "node:fs";
import type { Event } from "../../core/event.ts";
import { readBounded } from "../../files/read.ts";
import { removeTemporaries, writeWhole } from "../../files/write.ts";
import type { Projection } from "../../format.ts";
import { markPassed } from "./mark-passed.ts";
import { MAX_BYTES } from "./reader.ts";

export class PrdFile implements Projection {
	private readonly name: string;
	private readonly file: string;
	private readonly warn: (text: string) => void;
	private readonly passed = new Set<string>();
	private readonly written = new Set<string>();

	constructor(file: string, warn: (text: string) => void) {
		this.name = file;
		this.file = realOf(file);
		this.warn = warn;
		removeTemporaries(this.file);
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
		const found = readBounded(this.file, { max: MAX_BYTES });
		if (!("text" in found)) return this.tell(todo, "missing" in found ? "it is gone" : found.problem);
		const marked = todo.reduce((now, id) => markPassed(now, id) ?? now, found.text);
		try {
			if (marked !== found.text) await writeWhole(this.file, marked, { durable: true });
		} catch (error) {
			this.tell(todo, error instanceof Error ? error.message : String(error));
		}
	}

	private tell(stories: readonly string[], why: string): void {
		this.warn(`\`passes\` of ${stories.join(", ")} was not set in ${this.name}: ${why}`);
	}
}

/** A link that the user made stays one: what it leads to is marked. */
function realOf(file: string): string {
	try {
		return realpathSync(file);
	} catch {
		return file;
	}
}
