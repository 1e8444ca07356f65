// Connections to PostgreSQL: a few for statements and transactions. Each piece of work gets one, and one that broke is thrown away.
import { Pool, type PoolClient } from "pg";
import type { Transaction } from "../../store.ts";
import { isTransient, Patience } from "./patience.ts";

export interface PostgresOptions {
	readonly url: string;
	/** How long a database that is away is waited for. */
	readonly giveUpMs?: number;
	/** How long one answer is waited for before the connection counts as broken. */
	readonly answerMs?: number;
	/** How soon a change is noticed if no notification comes. */
	readonly pollMs?: number;
	/** Told once for each time that the database is away. */
	readonly warn?: (text: string) => void;
	/** The id of the worker that this process is. */
	readonly worker?: string;
	/** Sends the lanes of a commit to whoever hands them out, inside of its transaction. */
	readonly sendLanes?: (transaction: Transaction, run: string, lanes: readonly string[]) => Promise<void>;
}

const CONNECTIONS = 4;
const CONNECT_MS = 10_000;
const ANSWER_MS = 30_000;
export const GIVE_UP_MS = 180_000;
/** A process that is stopped in the middle of a transaction holds up everybody who wants the same run. The server ends its transaction after this part
 * of the time that others wait for an answer. */
const IDLE = 1 / 3;

export type Session = PoolClient;

/** What a transaction came to: `keep` says whether what it did counts. */
export interface Done<T> {
	readonly keep: boolean;
	readonly value: T;
	/** The run to tell watchers of. */
	readonly changed?: string;
}

export const CHANNEL = "pawl";

export class Database {
	readonly patience: Patience;
	readonly sendLanes: NonNullable<PostgresOptions["sendLanes"]>;
	readonly settings: { readonly connectionString: string; readonly [key: string]: string | number | boolean };
	private readonly pool: Pool;
	private readonly begin: string;
	/** The server's numbers of our connections: what they announce is no news to us. */
	private readonly own = new Set<number>();

	constructor({ url, giveUpMs = GIVE_UP_MS, answerMs = ANSWER_MS, warn = () => {}, sendLanes = async () => {} }: PostgresOptions) {
		this.sendLanes = sendLanes;
		this.patience = new Patience(giveUpMs, warn);
		this.settings = {
			connectionString: url,
			application_name: "pawl",
			connectionTimeoutMillis: CONNECT_MS,
			query_timeout: answerMs,
			keepAlive: true,
		};
		this.begin = `BEGIN; SET LOCAL idle_in_transaction_session_timeout = ${Math.round(answerMs * IDLE)}`;
		this.pool = new Pool({ ...this.settings, max: CONNECTIONS, allowExitOnIdle: true });
		// An error of a connection also reaches whoever uses it; here it must only not end the process.
		this.pool.on("error", () => {});
		this.pool.on("connect", (client) => {
			client.on("error", () => {});
			const { processID } = client as unknown as { readonly processID: number };
			this.own.add(processID);
			client.once("end", () => this.own.delete(processID));
		});
	}

	isOwn(processId: number): boolean {
		return this.own.has(processId);
	}

	/** One statement that is harmless when it is repeated. */
	query<Row>(sql: string, values: readonly unknown[] = [], limitMs?: number): Promise<Row[]> {
		return this.patience.keep(() => this.once<Row>(sql, values), limitMs);
	}

	/** The same, without a second try. */
	async once<Row>(sql: string, values: readonly unknown[] = []): Promise<Row[]> {
		return (await this.pool.query(sql, [...values])).rows as Row[];
	}

	/** `work` runs again, in a new transaction, if the connection breaks: also if it breaks while it commits and nobody knows whether it did. */
	transaction<T>(work: (session: Session, earlier: number) => Promise<Done<T>>): Promise<T> {
		return this.patience.keep((earlier) => this.tried((session) => work(session, earlier)));
	}

	private async tried<T>(work: (session: Session) => Promise<Done<T>>): Promise<T> {
		const session = await this.pool.connect();
		let broken = false;
		try {
			await session.query(this.begin);
			const { keep, value, changed } = await work(session);
			const told = changed === undefined ? "" : `SELECT pg_notify('${CHANNEL}', ${session.escapeLiteral(changed)}); `;
			await session.query(keep ? `${told}COMMIT` : "ROLLBACK");
			return value;
		} catch (error) {
			broken =
				isTransient(error) ||
				(await session.query("ROLLBACK").then(
					() => false,
					() => true,
				));
			throw error;
		} finally {
			session.release(broken);
		}
	}

	async close(): Promise<void> {
		this.patience.end();
		if (!this.pool.ending) await this.pool.end();
	}
}
