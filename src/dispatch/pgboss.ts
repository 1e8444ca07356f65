// Lanes in PostgreSQL, handed out by pg-boss. One of its jobs is the tenancy of one lane: the policy `exclusive` allows one for each key, whether it waits or is
// worked on. A tenant that dies stops its heartbeat, and pg-boss gives the lane to somebody else. A job is settled as it was fetched, never
// by its id: by its id a worker that slept could end the tenancy of the next one.
import { type Job, PgBoss } from "pg-boss";
import type { Lane, SharedDispatch, Tenancy, Tenant, Transaction, Worker, WorkerOptions } from "../dispatch.ts";

export interface PgBossOptions {
	readonly url: string;
	/** How long a worker of this dispatch may be silent before its lanes are given to others. Shorter than an outage of the database, it takes work from those who live. */
	readonly heartbeatSeconds?: number;
	/** How long a tenancy lasts at most. */
	readonly longestSeconds?: number;
	readonly warn?: (text: string) => void;
	readonly patient?: Patient;
}

/** Somebody who waits for a database that is away, and says so. */
export interface Patient {
	/** Does the work again until it succeeds, or until the database has been away for too long. */
	keep<T>(work: () => Promise<T>): Promise<T>;
	/** The database is away, or cut a connection: no failure of the work. */
	isTransient(error: unknown): boolean;
}

const SCHEMA = "pawl_boss";
const HEARTBEAT_SECONDS = 180;
const RENEWALS = 6;
/** How often pg-boss looks for lanes whose tenant is silent, and how soon a lane is taken that nobody announced: a retry sends no notification. */
const LOOK_SECONDS = 2;
/** pg-boss allows no tenancy to last longer. */
const LONGEST_SECONDS = 24 * 3_600;
/** The part of it after which the lane is handed over. The attempt that is under way then, which may still wait for a seat, has the rest of it. */
const HAND_OVER = 1 / 2;
/** A lane is handed out as often as it takes. */
const RETRIES = 1_000_000;
/** How long a lane waits after its tenant failed. The oldest lane is always the next one: those that fail at once would take the places of all others. */
const FAILED_SECONDS = 5;
const KEPT_SECONDS = 3_600;
const CONNECTIONS = 4;

type LaneJob = Job<Lane>;

// A job has the heartbeat of its queue, and a queue that of whoever made it: a person who starts a run, or a worker with another lease.
const KEEP_AS_LONG_AS = `
	UPDATE ${SCHEMA}.job SET heartbeat_seconds = $4, retry_delay = 0
	WHERE name = $1 AND id = $2 AND retry_count = $3 AND state = 'active' RETURNING id`;
const WAIT_AFTER_IT = `
	UPDATE ${SCHEMA}.job SET retry_delay = $4 WHERE name = $1 AND id = $2 AND retry_count = $3 AND state = 'active'`;

const IMPATIENT: Patient = { keep: (work) => work(), isTransient: () => false };

/** Thrown to pg-boss, which then gives the lane to somebody else. */
class Left extends Error {
	override name = "Left";
}

