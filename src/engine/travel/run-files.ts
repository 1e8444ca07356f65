// The files of a run on a machine that shares it with others: what is in the store is laid out here when a lane is taken and before each attempt, and what an
// attempt or a chore changed goes into the commit that says that it has ended. While a lane is held here, its files here are the newest.
import { lstatSync, mkdirSync, rmSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import type { RunState } from "../../core/model.ts";
import { filesBelow } from "../../files/below.ts";
import { readBytes } from "../../files/read.ts";
import { clearWay } from "../../files/way.ts";
import { append, writeWhole } from "../../files/write.ts";
import type { FileChange, TravelledFile, Travelling } from "../../store.ts";
import { redactBytes } from "../redact.ts";
import { added, wholeLines, without } from "./appended.ts";
import { isBelow, laneOfPath, NOTES, SHARED, travels } from "./whose.ts";

/** What is larger stays on this machine. */
export const MOST_BYTES = 4 * 1024 * 1024;
const MOST_AT_ONCE = 16 * 1024 * 1024;
const MOST_FILES = 200;

export interface RunFilesParts {
	readonly store: Travelling;
	readonly run: string;
	readonly folder: string;
	readonly secrets: readonly string[];
	readonly warn: (text: string) => void;
}

/** What goes into a commit. */
export interface Collected {
	readonly changes: readonly FileChange[];
	/** It was committed. */
	sent(): void;
}

export class RunFiles {
	private readonly parts: RunFilesParts;
	/** Path → how the file was when it was last the same as in the store. */
	private readonly known = new Map<string, string>();
	/** Path → how a file was that was too large, or one of too many: it stays here as long as it is so. */
	private readonly staying = new Map<string, string>();
	/** Everybody's files are here up to this version; null: nobody has looked yet. */
	private version: number | null = null;
	/** The shared notes: how long they are in the store, what of them is accounted for here, and what was sent since. */
	private notes = { stored: 0, here: "", sent: [] as string[] };

	constructor(parts: RunFilesParts) {
		this.parts = parts;
	}

	/** Makes the files of a lane that was just taken what the store has. */
	async takeOver(state: RunState, lane: string): Promise<void> {
		const { store, run } = this.parts;
		const stored = (await store.files(run, 0, lane)).filter(({ path }) => isBelow(path) && laneOfPath(state, path) === lane);
		const there = new Set(stored.map(({ path }) => path));
		for (const path of this.paths()) if (!there.has(path) && laneOfPath(state, path) === lane) this.remove(path);
		for (const file of stored) await this.lay(file);
	}

	/** Brings what others have changed in everybody's files. */
	async bring(state: RunState): Promise<void> {
		const { store, run, folder } = this.parts;
		// What another life of this process left there and did not send is gone, like the attempt that wrote it.
		if (this.version === null) rmSync(join(folder, NOTES), { recursive: true, force: true });
		this.version ??= 0;
		for (const file of await store.files(run, this.version, SHARED)) {
			this.version = file.version;
			if (!isBelow(file.path) || laneOfPath(state, file.path) !== SHARED) continue;
			if (file.path === NOTES) this.bringNotes(file);
			else await this.lay(file);
		}
	}

	/** What changed here in the files of a lane and in everybody's. */
	collect(state: RunState, lane: string): Collected {
		const changes: FileChange[] = [];
		const stamps = new Map<string, string | null>();
		const paths = this.paths();
		const stay: string[] = [];
		let room = MOST_AT_ONCE;
		for (const path of paths) {
			const owner = laneOfPath(state, path);
			const stamp = this.stampOf(path);
			if (path === NOTES || (owner !== lane && owner !== SHARED) || stamp === null || this.known.get(path) === stamp) continue;
			if (this.staying.get(path) === stamp) continue;
			const bytes = changes.length < MOST_FILES ? this.bytesOf(path, Math.min(room, MOST_BYTES)) : null;
			if (bytes === null) {
				this.staying.set(path, stamp);
				stay.push(path);
				continue;
			}
			room -= bytes.length;
			changes.push({ path, lane: owner, bytes });
			stamps.set(path, stamp);
		}
		this.sayTheyStay(stay);
		const here = new Set(paths);
		for (const path of this.known.keys()) {
			const owner = laneOfPath(state, path);
			if (here.has(path) || (owner !== lane && owner !== SHARED)) continue;
			changes.push({ path, lane: owner, bytes: null });
			stamps.set(path, null);
		}
		const notes = this.newNotes();
		if (notes !== null) changes.push({ path: NOTES, lane: SHARED, bytes: Buffer.from(notes.part, "latin1"), append: true });
		return {
			changes,
			sent: () => {
				for (const [path, stamp] of stamps) stamp === null ? this.known.delete(path) : this.known.set(path, stamp);
				if (notes !== null) this.notes = { ...this.notes, here: notes.here, sent: [...this.notes.sent, notes.part] };
			},
		};
	}

	private newNotes(): { readonly here: string; readonly part: string } | null {
		const here = this.bytesOf(NOTES, MOST_BYTES)?.toString("latin1") ?? "";
		const part = wholeLines(added(this.notes.here, here));
		return part === "" ? null : { here, part };
	}

	private bringNotes({ bytes }: TravelledFile): void {
		const text = Buffer.from(bytes ?? []).toString("latin1");
		const { stored, here, sent } = this.notes;
		const news = without(text.slice(stored), sent);
		if (news !== "") append(join(this.parts.folder, NOTES), Buffer.from(news, "latin1"));
		this.notes = { stored: text.length, here: here + news, sent: [] };
	}

	private async lay({ path, bytes }: TravelledFile): Promise<void> {
		if (bytes === null) return this.remove(path);
		const file = join(this.parts.folder, path);
		clearWay(this.parts.folder, file);
		await writeWhole(file, bytes);
		this.known.set(path, this.stampOf(path) ?? "");
	}

	private remove(path: string): void {
		const file = join(this.parts.folder, path);
		clearWay(this.parts.folder, file);
		rmSync(file, { recursive: true, force: true });
		this.known.delete(path);
	}

	private paths(): string[] {
		const { folder } = this.parts;
		mkdirSync(dirname(folder), { recursive: true });
		return filesBelow(folder)
			.map((file) => relative(folder, file))
			.filter(travels);
	}

	/** Changes with every change of the file. null: there is none, or an agent put something else there. */
	private stampOf(path: string): string | null {
		const stat = lstatSync(join(this.parts.folder, path), { bigint: true, throwIfNoEntry: false });
		return stat?.isFile() ? `${stat.ino} ${stat.size} ${stat.mtimeNs} ${stat.ctimeNs}` : null;
	}

	private bytesOf(path: string, max: number): Buffer | null {
		const found = readBytes(join(this.parts.folder, path), { max, below: this.parts.folder, oneName: true });
		return "bytes" in found ? redactBytes(found.bytes, this.parts.secrets) : null;
	}

	private sayTheyStay([first, ...more]: readonly string[]): void {
		if (first === undefined) return;
		const those = more.length === 0 ? `${first} stays` : `${first} and ${more.length} more files stay`;
		this.parts.warn(`${those} on this machine: too large to travel, or too many at once`);
	}
}
