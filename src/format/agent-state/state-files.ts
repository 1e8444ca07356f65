// The folder of `agent-state.json`: the state itself, its snapshots, the log of learnings, the locks and the archive. All writes
// are atomic, and a file that pawl did not write goes to the archive before it is replaced.
import { createHash } from "node:crypto";
import { lstat, mkdir, readdir, rename } from "node:fs/promises";
import { join } from "node:path";
import type { Event } from "../../core/event.ts";
import type { RunState } from "../../core/model.ts";
import { isOver, runningAttempts } from "../../core/query.ts";
import { readForeignJson } from "../../core/text/foreign-json.ts";
import { append, removeTemporaries, writeWhole } from "../../files/write.ts";
import type { Projection } from "../../format.ts";
import type { AgentState } from "./document.ts";
import { livingLocks, readLocks, renderLocks } from "./locks.ts";
import { ARCHIVE, LATEST_FILE, LEARNINGS_FILE, LOCKS_FILE, STATE_FILE } from "./names.ts";
import { readPlain, sumsIn } from "./state-folder.ts";
import { comparable } from "./values.ts";
import { ADOPTED, AgentStateView } from "./view.ts";

export interface AgentStateParts {
	/** Absolute: `.claude` of the tree. */
	readonly folder: string;
	readonly run: string;
	/** Checksums of the state as last written and as about to be written, to notice a file that somebody changed. */
	readonly sums: string;
	warn(text: string): void;
}

export class AgentStateFile implements Projection {
	dirty = false;
	private readonly parts: AgentStateParts;
	private readonly view = new AgentStateView();
	/** Lines of the log, read once. */
	private logged: Set<string> | null = null;
	private last: string | null = null;
	private written: string | null = null;
	private cleared = false;
	private readonly kept = new Map<string, string>();
	private latest: string | null = null;

	constructor(parts: AgentStateParts) {
		this.parts = parts;
		removeTemporaries(join(parts.folder, STATE_FILE));
	}

	apply(event: Event, _state: RunState): void {
		this.view.apply(event);
		this.dirty = true;
	}

	async write(): Promise<void> {
		this.dirty = false;
		const { folder } = this.parts;
		await refuseLink(folder);
		await mkdir(folder, { recursive: true });
		await this.keepSnapshots();
		await this.keepStrange();
		await this.sum();
		this.written = this.view.render();
		await this.put(join(folder, STATE_FILE), this.written);
		await this.log();
		await this.clearLocks();
		if (this.view.run?.status === "completed")
			await this.replace(join(ARCHIVE, `${STATE_FILE.replace(".json", "")}-${this.parts.run}.json`), this.view.render());
	}

	/** A state that an agent, or somebody else, changed while the run goes on is not taken over; it goes to the archive, and that is told. */
	private async keepStrange(): Promise<void> {
		const { folder, run, sums } = this.parts;
		const there = readPlain(join(folder, STATE_FILE));
		const known = sumsIn(sums);
		if (there === null || there === this.written || known.length === 0) return;
		if (there === this.view.run?.root.fields[ADOPTED] || known.includes(sumIn(there))) return;
		const kept = await setAside(folder, STATE_FILE, `changed-${run}-${Date.now()}`);
		this.parts.warn(
			`${join(folder, STATE_FILE)} was changed during the run. pawl does not use the changed file, and keeps it as ${kept}. To change it, pause the run, change the file, then resume the run`,
		);
	}

	/** Writes new snapshots, and again those that are gone: an agent may have cleaned the tree of ignored files. */
	private async keepSnapshots(): Promise<void> {
		const { folder } = this.parts;
		const fresh = new Map(this.view.snapshots.splice(0).map(({ name, text }) => [name, text]));
		for (const [name, text] of fresh) {
			this.kept.set(name, text);
			await this.replace(name, text);
		}
		const there = new Set(await readdir(folder));
		for (const [name, text] of this.kept) if (!there.has(name)) await this.put(join(folder, name), text);
		const { latest } = this.view;
		if (latest === null || (latest === this.latest && there.has(LATEST_FILE))) return;
		const text = this.kept.get(latest) ?? readPlain(join(folder, latest));
		// An event may have come while this was writing: the next write brings its snapshot.
		if (!text) return;
		await this.put(join(folder, LATEST_FILE), text);
		this.latest = latest;
	}

