// The processes that run tests for mutants, one at a time: one that stays and has everything loaded, and a fresh one for each mutant of code that runs only
// while modules load.
import { type ChildProcess, fork } from "node:child_process";
import { join } from "node:path";
import { killIfItHangs } from "./hang.ts";
import type { Begins, Loaded, Order, Tried } from "./mutants.child.ts";

const CHILD = join(import.meta.dirname, "mutants.child.ts");
// A mutant that never stops adding to a list ends its own process, not the machine.
const MEMORY = "--max-old-space-size=1024";

/** What a process said, or that it ended or took too long. */
export type Answer<T> = T | "gone";

export class Worker {
	readonly #child: ChildProcess;
	readonly #ready: Promise<unknown>;

	constructor({ overlay, temporary, mutant }: { readonly overlay: string; readonly temporary: string; readonly mutant?: string }) {
		this.#child = fork(CHILD, mutant === undefined ? [overlay] : [overlay, mutant], {
			execArgv: [MEMORY, "--disable-warning=ExperimentalWarning"],
			stdio: ["ignore", "ignore", "ignore", "ipc"],
			env: { ...process.env, TMPDIR: temporary, NODE_COMPILE_CACHE: join(temporary, "compiled"), UV_THREADPOOL_SIZE: "1" },
		});
		this.#ready = this.#next(30_000);
	}

	open(files: readonly string[]): Promise<Answer<Tried>> {
		return this.#ask<Tried>({ do: "open", files }, 120_000);
	}

	load(files: readonly string[]): Promise<Answer<Loaded>> {
		return this.#ask<Loaded>({ do: "load", files }, 600_000);
	}

	/** Each test has a time of its own. */
	attempt(order: Omit<Extract<Order, { do: "try" }>, "do">, withinMs: (test: number) => number): Promise<Answer<Tried>> {
		return this.#ask<Tried>({ do: "try", ...order }, 30_000, withinMs);
	}

	each(files: Extract<Order, { do: "each" }>["files"], withinMs: number): Promise<Answer<Tried>> {
		return this.#ask<Tried>({ do: "each", files }, withinMs);
	}

	/** It cleans up after its tests; what does not end by itself is killed. */
	async end(): Promise<void> {
		if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
		await this.#ask({ do: "end" }, 10_000);
	}

	async #ask<T>(order: Order, withinMs: number, each?: (test: number) => number): Promise<Answer<T>> {
		await this.#ready;
		if (!this.#child.connected) return "gone";
		this.#child.send(order);
		return await this.#next<T>(withinMs, each);
	}

	#next<T>(withinMs: number, each?: (test: number) => number): Promise<Answer<T>> {
		const child = this.#child;
		return new Promise((done) => {
			let stop = killIfItHangs(child, withinMs);
			const settle = (answer: Answer<T>): void => {
				stop();
				child.off("message", said).off("exit", gone);
				done(answer);
			};
			const said = (message: T | Begins): void => {
				if (typeof message !== "object" || message === null || !("begins" in message)) return settle(message);
				stop();
				stop = killIfItHangs(child, each?.(message.begins) ?? withinMs);
			};
			const gone = (): void => settle("gone");
			child.on("message", said).once("exit", gone);
		});
	}
}
