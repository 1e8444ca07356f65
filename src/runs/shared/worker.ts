// A worker: a process, often on a machine of its own, that works on lanes of the runs in one database. It has its own clone of the shared repository, and every
// lane that it is given goes on from the journal. If it dies, another worker takes its lanes.
import { mkdirSync } from "node:fs";
import type { Config } from "../../config.ts";
import type { RunState } from "../../core/model.ts";
import { isOver } from "../../core/query.ts";
import { startedWith } from "../../core/started-with.ts";
import type { Dispatch, Tenancy } from "../../dispatch.ts";
import { Occupants } from "../../engine/occupants.ts";
import type { AttemptWork } from "../../engine/parts.ts";
import { type LaneEnd, SharedEngine, type SharedParts } from "../../engine/shared-engine.ts";
import type { Clone } from "../../remote.ts";
import type { SharedStore } from "../../store.ts";
import { RemoteAway, type Repository, WorkspaceError } from "../../workspace.ts";
import type { RunsContext } from "../context.ts";
import { agentsOf } from "../drive/agents.ts";
import { commonParts } from "../drive/parts.ts";
import { Refusal } from "../refusal.ts";
import { configOf, runFolder } from "../repository.ts";
import { runStorage } from "../run-storage.ts";
import { filesBelowRoot } from "../shared-files.ts";
import { accountsHere } from "./accounts-here.ts";
import { cardOf, warnOfOtherRepositories } from "./card.ts";
import { Presence } from "./presence.ts";
import { Reminders } from "./reminders.ts";

/** How soon a wait that is over, or a lane that nobody was told of, is noticed. */
const LOOK_MS = 2_000;

const ENDS: Readonly<Record<LaneEnd, string>> = {
	done: "has nothing left to do",
	left: "was here for long; a worker that is free goes on",
	lost: "went to another worker",
};

export interface WorkerOptions {
	/** The address of the database. */
	readonly db: string;
	/** The address of the repository that machines share. */
	readonly repo: string;
	/** Where its clone is. */
	readonly folder: string;
	readonly lanes: number;
	/** Its own labels, besides those that are found. */
	readonly labels: readonly string[];
	/** How long its lanes are kept for it if it gives no sign of life. */
	readonly leaseMs: number;
	onEvent?(text: string): void;
}

export interface RunningWorker {
	readonly id: string;
	/** Takes no more lanes, and resolves when those that it has are done. */
	drain(): Promise<void>;
	/** Resolves when somebody, perhaps on another machine, asked it to leave. */
	readonly asked: Promise<void>;
}

export async function startWorker(c: RunsContext, options: WorkerOptions): Promise<RunningWorker> {
	const clone = await c.services.openClone(options.repo, options.folder);
	if ("problem" in clone) throw new Refusal(clone.code === "unreachable" ? "unavailable" : "invalid", clone.problem);
	for (const note of clone.notes) c.warn(note);
	const opened: { close(): Promise<void> }[] = [];
	try {
		const config = await configOf(c, clone.root);
		const repository = await c.services.openSharedRepository(clone, () => config);
		if ("problem" in repository) throw new Refusal("invalid", repository.problem);
		await repository.noteSettings();
		const card = await cardOf(c, { ...options, repo: clone.remote.shown });
		const { id, labels } = card;
		const store = filesBelowRoot(await c.services.openShared(options.db, c.warn, id), repository.root);
		opened.push(store);
		await warnOfOtherRepositories(store.workers, card.repo, c.warn);
		const presence = new Presence(store.workers, card);
		const dispatch = await c.services.openDispatch(options.db, c.warn, options.leaseMs);
		opened.unshift(dispatch);
		await presence.begin();
		return await new Worker(c, options, { id, labels, clone, config, repository, store, dispatch, presence }).start();
	} catch (error) {
		// Whatever stayed open would keep the process.
		for (const one of opened) await one.close().catch(() => {});
		clone.close();
		throw error;
	}
}

interface Machine {
	readonly id: string;
	readonly labels: readonly string[];
	readonly clone: Clone;
	readonly config: Config;
	readonly repository: Repository;
	readonly store: SharedStore;
	readonly dispatch: Dispatch;
	readonly presence: Presence;
}

