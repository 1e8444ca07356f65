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

	/** Those that were not tried, all of them if none is left; and those that found something last time. */
	left<T>(
		all: readonly T[],
		nameOf: (one: T) => string,
	): { readonly again: readonly T[]; readonly left: readonly T[]; readonly tried: readonly T[] } {
		const isLeft = (one: T): boolean => !this.names.has(nameOf(one));
		if (!all.some(isLeft)) for (const one of all) this.forget(nameOf(one));
		const again = all.filter((one) => this.found.has(nameOf(one)));
		return {
			again,
			left: all.filter((one) => isLeft(one) && !again.includes(one)),
			tried: all.filter((one) => !isLeft(one) && !again.includes(one)),
		};
	}

	has(name: string): boolean {
		return this.names.has(name);
	}

	/** Whether anything whose name begins like this was tried. */
	hasAny(stem: string): boolean {
		return [...this.names].some((name) => name.startsWith(stem));
	}

	private forget(name: string): void {
		this.names.delete(name);
		this.names.delete(`${name.slice(0, name.lastIndexOf("#") + 1)}later`);
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
