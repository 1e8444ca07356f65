// The dispatch contract: who works on which lane. A lane is one scope of one run, a story or the run itself; whoever has it goes on from the
// journal, so it can be handed out again at any time. Handing it out is no more than a hint who should work: the lease of the lane fences.

export interface Lane {
	readonly run: string;
	readonly scope: string;
	/** Labels that a worker must have. */
	readonly requires?: readonly string[];
}

/** A lane in the hands of a worker. */
export interface Tenancy {
	readonly lane: Lane;
	/** Aborted when the lane is no longer this worker's: what is still done there does not count. */
	readonly lost: AbortSignal;
	/** Aborted when the worker drains: a tenant that has not begun leaves at once, others finish. */
	readonly leave: AbortSignal;
	/** Aborted some time before the tenancy ends by itself and is `lost`: what is under way is finished, nothing new begun, and the lane left. */
	readonly handOver: AbortSignal;
}

/** `over`: there is nothing left to do. `left`: somebody has to go on. A tenant that throws has left. */
export type Tenant = (tenancy: Tenancy) => Promise<"over" | "left">;

export interface WorkerOptions {
	/** How many lanes at once. */
	readonly lanes: number;
	readonly labels?: readonly string[];
}

export interface Worker {
	/** Takes no more lanes, asks the tenants to leave, and resolves when they have. */
	drain(): Promise<void>;
}

export interface Dispatch {
	/** Somebody has to work on this lane. Changes nothing if somebody is about to. */
	send(lane: Lane): Promise<void>;
	work(options: WorkerOptions, tenant: Tenant): Promise<Worker>;
	/** Drains the workers of this process. */
	close(): Promise<void>;
}

/** A connection of the store in the middle of a transaction. */
export interface Transaction {
	query(sql: string, values?: unknown[]): Promise<{ rows: unknown[] }>;
}

/** A dispatch in the store's own database. What is sent and what is over becomes true with the store's transaction, or not at all: whoever finds, with the run's
 * row locked, that nothing is left ends the lane there, and an effect that is committed after that sends it again. */
export interface SharedDispatch extends Dispatch {
	sendIn(transaction: Transaction, lane: Lane): Promise<void>;
	/** False if the lane is no longer the tenant's: then the transaction must not count. */
	endIn(transaction: Transaction, tenancy: Tenancy): Promise<boolean>;
}
