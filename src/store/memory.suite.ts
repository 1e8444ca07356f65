// A store in memory, for tests that run the engine in process. All processes share the data; each handle stands for one process.
// Everything goes through JSON, as with any other store, so that nothing is shared by mistake. Faults can be planned for each commit.
import type { Effect } from "../core/effect.ts";
import type { Event } from "../core/event.ts";
import type { Input } from "../core/input.ts";
import { isOver } from "../core/query.ts";
import type { Claim, Commit, CommitResult, Holder, Lease, PendingEffect, Rows, RunSummary, Store, Travelling, Watch } from "../store.ts";
import { MemoryTravel } from "./memory-travel.suite.ts";

/** `fail`: nothing is committed. `lose`: it is committed, and the answer never comes. Both are errors for the caller. */
export type CommitFault = "fail" | "lose";

interface StoredRun {
	/** Frozen: committed data cannot change. */
	readonly events: Event[];
	/** The number of the first event → its commit, and the effects of that commit. */
	readonly commits: Map<number, { readonly id: string; readonly effects: readonly PendingEffect[] }>;
	summary: string | null;
	/** In the order in which runs were first seen. */
	readonly order: number;
}

interface Watching {
	readonly handle: object;
	readonly run: string | null;
	readonly changed: () => void;
}

export class MemoryDatabase {
	/** Asked before every commit, with the number of commits before it. */
	fault: (commit: Commit, nth: number) => CommitFault | null = () => null;
	/** What has been committed, in order. */
	readonly log: Commit[] = [];
	/** The last rows of every commit that had some. */
	readonly rows: Rows[] = [];
	private readonly runs = new Map<string, StoredRun>();
	/** The id of a commit → its effects. */
	private readonly committed = new Map<string, readonly PendingEffect[]>();
	/** Effects that are not done yet. */
	private readonly effects = new Map<number, { readonly run: string; readonly text: string }>();
	private readonly inputs = new Map<number, { readonly run: string; readonly text: string }>();
	private readonly claims = new Map<string, string>();
	private readonly epochs = new Map<string, number>();
	private readonly leases = new Map<string, { readonly handle: object; readonly holder: Holder }>();
	private readonly watches = new Set<Watching>();
	private readonly travel = new MemoryTravel((run, { scope, epoch }) => this.epochs.get(keyOf(run, scope)) === epoch);
	private asked = 0;
	private seqs = 0;
	private inputIds = 0;
	private handles = 0;

	open(now: () => number = () => 0): Store & Travelling {
		const handle = {};
		const who = `process ${++this.handles} of the test`;
		// Async, so that what a real store rejects is never thrown here.
		return {
			...this.travel.contract,
			commit: async (commit) => this.commit(handle, commit),
			update: async (run, after, decide) => {
				const events = this.runs.get(run)?.events.slice(after) ?? [];
				const decision = decide(events);
				if (decision === null) return { events, result: null };
				try {
					return { events, result: this.commit(handle, { ...decision, run, expectedVersion: after + events.length }) };
				} catch (error) {
					// As with any store that machines share, what was decided is looked up after a lost answer.
					const effects = this.committed.get(decision.id);
					if (effects === undefined) throw error;
					return { events, result: { ok: true, effects } };
				}
			},
			settle: async (run, done) => this.settle(run, done),
			events: async (run, after = 0, limit = Number.POSITIVE_INFINITY) => this.runs.get(run)?.events.slice(after, after + limit) ?? [],
			pending: async (run) =>
				[...this.effects].flatMap(([seq, one]) => (one.run === run ? [{ seq, effect: JSON.parse(one.text) as Effect }] : [])),
			runs: async ({ open = false, unsettled = false, limit = Number.POSITIVE_INFINITY, prefix = "" } = {}) => {
				const isLeft = (id: string): boolean => unsettled && [...this.effects.values()].some(({ run }) => run === id);
				return this.summaries()
					.filter(({ id, status }) => id.startsWith(prefix) && (!open || !isOver(status) || isLeft(id)))
					.slice(0, limit);
			},
			summary: async (run) => this.summaryOf(run),
			post: async (run, input) => {
				this.inputs.set(++this.inputIds, { run, text: JSON.stringify(input) });
				this.tell(null, run);
			},
			inbox: async (run) =>
				[...this.inputs].flatMap(([id, one]) => (one.run === run ? [{ id, input: JSON.parse(one.text) as Input }] : [])),
			claims: async (run) => this.allClaims().filter((claim) => claim.run === run && claim.state === "held"),
			claim: async (name) => this.allClaims().findLast((claim) => claim.token === name || claim.handle === name) ?? null,
			watch: (run, changed) => this.watch(handle, run, changed),
			lease: async (run, scope) => this.lease(handle, { who, since: now() }, run, scope),
			holder: async (run) => this.leases.get(keyOf(run, "@run"))?.holder ?? null,
			seenAt: async (run) => this.leases.get(keyOf(run, "@run"))?.holder.since ?? null,
			remove: async (run, lease) => this.remove(run, lease),
			close: async () => {
				for (const [key, lease] of this.leases) if (lease.handle === handle) this.leases.delete(key);
				for (const watch of this.watches) if (watch.handle === handle) this.watches.delete(watch);
			},
		};
	}

