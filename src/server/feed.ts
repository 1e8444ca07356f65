// What happens in the repository, for all open streams: one watcher of the store, however many read. It works only while somebody reads.
import { numbered } from "../runs/look/journal.ts";
import type { ReadRun, RunsReader } from "../runs/look/reader.ts";

/** How often it looks whether an engine died, which nothing announces, and whether a store has appeared. */
const LOOK_MS = 500;
/** Readers take 30 s of silence for a lost connection. */
const BEAT_MS = 10_000;
/** Events that a stream takes at once. */
const BATCH = 50;

export interface FeedReader {
	/** Rows of runs that changed. */
	rows(changed: readonly ReadRun[]): void;
	/** There may be more to read. */
	wake(): void;
	beat(): void;
}

/** An event of a journal as a stream sends it. */
export interface FedEvent {
	readonly version: number;
	/** JSON. */
	readonly data: string;
}

export class Feed {
	/** All runs as they were when somebody last looked. */
	runs: ReadonlyMap<string, ReadRun> = new Map();
	private readonly reader: RunsReader;
	private readonly readers = new Set<FeedReader>();
	private watch: { close(): void } | null = null;
	/** The opening of the store that the watch belongs to. */
	private watched = -1;
	private timers: NodeJS.Timeout[] = [];
	private refreshing: Promise<void> | null = null;
	private again = false;
	private looking = false;
	/** Runs that count as driven although no process has them: agents fetch their steps. */
	private readonly pulled = new Set<string>();
	/** What was read last, for readers that are at the same place. */
	private recent = new Map<string, Promise<readonly FedEvent[]>>();

	constructor(reader: RunsReader) {
		this.reader = reader;
	}

	/** From here on the reader learns what changes; `runs` is what it starts from. */
	async add(reader: FeedReader): Promise<void> {
		if (this.readers.size === 0) this.start();
		this.readers.add(reader);
		try {
			await this.refresh();
		} catch (error) {
			this.remove(reader);
			throw error;
		}
	}

	remove(reader: FeedReader): void {
		this.readers.delete(reader);
		if (this.readers.size === 0) this.close();
	}

	close(): void {
		for (const timer of this.timers) clearInterval(timer);
		this.timers = [];
		this.watch?.close();
		this.watch = null;
		this.watched = -1;
		this.recent = new Map();
	}

	/** The next events of a run, as far as `runs` knows it. */
	async events(run: string, after: number): Promise<readonly FedEvent[]> {
		const head = this.runs.get(run)?.version ?? 0;
		const key = `${run} ${after} ${head}`;
		const known = this.recent.get(key);
		if (known !== undefined) return known;
		const read = this.read(run, after, Math.min(BATCH, head - after));
		this.recent.set(key, read);
		return read;
	}

	private async read(run: string, after: number, limit: number): Promise<readonly FedEvent[]> {
		const events = await this.reader.events(run, after, limit);
		return numbered(events, after).map((event) => ({
			version: event.version,
			data: JSON.stringify({ run, version: event.version, event }),
		}));
	}

	private start(): void {
		this.timers = [
			setInterval(() => void this.look(), LOOK_MS),
			setInterval(() => {
				for (const reader of this.readers) reader.beat();
			}, BEAT_MS),
		];
	}

	/** One at a time; a call during it makes it run once more. */
	private refresh(): Promise<void> {
		if (this.refreshing !== null) {
			this.again = true;
			return this.refreshing;
		}
		const work = async (): Promise<void> => {
			do {
				this.again = false;
				await this.readRuns();
			} while (this.again);
		};
		this.refreshing = work().finally(() => {
			this.refreshing = null;
		});
		return this.refreshing;
	}

	private async readRuns(): Promise<void> {
		await this.watchStore();
		const before = this.runs;
		const read = await this.reader.runs();
		this.runs = new Map(read.map((one) => [one.row.run, one]));
		this.recent = new Map();
		const changed = read.filter((one) => {
			const known = before.get(one.row.run);
			return known !== one && JSON.stringify(known?.row) !== JSON.stringify(one.row);
		});
		for (const reader of this.readers) {
			if (changed.length > 0) reader.rows(changed);
			reader.wake();
		}
	}

	/** Before the runs are read, so that nothing can happen between the two. */
	private async watchStore(): Promise<void> {
		if (this.watch !== null && this.watched === this.reader.opened) return;
		this.watch?.close();
		this.watch = await this.reader.watch(() => void this.refresh().catch(() => {}));
		this.watched = this.reader.opened;
	}

	/** A dead engine commits nothing: only its lease is gone. */
	private async look(): Promise<void> {
		if (this.looking) return;
		this.looking = true;
		try {
			if (this.watch === null || this.watched !== this.reader.opened) return await this.refresh();
			for (const [run, { row }] of this.runs) {
				if (!row.driven || this.pulled.has(run) || (await this.reader.holder(run)) !== null) continue;
				await this.refresh();
				if (this.runs.get(run)?.row.driven) this.pulled.add(run);
			}
		} catch {
			// The store is busy or gone for the moment; the next look may find it.
		} finally {
			this.looking = false;
		}
	}
}
