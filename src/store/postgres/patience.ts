// What is tried again, and for how long. A database that restarts, refuses connections for a while or cuts one is no failure of the work: the
// same work is done again until an answer comes or the caller's patience ends. Whatever is done here must be harmless when it is done twice.
import { setTimeout as delay } from "node:timers/promises";

const FIRST_MS = 20;
const LONGEST_MS = 2_000;

/** Errors of PostgreSQL after which the same statement may succeed: the connection broke (08), the server stops or starts (57P), it has too many
 * connections (53300), two transactions stood in each other's way (40), ours was idle for too long (25P), this server is a replica at the
 * moment (25006). */
const AGAIN = /^(08...|57P0[1-5]|53300|40001|40P01|25P0[34]|25006)$/;
const NETWORK = /^(ECONNREFUSED|ECONNRESET|ECONNABORTED|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|EHOSTDOWN|EAI_AGAIN)$/;
/** What `pg` says itself has no code. */
const SAID =
	/^(Connection terminated|timeout expired|timeout exceeded when trying to connect|Query read timeout|Client has encountered a connection error|Client was closed|Connection ended)/;

export function isTransient(error: unknown): boolean {
	if (!(error instanceof Error)) return false;
	if (error instanceof AggregateError && error.errors.length > 0) return error.errors.every(isTransient);
	const { code } = error as { readonly code?: unknown };
	return typeof code === "string" ? AGAIN.test(code) || NETWORK.test(code) : SAID.test(error.message);
}

/** Somebody's patience ended. */
export class DatabaseAway extends Error {
	override name = "DatabaseAway";
}

export class Patience {
	private readonly limitMs: number;
	private readonly warn: (text: string) => void;
	private readonly ended = new AbortController();
	private warned = false;

	/** `limitMs`: how long one piece of work is tried. `warn` is told once for each time that the database is away. */
	constructor(limitMs: number, warn: (text: string) => void) {
		this.limitMs = limitMs;
		this.warn = warn;
	}

	/** Whoever waits stops waiting. */
	end(): void {
		this.ended.abort();
	}

	/** `work` is told how often it was tried before. */
	async keep<T>(work: (earlier: number) => Promise<T>, limitMs: number = this.limitMs): Promise<T> {
		const until = performance.now() + limitMs;
		for (let earlier = 0; ; earlier++) {
			try {
				const result = await work(earlier);
				this.warned = false;
				return result;
			} catch (error) {
				if (!isTransient(error) || this.ended.signal.aborted) throw error;
				const wait = Math.min(FIRST_MS * 2 ** earlier, LONGEST_MS) * (0.5 + Math.random());
				const left = until - performance.now();
				if (left < wait)
					throw new Error(`the database did not answer for ${Math.round(limitMs / 1_000)} s: ${said(error)}`, { cause: error });
				// One connection that breaks is nobody's concern.
				if (earlier > 0 && !this.warned) {
					this.warned = true;
					this.warn(`the database does not answer (${said(error)}); trying again for up to ${Math.round(left / 1_000)} s`);
				}
				await delay(wait, undefined, { signal: this.ended.signal }).catch(() => {
					throw error;
				});
			}
		}
	}
}

export function said(error: unknown): string {
	if (error instanceof AggregateError && error.errors.length > 0) return said(error.errors[0]);
	return error instanceof Error ? error.message : String(error);
}