class Worker implements RunningWorker {
	private readonly c: RunsContext;
	private readonly options: WorkerOptions;
	private readonly machine: Machine;
	private readonly engines = new Map<string, Promise<SharedEngine | null>>();
	/** Run → how many of its lanes are worked on here. */
	private readonly busy = new Map<string, number>();
	/** Run → the labels of the workers that may work on it. */
	private readonly requires = new Map<string, readonly string[]>();
	/** Run (or "": looking for runs) → why it failed here when it was last tried. */
	private readonly problems = new Map<string, string>();
	private readonly reminders = new Reminders();
	private readonly occupants = new Occupants();
	private timer: NodeJS.Timeout | null = null;
	private looking: Promise<void> = Promise.resolve();

	constructor(c: RunsContext, options: WorkerOptions, machine: Machine) {
		this.c = c;
		this.options = options;
		this.machine = machine;
	}

	get id(): string {
		return this.machine.id;
	}

	get asked(): Promise<void> {
		return this.machine.presence.asked;
	}

	async start(): Promise<this> {
		await this.machine.dispatch.work({ lanes: this.options.lanes, labels: this.machine.labels }, (tenancy) => this.occupy(tenancy));
		this.lookAgain();
		return this;
	}

	async drain(): Promise<void> {
		if (this.timer !== null) clearTimeout(this.timer);
		this.timer = null;
		const { dispatch, store, clone, presence } = this.machine;
		const failures: unknown[] = [];
		// Whatever stayed open would keep the process, so a step that fails does not keep the others from being done.
		const tried = (step: () => Promise<void>): Promise<unknown> => step().catch((error: unknown) => failures.push(error));
		await presence.leaving();
		await tried(() => dispatch.close());
		await this.looking;
		for (const opened of this.engines.values())
			await tried(async () => {
				const engine = await opened.catch(() => null);
				await engine?.close();
				await engine?.removeWorktrees();
			});
		await tried(() => presence.end());
		await tried(() => store.close());
		clone.close();
		if (failures.length > 0) throw failures[0];
	}

	private async occupy({ lane: { run, scope }, lost, leave, handOver }: Tenancy): Promise<"over" | "left"> {
		if (leave.aborted) return "left";
		const { store } = this.machine;
		const lease = await store.lease(run, scope, this.options.leaseMs);
		// An earlier holder has not given it up, or its time has not run out.
		if (lease === null) return "left";
		this.busy.set(run, (this.busy.get(run) ?? 0) + 1);
		const opened = this.engineOf(run);
		try {
			const engine = await opened;
			if (engine === null) return "over";
			this.options.onEvent?.(`${run}: works on ${scope}`);
			const gone = AbortSignal.any([lost, ...(lease.lost === undefined ? [] : [lease.lost])]);
			const how = await engine.work(scope, lease, gone, handOver);
			this.options.onEvent?.(`${run}: ${scope} ${ENDS[how]}`);
			return how === "done" ? "over" : "left";
		} catch (error) {
			this.warnOnce(run, `run ${run}, ${scope}`, error);
			await this.drop(run, opened);
			throw error;
		} finally {
			await lease.release();
			this.busy.set(run, (this.busy.get(run) ?? 1) - 1);
		}
	}

	/** If it failed, the other lanes of this run here have failed with it; another worker, or this one with a fresh start, goes on. */
	private async drop(run: string, opened: Promise<SharedEngine | null>): Promise<void> {
		const engine = await opened.catch(() => null);
		if (engine === null || !engine.failed) return;
		// Two engines of one run would have one folder: the next one begins when this one has ended. A lane that is given to it until then fails and is given out again.
		await engine.close().catch(() => {});
		if (this.engines.get(run) === opened) this.engines.delete(run);
	}

	private engineOf(run: string): Promise<SharedEngine | null> {
		const known = this.engines.get(run);
		if (known !== undefined) return known;
		const opened = SharedEngine.open(
			(state) => this.partsOf(state),
			{ ...runStorage(this.c, this.machine.store), store: this.machine.store },
			run,
			(scopes) => this.sendLanes(run, scopes),
		);
		this.engines.set(run, opened);
		opened.catch(() => {
			if (this.engines.get(run) === opened) this.engines.delete(run);
		});
		return opened;
	}

