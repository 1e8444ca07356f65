// The life of one process that drives a run. Everything that it does to the world goes through here, so that a test can kill it between any
// two operations: from then on none of its calls returns, and none of its timers fires. What it had done stays.

/** What happens to a process at a boundary: it continues, it is killed, the call fails, or the call takes this much longer. */
export type Fate = "go" | "die" | { readonly fail: Error } | { readonly wait: number };

/** Asked at every boundary; `nth` counts those of the same name, from 1. */
export type Decide = (boundary: string, nth: number) => Fate;

/** Thrown into code that does not wait for an answer: its process is already dead. */
export class Killed extends Error {
	override name = "Killed";
}

/** The next process does it again, whatever its result. */
const REPEATED = /^(projection|check) ?/;

interface Timers {
	now(): number;
	after(ms: number, work: () => void): () => void;
}

export class Life {
	/** What was passed, in order: `after commit`, `before agent`, … */
	readonly boundaries: string[] = [];
	/** The numbers of the boundaries right after something that outlives the process: a kill there leaves a new state of the world. */
	readonly telling: number[] = [];
	readonly clock: Timers;
	private readonly decide: Decide;
	private readonly counts = new Map<string, number>();
	private readonly death = Promise.withResolvers<void>();
	private readonly timers = new Set<() => void>();
	private over = false;
	/** While the process is stopped, as by SIGSTOP: resolves when it goes on. */
	private stopped: PromiseWithResolvers<void> | null = null;

	constructor(clock: Timers, decide: Decide = () => "go") {
		this.decide = decide;
		this.clock = {
			now: clock.now,
			after: (ms, work) => {
				if (this.over) return () => {};
				const cancel = clock.after(ms, () => {
					this.timers.delete(cancel);
					if (this.stopped === null) work();
					else void this.stopped.promise.then(() => (this.over ? undefined : work()));
				});
				this.timers.add(cancel);
				return () => {
					this.timers.delete(cancel);
					cancel();
				};
			},
		};
	}

	get dead(): boolean {
		return this.over;
	}

	/** Settles when the process is killed; otherwise never. */
	get killed(): Promise<void> {
		return this.death.promise;
	}

	kill(): void {
		this.over = true;
		for (const cancel of this.timers) cancel();
		this.timers.clear();
		this.death.resolve();
	}

	/** Nothing of it happens until it goes on: then it does not know that time has passed. */
	stop(): void {
		this.stopped ??= Promise.withResolvers();
	}

	goOn(): void {
		this.stopped?.resolve();
		this.stopped = null;
	}

	/** A boundary in code that does not wait. */
	readonly point = (name: string): void => {
		if (!this.over && this.fateAt(name) !== "die") return;
		this.kill();
		throw new Killed(name);
	};

	/** Something that changes the world: the process may be killed right before or right after it. */
	async through<T>(name: string, work: () => T | Promise<T>): Promise<T> {
		await this.pass(`before ${name}`);
		const result = await work();
		if (!this.over && !REPEATED.test(name)) this.telling.push(this.boundaries.length);
		await this.pass(`after ${name}`);
		return result;
	}

	/** Something that only looks: no boundary, but a dead process learns nothing. */
	async look<T>(work: () => T | Promise<T>): Promise<T> {
		if (this.stopped !== null) await this.stopped.promise;
		if (this.over) return never();
		const result = await work();
		if (this.stopped !== null) await this.stopped.promise;
		return this.over ? never() : result;
	}

	/** Wraps an object so that its calls belong to this life. All methods return promises, except those in `sync`; `changes` names those that change the
	 * world. */
	wrap<T extends object>(target: T, changes: Readonly<Record<string, string | null>>, sync: readonly string[] = []): T {
		return new Proxy(target, {
			get: (of, key) => {
				const value: unknown = Reflect.get(of, key, of);
				if (typeof value !== "function" || typeof key !== "string") return value;
				if (sync.includes(key)) return value.bind(of);
				const call = (...given: unknown[]): unknown => value.apply(of, given);
				const name = Object.hasOwn(changes, key) ? changes[key] : null;
				return (...given: unknown[]) => (name == null ? this.look(() => call(...given)) : this.through(name, () => call(...given)));
			},
		});
	}

	private async pass(boundary: string): Promise<void> {
		if (this.over) return never();
		const fate = this.fateAt(boundary);
		if (this.stopped !== null) await this.stopped.promise;
		if (this.over) return never();
		if (fate === "go") return;
		if (fate === "die") {
			this.kill();
			return never();
		}
		if ("fail" in fate) throw fate.fail;
		await new Promise<void>((done) => this.clock.after(fate.wait, done));
	}

	private fateAt(boundary: string): Fate {
		const nth = (this.counts.get(boundary) ?? 0) + 1;
		this.counts.set(boundary, nth);
		this.boundaries.push(boundary);
		return this.decide(boundary, nth);
	}
}

const never = (): Promise<never> => new Promise(() => {});

/** Killed at the nth boundary, from 0. */
export function dieAt(index: number): Decide {
	let passed = 0;
	return () => (passed++ === index ? "die" : "go");
}

/** Killed at the nth boundary of this name: `after commit#3`. */
export function dieBy(named: string): Decide {
	const [name = "", nth = "1"] = named.split("#");
	return (boundary, count) => (boundary === name && count === Number(nth) ? "die" : "go");
}
