// What the passes have tried, so that the next one goes on where the last one stopped. A trial that found something comes first again; a
// workflow of which everything was tried begins anew.
import { mkdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { writeWholeSync } from "../../src/files/write.ts";
import { PROJECT } from "../support/bin.ts";
import type { Workflow } from "./site.ts";

interface Kept {
	/** The workflow that was looked at last. */
	readonly last: string;
	readonly tried: readonly string[];
	readonly found: readonly string[];
}

const FOLDER = join(PROJECT, "node_modules", ".cache");

export class Memory {
	private readonly file: string;
	private readonly names: Set<string>;
	private readonly found: Set<string>;
	private last: string;

	constructor(pass: "crash" | "power", afresh: boolean, folder = FOLDER) {
		this.file = join(folder, `pawl-durable-${pass}.json`);
		const kept = afresh ? null : this.read();
		this.names = new Set(kept?.tried ?? []);
		this.found = new Set(kept?.found ?? []);
		this.last = kept?.last ?? "";
	}

	/** Those that are left, with what was found last time in front; all of them if none is left. */
	left<T>(all: readonly T[], nameOf: (one: T) => string): { readonly left: T[]; readonly tried: readonly T[] } {
		const isLeft = (one: T): boolean => !this.names.has(nameOf(one));
		if (!all.some(isLeft)) for (const one of all) this.names.delete(nameOf(one));
		const again = all.filter((one) => this.found.has(nameOf(one)));
		return {
			left: [...again, ...all.filter((one) => isLeft(one) && !again.includes(one))],
			tried: all.filter((one) => !isLeft(one) && !again.includes(one)),
		};
	}

	/** Those that come after the last one first. */
	order(workflows: readonly Workflow[]): readonly Workflow[] {
		const at = workflows.indexOf(this.last as Workflow) + 1;
		return [...workflows.slice(at), ...workflows.slice(0, at)];
	}

	at(workflow: Workflow): void {
		this.last = workflow;
	}

	tried(name: string, holds: boolean): void {
		this.names.add(name);
		if (holds) this.found.delete(name);
		else this.found.add(name);
		mkdirSync(dirname(this.file), { recursive: true });
		writeWholeSync(this.file, JSON.stringify({ last: this.last, tried: [...this.names], found: [...this.found] }));
	}

	private read(): Kept | null {
		try {
			return JSON.parse(readFileSync(this.file, "utf8")) as Kept;
		} catch {
			return null;
		}
	}
}
