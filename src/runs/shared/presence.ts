// A worker's entry in the list of workers: it is renewed while the worker lives, tells it when somebody asks it to leave, and goes with it.
import type { WorkerCard, Workers } from "../../store.ts";

/** How soon it notices that somebody asked it to leave. */
const BEAT_MS = 2_000;

export class Presence {
	/** Resolves when somebody asked this worker to leave. */
	readonly asked: Promise<void>;
	private readonly workers: Workers;
	private readonly card: Omit<WorkerCard, "draining">;
	private readonly ask: () => void;
	private draining = false;
	private timer: NodeJS.Timeout | null = null;
	private beating: Promise<void> = Promise.resolve();

	constructor(workers: Workers, card: Omit<WorkerCard, "draining">) {
		this.workers = workers;
		this.card = card;
		const asked = Promise.withResolvers<void>();
		this.asked = asked.promise;
		this.ask = asked.resolve;
	}

	/** From here on it is listed: only then may it take lanes. */
	async begin(): Promise<void> {
		await this.workers.enter({ ...this.card, draining: false });
		this.timer = setTimeout(() => this.beat(), BEAT_MS).unref();
	}

	/** Others see that it is about to leave. */
	async leaving(): Promise<void> {
		this.draining = true;
		await this.renew().catch(() => {});
	}

	async end(): Promise<void> {
		if (this.timer !== null) clearTimeout(this.timer);
		this.timer = null;
		await this.beating;
		await this.workers.remove(this.card.id);
	}

	private beat(): void {
		// A database that is away is waited for elsewhere.
		this.beating = this.renew()
			.catch(() => {})
			.then(() => {
				if (this.timer !== null) this.timer = setTimeout(() => this.beat(), BEAT_MS).unref();
			});
	}

	private async renew(): Promise<void> {
		if (await this.workers.renew({ ...this.card, draining: this.draining })) this.ask();
	}
}