	private remove(run: string, { scope, epoch }: Lease): boolean {
		if (this.epochs.get(keyOf(run, scope)) !== epoch) return false;
		this.runs.delete(run);
		this.travel.remove(run);
		for (const rows of [this.effects, this.inputs]) for (const [key, one] of rows) if (one.run === run) rows.delete(key);
		for (const claim of this.allClaims()) if (claim.run === run) this.claims.delete(claim.token);
		return true;
	}

	/** The lease of a run ends while its holder lives on, as in a store whose leases run out. */
	expire(run: string, scope = "@run"): void {
		this.leases.delete(keyOf(run, scope));
	}

	private commit(handle: object, commit: Commit): CommitResult {
		const fault = this.fault(commit, this.asked++);
		if (fault === "fail") throw new Error("the store did not take the commit");
		const result = this.apply(commit);
		if (result.ok) this.tell(handle, commit.run);
		if (fault === "lose") throw new Error("the store did not answer");
		return result;
	}

	private apply(commit: Commit): CommitResult {
		const { run, expectedVersion, summary, lease } = commit;
		if (summary.id !== run) throw new Error(`a commit of run ${run} carries the summary of ${summary.id}`);
		const kept: StoredRun = this.runs.get(run) ?? { events: [], commits: new Map(), summary: null, order: this.runs.size };
		const again = kept.commits.get(expectedVersion);
		if (commit.events.length > 0 && again?.id === commit.id) return { ok: true, effects: again.effects };
		if (lease !== undefined && this.epochs.get(keyOf(run, lease.scope)) !== lease.epoch) return { ok: false, reason: "fenced" };
		const version = kept.events.length;
		if (version !== expectedVersion) return { ok: false, reason: "conflict", version };
		// All that can fail comes before anything is changed.
		const events = commit.events.map((event) => frozen(JSON.parse(JSON.stringify(event)) as Event));
		const texts = commit.effects.map((effect) => JSON.stringify(effect));
		const claims = (commit.claims ?? []).map((claim) => [claim.token, JSON.stringify({ ...claim, run })] as const);
		const { input } = this.summaryOf(run) ?? {};
		kept.summary = JSON.stringify({ ...(input === undefined ? {} : { input }), ...summary });
		this.runs.set(run, kept);
		kept.events.push(...events);
		const effects = texts.map((text): PendingEffect => {
			const seq = ++this.seqs;
			this.effects.set(seq, { run, text });
			return { seq, effect: JSON.parse(text) as Effect };
		});
		if (events.length > 0) kept.commits.set(expectedVersion, { id: commit.id, effects });
		this.settle(run, commit.done);
		for (const id of commit.taken) if (this.inputs.get(id)?.run === run) this.inputs.delete(id);
		for (const [token, text] of claims) this.claims.set(token, text);
		if (commit.rows) this.rows.push(commit.rows);
		this.travel.write(run, commit.files ?? []);
		this.log.push(commit);
		this.committed.set(commit.id, effects);
		return { ok: true, effects };
	}

	private settle(run: string, done: readonly number[]): void {
		for (const seq of done) if (this.effects.get(seq)?.run === run) this.effects.delete(seq);
	}

	private lease(handle: object, holder: Holder, run: string, scope: string): Lease | null {
		if (!/^[A-Za-z0-9._-]+$/.test(run)) throw new Error(`not the id of a run: ${JSON.stringify(run)}`);
		const key = keyOf(run, scope);
		if (this.leases.has(key)) return null;
		const mine = { handle, holder };
		const epoch = (this.epochs.get(key) ?? 0) + 1;
		this.epochs.set(key, epoch);
		this.leases.set(key, mine);
		const release = async () => {
			if (this.leases.get(key) === mine) this.leases.delete(key);
		};
		return { scope, epoch, release };
	}

	private watch(handle: object, run: string | null, changed: () => void): Watch {
		const watch = { handle, run, changed };
		this.watches.add(watch);
		return { close: () => void this.watches.delete(watch) };
	}

	/** Everybody except the writer. */
	private tell(writer: object | null, run: string): void {
		for (const watch of this.watches) {
			if (watch.handle === writer || (watch.run !== null && watch.run !== run)) continue;
			queueMicrotask(() => {
				if (this.watches.has(watch)) watch.changed();
			});
		}
	}

	private summaryOf(run: string): RunSummary | null {
		const text = this.runs.get(run)?.summary ?? null;
		return text === null ? null : (JSON.parse(text) as RunSummary);
	}

	private summaries(): RunSummary[] {
		const newest = [...this.runs.entries()].sort(([, a], [, b]) => b.order - a.order);
		return newest.flatMap(([id]) => this.summaryOf(id) ?? []).sort((a, b) => b.createdAt - a.createdAt);
	}

	private allClaims(): Claim[] {
		return [...this.claims.values()].map((text) => JSON.parse(text) as Claim);
	}
}

function frozen<T>(value: T): T {
	if (typeof value === "object" && value !== null) for (const inner of Object.values(Object.freeze(value))) frozen(inner);
	return value;
}

const keyOf = (run: string, scope: string): string => `${run} ${scope}`;