	/** Clears locks when a run begins or continues, and when no attempt runs: none of its agents is alive then. */
	private async clearLocks(): Promise<void> {
		const file = join(this.parts.folder, LOCKS_FILE);
		const busy = this.view.run !== null && runningAttempts(this.view.run).length > 0;
		if (busy && this.cleared && (await isThere(file))) return;
		this.cleared = true;
		const text = readPlain(file);
		const left = renderLocks(livingLocks(readLocks(text ?? ""), (owner) => owner.run !== this.parts.run));
		if (text !== left) await this.put(file, left);
	}

	/** The first and the last of a run survive a loss of power everywhere; between them, common file systems keep the old text or the new one. */
	private async put(file: string, text: string): Promise<void> {
		await writeWhole(file, text, { durable: await this.mustSurvive(file) });
	}

	private async mustSurvive(file: string): Promise<boolean> {
		const isLast = this.view.run !== null && isOver(this.view.run.status);
		return isLast || !(await isThere(file));
	}

	private async sum(): Promise<void> {
		const now = sumOf(this.view.document());
		if (this.last === now) return;
		const before = this.last ?? sumsIn(this.parts.sums).at(-1) ?? "";
		// A state that survives without them looks as if somebody had changed it.
		await writeWhole(this.parts.sums, `${before}\n${now}\n`, { durable: await this.mustSurvive(join(this.parts.folder, STATE_FILE)) });
		this.last = now;
	}

	/** A different text under this name goes to the archive. */
	private async replace(name: string, text: string): Promise<void> {
		const file = join(this.parts.folder, name);
		const old = readPlain(file);
		if (old === text) return;
		if (old !== null && !name.startsWith(ARCHIVE)) await setAside(this.parts.folder, name, `${this.parts.run}-${Date.now()}`);
		await this.put(file, text);
	}

	/** Append-only; adds lines that a crash kept from being written. */
	private async log(): Promise<void> {
		const file = join(this.parts.folder, LEARNINGS_FILE);
		const learned = this.view.learned;
		if (this.logged === null || !(await isThere(file))) this.logged = new Set((readPlain(file) ?? "").split("\n"));
		const known = this.logged;
		const lines = learned.map((one) => JSON.stringify(one)).filter((line) => !known.has(line));
		if (lines.length > 0 || !(await isThere(file))) append(file, lines.map((line) => `${line}\n`).join(""));
		for (const line of lines) known.add(line);
	}
}

/** Empty for what is no state at all. */
function sumIn(text: string): string {
	const read = readForeignJson(text);
	try {
		return read.ok ? sumOf(read.value as AgentState) : "";
	} catch {
		return "";
	}
}

export const sumOf = (state: AgentState): string => createHash("sha256").update(comparable(state)).digest("hex");

/** Moves a file of the folder to its archive, and returns the new path. */
export async function setAside(folder: string, name: string, mark: string): Promise<string> {
	const kept = join(folder, ARCHIVE, `${name.replace(/\.json$/, "")}-${mark}.json`);
	await mkdir(join(folder, ARCHIVE), { recursive: true });
	await rename(join(folder, name), kept);
	return kept;
}

/** Removes links: one that an agent put there would redirect pawl's writes. */
async function refuseLink(path: string): Promise<void> {
	if ((await lstat(path).catch(() => null))?.isSymbolicLink())
		throw new Error(`${path} is a link: the state of a run is kept in a folder of the tree itself; put a folder there and resume the run`);
}

async function isThere(file: string): Promise<boolean> {
	return (await lstat(file).catch(() => null)) !== null;
}
