// Plays a scenario of the shared layer: each life is two or three workers, each on a machine of its own, that work on the run together. They are killed, stopped, cut off
// and drained, and others take their places; persons decide from elsewhere. What does not count must not be found on base, and what counts must be (I2).
import type { Event } from "../../src/core/event.ts";
import type { Input } from "../../src/core/input.ts";
import type { Ended } from "../../src/engine/testing/harness.suite.ts";
import { Life } from "../../src/engine/testing/life.suite.ts";
import { type NextWorker, share, type Worker } from "../../src/engine/testing/shared.suite.ts";
import { askShared } from "./engine-application.ts";
import { EngineWorld, historyIn } from "./engine-history.ts";
import { luckOf, mixed } from "./luck.ts";
import type { History } from "./report.ts";
import type { Blow, SharedScenario } from "./shared-scenario.ts";

const MINUTE = 60_000;
/** How long a lane is kept for a worker that gives no sign of life. */
const LEASE_MS = 3 * MINUTE;
const LOOK_MS = 20_000;
const MOST_REPLACED = 20;
const WORK = "work/";

export const sharedHistory = (scenario: SharedScenario): Promise<History> => historyIn(new SharedWorld(scenario));

class SharedWorld extends EngineWorld {
	protected override readonly isShared = true;
	private readonly shared: SharedScenario;
	private readonly workers = new Map<Worker, string>();
	/** Every session that may write leaves a file with the name of its attempt. */
	private readonly wrote = new Set<string>();

	constructor(scenario: SharedScenario) {
		super(scenario);
		this.shared = scenario;
		this.telling.works = ({ story, step, attempt, files }) => {
			const path = nameOf({ scope: story, step, attempt });
			files.write(path, "x\n");
			this.wrote.add(path);
		};
	}

	protected override isLeft(life: number): boolean {
		return super.isLeft(life) || this.shared.blows.some((one) => one.life >= life);
	}

	protected override ask(input: Input): Promise<void> {
		return askShared(this.h, input);
	}

	protected override async live(first: readonly Input[] | undefined, life: number, good: boolean): Promise<Ended> {
		const { h, shared } = this;
		for (const input of first ?? [{ type: "advance", at: h.clock.now() } as const]) await this.ask(input);
		const decideOf = (nth: number) => (good ? undefined : this.decide(life, ({ x }) => x % (shared.workers + 2) === nth));
		const cancels = good ? [] : this.planBlows(life);
		this.workers.clear();
		try {
			const { state } = await share(
				h,
				Array.from({ length: shared.workers }, (_, n) => decideOf(n)),
				{
					machines: true,
					lanes: shared.lanes,
					lookMs: LOOK_MS,
					parts: { logsEveryMs: 5 * MINUTE },
					onBegun: (worker, nth) => void this.workers.set(worker, `${life}.${nth}`),
					onEnded: (worker, nth) => this.replaced(worker, life, nth, decideOf),
					onFailed: (error, lane) => this.failed(error, lane, good),
				},
			);
			return { how: "halted", state, life: new Life(h.clock) };
		} finally {
			for (const cancel of cancels) cancel();
		}
	}

	protected override async atTheEnd(): Promise<void> {
		await super.atTheEnd();
		if (this.wrong.length === 0) this.wrong.push(...this.ofWork());
	}

	private planBlows(life: number): (() => void)[] {
		return this.shared.blows
			.filter((one) => one.life === life)
			.map(({ after, blow, x }) =>
				this.h.clock.after(after, () => {
					const living = [...this.workers.keys()].filter((worker) => !worker.isGone && !worker.life.dead);
					const worker = living[x % Math.max(1, living.length)];
					if (worker !== undefined) this.strike(worker, blow, luckOf(x));
				}),
			);
	}

	private strike(worker: Worker, blow: Blow, luck: ReturnType<typeof luckOf>): void {
		const { h } = this;
		const name = this.workers.get(worker);
		const tell = (what: string): void => {
			this.count(`worker: ${blow}`);
			this.trace.push(`worker ${name}: ${what}`);
		};
		if (blow === "kill") {
			tell("is killed");
			worker.life.kill();
		} else if (blow === "drain") {
			tell("is drained");
			worker.drain();
		} else if (blow === "partition") {
			const lane = luck.some(worker.works);
			if (lane === undefined) return;
			const ms = luck.between(0, 10 * MINUTE);
			tell(`loses ${lane}, and notices it after ${ms / 1000} s`);
			worker.lose(lane, ms);
		} else {
			const ms = luck.between(1, 12 * MINUTE);
			tell(`is stopped for ${ms / 1000} s`);
			worker.life.stop();
			h.clock.after(ms, () => worker.life.goOn());
			if (ms > LEASE_MS)
				h.clock.after(LEASE_MS, () => {
					// What a dead one had, others have by now.
					for (const lane of worker.life.dead ? [] : worker.works) worker.lose(lane, ms - LEASE_MS + luck.between(0, 50));
				});
		}
	}

	private replaced(worker: Worker, life: number, nth: number, decideOf: (nth: number) => NextWorker["decide"]): NextWorker | null {
		if (worker.life.dead) {
			this.count("kills");
			this.trace.push(`worker ${this.workers.get(worker)} is dead ${worker.life.boundaries.at(-1) ?? ""}`);
		}
		// It has seen that nothing is left to do.
		else if (this.watchedStatus() !== "running") return null;
		if (this.workers.size >= MOST_REPLACED) return null;
		const luck = luckOf(mixed("next", life, nth));
		return {
			afterMs: luck.between(1_000, 10 * MINUTE),
			machine: luck.happens(0.6) ? "same" : "new",
			decide: decideOf(this.workers.size),
		};
	}

	private watchedStatus(): string {
		return this.h.store.log.at(-1)?.summary.status ?? "";
	}

	private failed(error: unknown, lane: string | null, good: boolean): void {
		const text = error instanceof Error ? error.message : String(error);
		this.count(lane === null ? "workers failed" : "lanes failed");
		this.trace.push(`${lane ?? "a worker"} fails: ${text}`);
		if (good) this.wrong.push(`I17 it failed without a fault: ${error instanceof Error ? error.stack : text}`);
	}

	/** I2: base has the work of each attempt that counts, and of no other. */
	private ofWork(): string[] {
		const { events, state } = this.watch;
		const merged = (state?.stories ?? []).filter(({ scope }) => scope.steps.some((s) => s.type === "merge" && s.status === "completed"));
		const found = new Set(Object.keys(this.h.site.show(state?.options.base ?? "main")).filter((path) => path.startsWith(WORK)));
		const ended = new Set(events.flatMap((event) => (isEnd(event) ? [nameOf(event)] : [])));
		const wrong = [...found].filter((path) => !ended.has(path)).map((path) => `I2 base has ${path}, and that attempt does not count`);
		for (const { id } of merged)
			for (const event of events)
				if (event.event === "step_completed" && event.scope === id && this.wrote.has(nameOf(event)) && !found.has(nameOf(event)))
					wrong.push(`I2 ${id} is merged without the work of ${event.step}, attempt ${event.attempt}`);
		return wrong;
	}
}

const nameOf = ({ scope, step, attempt }: { readonly scope: string; readonly step: string; readonly attempt: number }): string =>
	`${WORK}${scope}/${step}-${attempt}.txt`;

/** What a session has cost is recorded when its process says that it has ended, and that is refused if it does not count. */
type Ending = Extract<Event, { event: "usage_recorded" }>;
const isEnd = (event: Event): event is Ending => event.event === "usage_recorded";
