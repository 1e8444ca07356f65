// Reads the runs of a repository for a long time, for a front end that stays: one open store, journals folded once and then continued, and one place that
// says what changed. Never writes: where there are no runs yet, it creates nothing and looks again later.
import type { Event } from "../../core/event.ts";
import { fold } from "../../core/fold/apply.ts";
import type { RunState } from "../../core/model.ts";
import type { Overview } from "../../core/overview.ts";
import { isOver } from "../../core/query.ts";
import { startedWith } from "../../core/started-with.ts";
import type { RunSummary, SharedStore, Store, Watch } from "../../store.ts";
import type { History } from "../../workspace.ts";
import type { RunsContext } from "../context.ts";
import { brought, type OpenRun, openReader, stateOf } from "../open.ts";
import { Refusal } from "../refusal.ts";
import { findHistory } from "../repository.ts";
import { isShared } from "../shared-files.ts";
import { foldedOverview, type ListedRun, listedRun } from "./list.ts";

/** Journals that stay in memory. */
const KEPT = 12;

export interface ReadRun {
	readonly row: ListedRun;
	/** The number of events in its journal. */
	readonly version: number;
	readonly updatedAt: number;
}

export class RunsReader {
	readonly repository: History;
	private readonly c: RunsContext;
	private store: Store | null = null;
	/** How often a store was opened: what was made with an earlier one is no longer good. */
	opened = 0;
	private readonly journals = new Map<string, { events: Event[]; state: RunState }>();
	private readonly overviews = new Map<string, { readonly updatedAt: number; readonly overview: Overview }>();
	/** Rows of runs that are over: the same one as long as nothing changes in it, so that nobody has to compare them. */
	private readonly rows = new Map<string, ReadRun>();
	/** Runs whose agents fetch their steps; whether a run is one of them never changes. */
	private readonly pulled = new Map<string, boolean>();

	private constructor(c: RunsContext, repository: History) {
		this.c = c;
		this.repository = repository;
	}

	static async open(c: RunsContext): Promise<RunsReader> {
		const reader = new RunsReader(c, await findHistory(c));
		// A file that cannot be used is refused now, and not in every answer; a server may only be away for a while.
		if (c.db === undefined) await reader.using(async () => {}, undefined);
		return reader;
	}

	/** Looks into a database that machines share; null for runs of this machine. */
	inShared<T>(look: (store: SharedStore) => Promise<T>): Promise<T | null> {
		return this.using(async (store) => (isShared(store) ? look(store) : null), null);
	}

	/** All runs, newest first. */
	runs(): Promise<ReadRun[]> {
		return this.using(async (store) => {
			const read: ReadRun[] = [];
			for (const summary of await store.runs()) {
				const driven = await this.isDriven(store, summary);
				const known = this.rows.get(summary.id);
				const same = known?.updatedAt === summary.updatedAt && known.row.driven === driven && known.row.status === summary.status;
				read.push(same ? known : await this.readRun(store, summary, driven));
			}
			return read;
		}, []);
	}

	/** One run, by its whole id. */
	async at<T>(id: string, look: (run: OpenRun) => T | Promise<T>): Promise<T> {
		const missing = new Refusal("not_found", `there is no run ${id}`);
		const found = await this.using(async (store) => {
			const { events, state } = (await this.journal(store, id)) ?? {};
			if (events === undefined || state === undefined) throw missing;
			const { root } = this.repository;
			const more = await brought(this.c, this.repository, store, state);
			return { looked: await look({ root, repository: this.repository, store, events, state, ...more }) };
		}, null);
		if (found === null) throw missing;
		return found.looked;
	}

	/** Events of a run after a version, without folding them. */
	events(id: string, after: number, limit: number): Promise<readonly Event[]> {
		return this.using((store) => store.events(id, after, limit), []);
	}

	/** Whether some process has the run at this moment, whatever its status. */
	holder(id: string): Promise<string | null> {
		return this.using(async (store) => (await store.holder(id))?.who ?? null, null);
	}

	/** Calls back soon after something was committed; null while there is no store. */
	async watch(changed: () => void): Promise<Watch | null> {
		return this.using(async (store) => store.watch(null, changed), null);
	}

	async close(): Promise<void> {
		await this.store?.close();
		this.store = null;
	}

	/** If the database was removed or replaced, what is known of it is forgotten, and it is opened again. */
	private async using<T>(work: (store: Store) => Promise<T>, none: T): Promise<T> {
		for (let again = false; ; again = true) {
			if (this.store === null) {
				this.store = await openReader(this.c, this.repository.root);
				if (this.store !== null) this.opened++;
			}
			const { store } = this;
			if (store === null) return none;
			try {
				return await work(store);
			} catch (error) {
				if (again || !(error instanceof Error) || error.name !== "StoreError") throw error;
				await store.close().catch(() => {});
				this.store = null;
				this.journals.clear();
				this.overviews.clear();
				this.rows.clear();
			}
		}
	}

	private async journal(store: Store, id: string): Promise<{ events: Event[]; state: RunState } | null> {
		const known = this.journals.get(id);
		const fresh = await store.events(id, known?.events.length ?? 0);
		if (known === undefined && fresh.length === 0) return null;
		const events = known === undefined ? [...fresh] : fresh.length === 0 ? known.events : [...known.events, ...fresh];
		const state = known === undefined ? stateOf(id, events) : (fold(fresh, known.state) ?? known.state);
		// The one that was used last is the last to go.
		this.journals.delete(id);
		this.journals.set(id, { events, state });
		for (const old of this.journals.keys()) {
			if (this.journals.size <= KEPT) break;
			this.journals.delete(old);
		}
		return { events, state };
	}

	private async readRun(store: Store, summary: RunSummary, driven: boolean): Promise<ReadRun> {
		const overview = summary.overview ?? (await this.oldOverview(store, summary));
		const read = { row: listedRun(summary, overview, driven), version: overview.version, updatedAt: summary.updatedAt };
		// What can still change is made again: two commits may fall into one millisecond.
		if (isOver(summary.status)) this.rows.set(summary.id, read);
		return read;
	}

	private async oldOverview(store: Store, summary: RunSummary): Promise<Overview> {
		const known = this.overviews.get(summary.id);
		if (known?.updatedAt === summary.updatedAt) return known.overview;
		const overview = await foldedOverview(store, summary);
		this.overviews.set(summary.id, { updatedAt: summary.updatedAt, overview });
		return overview;
	}

	private async isDriven(store: Store, { id, status }: RunSummary): Promise<boolean> {
		if (status !== "running") return false;
		return (await store.holder(id)) !== null || (await this.isPulled(store, id));
	}

	private async isPulled(store: Store, id: string): Promise<boolean> {
		const known = this.pulled.get(id);
		if (known !== undefined) return known;
		const [first] = await store.events(id, 0, 1);
		const pulled = first?.event === "run_created" && startedWith(first).pull;
		this.pulled.set(id, pulled);
		return pulled;
	}
}