	private async sendLanes(run: string, scopes: readonly string[]): Promise<void> {
		const requires = this.requires.get(run) ?? [];
		for (const scope of scopes) await this.machine.dispatch.send({ run, scope, requires });
	}

	private async partsOf(state: RunState): Promise<SharedParts> {
		const { repository, config, store } = this.machine;
		const sharedDir = runFolder(repository.root, state.id);
		mkdirSync(sharedDir, { recursive: true });
		const started = startedWith(state);
		this.requires.set(state.id, started.requires);
		// A machine's own sandbox holds also for runs that were started without one.
		const { database: _, ...common } = await commonParts(this.c, { store, repository, config, sharedDir, sandbox: config.sandbox }, state);
		return {
			...common,
			occupants: this.occupants,
			agentsFor: await agentsOf(this.c, { config, repository }, started),
			accounts: accountsHere(this.c, config, store.accounts, this.options.leaseMs),
			// The run's files are written where a person follows it.
			projections: () => [],
			userFiles: () => [],
			publish: (work) => this.publish(work),
			onWarning: (text) => this.c.warn(`run ${state.id}: ${text}`),
		};
	}

	private async publish({ run, scope, step, attempt, workspace }: AttemptWork): Promise<string> {
		const { commit } = await workspace.point();
		const published = await this.machine.clone.remote.publish(commit, { run, story: scope, step, attempt });
		if (published.result === "published") return commit;
		if (published.result === "taken") throw new WorkspaceError(`${published.ref} is ${published.commit} already, not ${commit}`);
		const text = `the work of ${scope} cannot be published: ${published.message}`;
		throw published.result === "unreachable" ? new RemoteAway(text) : new WorkspaceError(text);
	}

	private lookAgain(): void {
		this.timer = setTimeout(() => {
			this.looking = this.look().finally(() => {
				if (this.timer !== null) this.lookAgain();
			});
		}, LOOK_MS);
	}

	/** Waits that are over, and lanes whose workers were not told, are everybody's business. What fails is tried again at the next look: the database may be away, and a
	 * run that cannot be opened here may be one for other workers. Neither may keep this one from the other runs. */
	private async look(): Promise<void> {
		const { store, labels } = this.machine;
		const found = await this.tried("", "looking for work", async () => ({
			withEffects: new Set(await store.runsWithEffects({ labels })),
			due: await store.dueRuns({ labels }),
		}));
		if (found === null) return;
		const { withEffects, due } = found;
		for (const run of new Set([...due, ...withEffects])) await this.tried(run, `run ${run}`, () => this.lookAt(run));
		for (const [run, opened] of this.engines) {
			const engine = await opened.catch(() => null);
			if (engine === null || !isOver(engine.state.status) || withEffects.has(run) || (this.busy.get(run) ?? 0) > 0) continue;
			this.engines.delete(run);
			await this.tried(run, `run ${run}`, () => engine.close());
		}
	}

	private async lookAt(run: string): Promise<void> {
		const opened = this.engineOf(run);
		try {
			const lanes = (await (await opened)?.look()) ?? [];
			const held = lanes.length === 0 ? [] : await this.machine.store.heldLanes(run);
			const waiting = this.reminders.due(
				run,
				lanes.filter((lane) => !held.includes(lane)),
			);
			if (waiting.length > 0) await this.sendLanes(run, waiting);
		} catch (error) {
			await this.drop(run, opened);
			throw error;
		}
	}

	/** null if it failed. */
	private async tried<T>(run: string, what: string, work: () => Promise<T>): Promise<T | null> {
		try {
			const result = await work();
			this.problems.delete(run);
			return result;
		} catch (error) {
			this.warnOnce(run, what, error);
			return null;
		}
	}

	/** Until it succeeds, or fails for another reason. */
	private warnOnce(run: string, what: string, error: unknown): void {
		const problem = error instanceof Error ? error.message : String(error);
		if (this.problems.get(run) === problem) return;
		this.problems.set(run, problem);
		this.c.warn(`${what}: ${problem}`);
	}
}