export async function pgBossDispatch({
	url,
	heartbeatSeconds = HEARTBEAT_SECONDS,
	longestSeconds = LONGEST_SECONDS,
	warn = () => {},
	patient = IMPATIENT,
}: PgBossOptions): Promise<SharedDispatch> {
	// One that did not start cannot be started again.
	const boss = await patient.keep(async () => {
		const made = new PgBoss({
			connectionString: url,
			schema: SCHEMA,
			application_name: "pawl dispatch",
			max: CONNECTIONS,
			schedule: false,
			useListenNotify: true,
			superviseIntervalSeconds: LOOK_SECONDS,
			monitorIntervalSeconds: LOOK_SECONDS,
		});
		// It looks again by itself. That the database is away is said by whoever waits for it.
		made.on("error", (error) => (patient.isTransient(error) ? undefined : warn(`the queue of lanes: ${error.message}`)));
		try {
			return await made.start();
		} catch (error) {
			await made.stop({ graceful: false, close: true }).catch(() => {});
			throw error;
		}
	});
	const made = new Map<string, Promise<void>>();
	const jobs = new WeakMap<Tenancy, LaneJob>();
	const workers = new Set<Worker>();

	function madeQueue(name: string): Promise<void> {
		const known = made.get(name);
		if (known !== undefined) return known;
		const retries = { retryLimit: RETRIES, retryDelay: 0, retryBackoff: false };
		const times = { heartbeatSeconds, expireInSeconds: longestSeconds, deleteAfterSeconds: KEPT_SECONDS };
		const making = patient.keep(() => boss.createQueue(name, { policy: "exclusive", notify: true, ...retries, ...times }));
		made.set(name, making);
		making.catch(() => made.delete(name));
		return making;
	}

	async function send(lane: Lane, transaction?: Transaction): Promise<void> {
		const queue = queueOf(lane.requires ?? []);
		await madeQueue(queue);
		const singletonKey = `${lane.run}:${lane.scope}`;
		// A lane that is sent twice is sent once. In a transaction, whoever has that does it again.
		if (transaction === undefined) await patient.keep(() => boss.send(queue, lane, { singletonKey }));
		else await boss.send(queue, lane, { singletonKey, db: { executeSql: executor(transaction) } });
	}

	async function work({ lanes, labels = [] }: WorkerOptions, tenant: Tenant): Promise<Worker> {
		const leave = new AbortController();
		const mine = new Set(labels);
		/** Queue → what pg-boss calls our part in it. */
		const served = new Map<string, Promise<string>>();
		/** Parts that take nothing new, and end with the lanes that they have. */
		const ending = new Set<Promise<unknown>>();
		let taken = 0;
		const occupy = async (job: LaneJob): Promise<void> => {
			// pg-boss counts for each queue by itself; two of them may have found the last free lane.
			if (taken >= lanes) throw new Left("no lane is free");
			taken++;
			if (taken === lanes) stopServing();
			try {
				await occupied(job);
			} finally {
				taken--;
				void look().catch(() => {});
			}
		};
		const occupied = async (job: LaneJob): Promise<void> => {
			const { name, id, retryCount } = job;
			const kept = await patient.keep(() => boss.getDb().executeSql(KEEP_AS_LONG_AS, [name, id, retryCount, heartbeatSeconds]));
			if (kept.rows.length === 0) throw new Left("it was given to somebody else");
			const handOver = AbortSignal.timeout(longestSeconds * HAND_OVER * 1_000);
			const tenancy: Tenancy = { lane: job.data, lost: job.signal, leave: leave.signal, handOver };
			jobs.set(tenancy, job);
			try {
				if ((await tenant(tenancy)) === "left") throw new Left("it goes on elsewhere");
			} catch (error) {
				// If the database is away, it does not learn of the failure either, and the lane waits until its heartbeat is too old.
				if (!(error instanceof Left))
					await boss
						.getDb()
						.executeSql(WAIT_AFTER_IT, [name, id, retryCount, FAILED_SECONDS])
						.catch(() => {});
				throw error;
			}
		};
		const serve = (name: string): Promise<string> => {
			const polling = { notifyPollingIntervalSeconds: LOOK_SECONDS, pollingIntervalSeconds: LOOK_SECONDS };
			const options = { localConcurrency: lanes, heartbeatRefreshSeconds: heartbeatSeconds / RENEWALS, ...polling };
			return boss.work<Lane>(name, options, async ([job]) => {
				if (job !== undefined) await occupy(job);
			});
		};
		/** While no lane is free, lanes are left to others. */
		const stopServing = (): void => {
			for (const [name, id] of served) {
				const ended = id.then((known) => boss.offWork(name, { id: known, wait: true })).catch(() => {});
				ending.add(ended);
				void ended.then(() => ending.delete(ended));
			}
			served.clear();
		};
		/** Queues are made by those who send; a worker serves each one whose labels it has. */
		const look = async (): Promise<void> => {
			for (const { name } of await boss.getQueues()) {
				if (leave.signal.aborted || taken >= lanes) return;
				if (served.has(name) || labelsOf(name)?.every((label) => mine.has(label)) !== true) continue;
				const serving = serve(name);
				served.set(name, serving);
				// The next look tries it again.
				serving.catch(() => served.delete(name));
				await serving;
			}
		};
		await madeQueue(queueOf([]));
		await patient.keep(look);
		const timer = setInterval(() => void look().catch(() => {}), LOOK_SECONDS * 1_000).unref();
		const worker: Worker = {
			drain: async () => {
				clearInterval(timer);
				leave.abort();
				stopServing();
				await Promise.all(ending);
				workers.delete(worker);
			},
		};
		workers.add(worker);
		return worker;
	}

	return {
		send: (lane) => send(lane),
		sendIn: (transaction, lane) => send(lane, transaction),
		endIn: async (transaction, tenancy) => {
			const job = jobs.get(tenancy);
			if (job === undefined) throw new Error("not a tenancy of this dispatch");
			const { id, name, retryCount } = job;
			const ended = await boss.complete(name, { id, retryCount }, null, { db: { executeSql: executor(transaction) } });
			return (ended as unknown as { readonly affected: number }).affected === 1;
		},
		work,
		close: async () => {
			await Promise.all([...workers].map((worker) => worker.drain()));
			await boss.stop({ graceful: true, close: true });
		},
	};
}

const executor = (transaction: Transaction) => (text: string, values?: unknown[]) => transaction.query(text, values);

const QUEUE = "lanes";
const LABEL = /^[A-Za-z0-9_:-]+$/;

/** Sorted labels; names of queues hold no `+` and no `:`, labels no `/`. */
function queueOf(requires: readonly string[]): string {
	const wrong = requires.find((label) => !LABEL.test(label));
	if (wrong !== undefined) throw new Error(`not a label: ${JSON.stringify(wrong)}`);
	return [QUEUE, ...[...new Set(requires)].sort().map((label) => label.replaceAll(":", "/"))].join(".");
}

function labelsOf(queue: string): readonly string[] | null {
	const [first, ...labels] = queue.split(".");
	return first === QUEUE ? labels.map((label) => label.replaceAll("/", ":")) : null;
}
