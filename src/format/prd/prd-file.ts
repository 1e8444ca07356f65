// `passes` in the user's prd.json: set when the story's merge is in the journal, taken back when a person undoes it, in place, nothing else touched. The
// file is the user's: a story that is no longer in it is ignored, and if the file is gone or is no longer a PRD, the user is told.
import { realpathSync } from "node:fs";
import type { Event } from "../../core/event.ts";
import { readBounded } from "../../files/read.ts";
import { removeTemporaries, writeWhole } from "../../files/write.ts";
import type { Projection } from "../../format.ts";
import { markPassed } from "./mark-passed.ts";
import { MAX_BYTES } from "./reader.ts";

type Warn = (text: string) => void;

export class PrdFile implements Projection {
	private readonly file: string;
	private readonly warn: Warn;
	private readonly passed = new Set<string>();
	private readonly written = new Set<string>();

	constructor(file: string, warn: Warn) {
		this.file = file;
		this.warn = warn;
		removeTemporaries(realOf(file));
	}

	apply(event: Event): void {
		if (event.event === "story_completed") this.passed.add(event.scope);
		// Whoever undid it has said so in the file; a later run may have done the story again.
		if (event.event === "work_undone") for (const { scope } of event.commits) this.passed.delete(scope);
	}

	get dirty(): boolean {
		return this.todo.length > 0;
	}

	async write(): Promise<void> {
		const { todo } = this;
		for (const id of todo) this.written.add(id);
		await setPasses(this.file, todo, true, this.warn);
	}

	private get todo(): string[] {
		return [...this.passed].filter((id) => !this.written.has(id));
	}
}

export async function setPasses(name: string, stories: readonly string[], value: boolean, warn: Warn): Promise<void> {
	const file = realOf(name);
	const tell = (why: string): void => warn(`\`passes\` of ${stories.join(", ")} was not set in ${name}: ${why}`);
	const found = readBounded(file, { max: MAX_BYTES });
	if (!("text" in found)) return tell("missing" in found ? "it is gone" : found.problem);
	const marked = stories.reduce((now, id) => markPassed(now, id, value) ?? now, found.text);
	try {
		if (marked !== found.text) await writeWhole(file, marked, { durable: true });
	} catch (error) {
		tell(error instanceof Error ? error.message : String(error));
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
