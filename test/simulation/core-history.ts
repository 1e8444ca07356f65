// Plays a scenario of the core layer: what happens to the run, turn by turn, then the healing. Once nothing goes wrong any more, the run has
// to end, or to wait for a person and say for what (I17).
import type { Definition } from "../../src/core/definition.ts";
import type { Input } from "../../src/core/input.ts";
import { turnOf } from "../../src/core/merge/queue.ts";
import type { RunState } from "../../src/core/model.ts";
import { findStep, isOver, nextWake, runningAttempts, typeOf } from "../../src/core/query.ts";
import { optionsOf, outcomeOf } from "../../src/core/testing/builders.suite.ts";
import { Run, RunConflict } from "../../src/engine/run.ts";
import { definitionOf } from "../../src/engine/testing/start.suite.ts";
import { MemoryDatabase } from "../../src/store/memory.suite.ts";
import { goodOutcome, someOutcome, Trees, type Work } from "./core-agents.ts";
import { helpfulPerson, somePerson } from "./core-persons.ts";
import { CoreProcess, isSameAttempt, type Job, RUN } from "./core-process.ts";
import type { CoreScenario, Turn } from "./core-scenario.ts";
import { JournalWatch } from "./journal-watch.ts";
import { type Luck, luckOf } from "./luck.ts";
import type { History } from "./report.ts";
import { randomWorkflow } from "./workflows.ts";

const HOUR = 3_600_000;
/** How many attempts and waits a run may take to come to its end once all goes well. */
const MOST_HEALING = 1_500;
const MOST_HELP = 12;
/** Fields that the readers of the built-in workflows would set. */
const FIELDS = {
	scheme: "W2R",
	max_iterations: "6",
	error_retries: "2",
	delay: "0",
	promise: "ALL DONE",
	start_iteration: "0",
	start_cursor: "0",
	start_queue: "",
};

const builtIn = new Map<string, Definition>();

async function definitionFor(workflow: number | string): Promise<Definition> {
	if (typeof workflow === "number") return randomWorkflow(workflow).definition;
	const known = builtIn.get(workflow) ?? { ...(await definitionOf(workflow, "")), prompts: {} };
	builtIn.set(workflow, known);
	return known;
}

export async function coreHistory(scenario: CoreScenario): Promise<History> {
	const world = new CoreWorld();
	try {
		await world.create(scenario);
		for (const turn of scenario.turns) {
			await world.turn(turn);
			if (world.isWrong) break;
		}
		if (!world.isWrong) await world.heal();
	} catch (error) {
		world.wrong.push(`it threw: ${error instanceof Error ? error.stack : String(error)}`);
	}
	return world.history();
}

class CoreWorld {
	readonly wrong: string[] = [];
	private readonly database = new MemoryDatabase();
	private readonly watch = new JournalWatch();
	private readonly trees = new Trees();
	private readonly trace: string[] = [];
	private readonly faults: Record<string, number> = {};
	/** Commits that the watch has seen. */
	private seen = 0;
	private byPerson = false;
	private process: CoreProcess | null = null;
	private at = Date.UTC(2026, 0, 2, 3, 4, 5);
	private readonly ended: Job[] = [];
	private steered: string[] = [];
	private turns = 0;

	get isWrong(): boolean {
		return this.wrong.length + this.watch.wrong.length > 0;
	}

	async create({ workflow, stories, agents, yes, budgets, maxWaitMs }: CoreScenario): Promise<void> {
		const definition = await definitionFor(workflow);
		const mode =
			Object.keys(definition.inputs).find((name) => definition.inputs[name]?.workspace === "worktree") ??
			Object.keys(definition.inputs)[0] ??
			"";
		const slots = Array.from({ length: agents + 1 }, (_, n) => n + 1);
		const options = optionsOf({ mode, agents, slots, base: "main", yes, budgets, maxWaitMs });
		const store = this.database.open();
		const plans = Object.values(definition.roles).some((role) => role.report.stories !== undefined);
		const takesStories = definition.steps.some((step) => definition.types[step.type]?.each !== undefined);
		await Run.create(
			{ store },
			{
				type: "create_run",
				at: this.at,
				id: RUN,
				title: "simulated",
				definition,
				options,
				input: {},
				fields: { ...FIELDS, ...definition.fields },
				stories: plans || !takesStories ? [] : stories,
			},
		);
		await store.close();
		this.note(`workflow ${workflow}, ${stories.length} stories, ${agents} agents${yes ? ", --yes" : ""}${JSON.stringify(budgets)}`);
		await this.open([]);
	}

	async turn({ deed, x }: Turn): Promise<void> {
		const luck = luckOf(x);
		this.turns++;
		this.at += luck.between(1, 120_000);
		await this.deed(deed, luck);
		this.check();
	}

	/** From now on all goes well, and a person helps where the run asks for one. */
	async heal(): Promise<void> {
		this.note("healing");
		this.database.fault = () => null;
		let help = 0;
		for (let n = 0; n < MOST_HEALING; n++) {
			this.at += 1000;
			const process = this.alive;
			await this.engine(() => process.readInbox(this.at), true);
			const state = this.state;
			if (state.status !== "running" || state.stopping !== null) {
				const inputs = state.stopping !== null && state.status === "running" ? [] : helpfulPerson(state, this.at, n);
				if (state.status !== "running" && (inputs.length === 0 || help++ > MOST_HELP)) break;
				for (const input of inputs) await this.feed(input, true);
			}
			if (typeof this.state.held === "string")
				await this.feed(
					{ type: "message", at: this.at, inbox: "run-folder", id: `go-on-${n}`, message: { text: "go on", hold: false } },
					true,
				);
			const [job] = this.alive.jobs;
			if (job !== undefined) await this.finish(job, null);
			else if (this.state.status === "running") await this.wait();
			this.check();
			if (this.isWrong) return;
			if (n === MOST_HEALING - 1) this.wrong.push(`I17 it does not come to an end: ${this.state.status} (${this.state.reason})`);
		}
		this.atTheEnd();
	}

	history(): History {
		const wrong = [...this.wrong, ...this.watch.wrong, ...(this.process?.wrong ?? [])];
		const events = this.watch.events.length;
		return {
			events,
			wrong,
			trace: this.trace,
			faults: this.faults,
			ended: this.watch.state?.status ?? "none",
			journal: () => JSON.stringify(this.watch.events),
		};
	}

	private get alive(): CoreProcess {
		if (this.process === null) throw new Error("no process drives the run");
		return this.process;
	}

	private get state(): RunState {
		return this.alive.state;
	}

	private async deed(deed: Turn["deed"], luck: Luck): Promise<void> {
		switch (deed) {
			case "begin":
			case "end": {
				const job = luck.some(this.alive.jobs);
				if (job === undefined) return this.wait();
				return deed === "begin" ? this.begin(job) : this.finish(job, luck);
			}
			case "late":
				return this.late(luck);
			case "person": {
				const input = somePerson(this.state, luck, this.at, this.turns);
				this.count(`person: ${input.type}`);
				this.note(`a person: ${said(input)}`);
				if (input.type === "steer") this.steered.push(input.text);
				await this.alive.store.post(RUN, input);
				return luck.happens(0.7) ? this.deed("inbox", luck) : undefined;
			}
			case "inbox":
				return this.engine(() => this.alive.readInbox(this.at), true);
			case "crash":
				this.count("crashes");
				this.note("the process is killed");
				return this.reopen(luck);
			case "refused":
			case "unanswered":
				this.count(deed === "refused" ? "commits refused" : "answers lost");
				this.note(deed === "refused" ? "the store refuses the next commit" : "the answer to the next commit is lost");
				this.database.fault = () => {
					this.database.fault = () => null;
					return deed === "refused" ? "fail" : "lose";
				};
				return;
			case "takeover":
				return this.takeOver(luck);
			case "clock": {
				const by = luck.between(-HOUR, HOUR);
				this.count("clock jumps");
				this.note(`the clock jumps by ${Math.round(by / 1000)} s`);
				this.at += by;
				return;
			}
			case "wait":
				return this.wait();
		}
	}

	private async begin(job: Job): Promise<void> {
		const { scope, step, attempt } = job;
		if (job.begun) return;
		job.begun = true;
		this.trees.begin(this.state, scope, `${step} ${attempt}`);
		await this.feed({ type: "attempt_prepared", at: this.at, scope, step, attempt, commit: `commit-${this.turns}`, log: null });
	}

	/** Ends an attempt; without luck as well as it can. */
	private async finish(job: Job, luck: Luck | null): Promise<void> {
		if (luck === null || luck.happens(0.9)) await this.begin(job);
		const process = this.alive;
		// The process may have died meanwhile, and the attempt with it.
		if (!process.jobs.includes(job)) return;
		process.take(job);
		this.ended.push(job);
		const { scope, step: id, attempt, role, seq, cancelled } = job;
		const step = findStep(this.state, scope, id);
		const type = step && typeOf(this.state, step);
		if (cancelled !== null && (luck === null || luck.happens(0.8))) {
			this.note(`${scope} ${id} attempt ${attempt} is ended: ${cancelled}`);
			return this.feed({ type: "attempt_cancelled", at: this.at, scope, step: id, attempt, reason: cancelled }, false, seq);
		}
		if (step === undefined || type === undefined)
			return this.feed({ type: "attempt_ended", at: this.at, scope, step: id, attempt, outcome: outcomeOf() }, false, seq);
		const work: Work = { state: this.state, scope, step, type, role, trees: this.trees, at: this.at };
		const outcome = luck === null ? goodOutcome(work) : someOutcome(work, luck);
		this.note(
			`${scope} ${id} (${step.type}, ${role}) attempt ${attempt} ends: ${outcome.signal}${outcome.edits ? ` with edits ${JSON.stringify(outcome.edits)}` : ""}`,
		);
		if (type.action === "merge") await this.stacks(job, luck);
		if (this.alive !== process) return;
		if (outcome.signal === "merged") {
			await this.feed({ type: "merge_announced", at: this.at, scope, step: id, attempt, commit: `merge-${scope}-${this.turns}` });
			if (this.alive !== process) return;
		}
		await this.feed({ type: "attempt_ended", at: this.at, scope, step: id, attempt, outcome }, false, seq);
	}

	/** A merge may have been checked ahead of its turn, on top of whatever stood in front of it at the time. */
	private async stacks({ scope, step, attempt }: Job, luck: Luck | null): Promise<void> {
		for (let n = luck?.between(0, 3) ?? 0; n > 0; n--) {
			const turn = turnOf(this.state, scope);
			const stands = luck?.happens(0.7) ?? true;
			const behind = turn.turn === "behind" ? { onto: turn.commit, behind: turn.story } : { onto: "base" };
			const of = { at: this.at, scope, step, attempt };
			await this.feed(
				stands
					? { type: "merge_stacked", ...of, commit: `stack-${scope}-${this.turns}-${n}`, ...behind }
					: { type: "merge_unstacked", ...of, reason: "by chance" },
			);
		}
	}

	/** What comes for an attempt that is over, or never was, changes nothing (I3). */
	private async late(luck: Luck): Promise<void> {
		const job = luck.some(this.ended) ?? { scope: "US-1", step: "step-001", attempt: 7 };
		const { scope, step, attempt } = job;
		if (runningAttempts(this.state).some((one) => isSameAttempt({ scope: one.scope, step: one.step.id, attempt: one.attempt.number }, job)))
			return;
		const at = this.at;
		// What is due anyway is not a consequence of the late result.
		await this.feed({ type: "advance", at });
		const before = this.comparable();
		const late: Input = luck.pick<Input>([
			{
				type: "attempt_ended",
				at,
				scope,
				step,
				attempt,
				outcome: outcomeOf({ changed: true, signal: luck.pick(["done", "merged", "agent_error"]) }),
			},
			{ type: "attempt_lost", at, scope, step, attempt },
			{ type: "attempt_cancelled", at, scope, step, attempt, reason: "late" },
			{ type: "attempt_prepared", at, scope, step, attempt, commit: "late", log: "late" },
			{ type: "merge_announced", at, scope, step, attempt, commit: "late" },
			{ type: "merge_stacked", at, scope, step, attempt, commit: "late", onto: "late" },
			{ type: "merge_unstacked", at, scope, step, attempt, reason: "late" },
			{ type: "remark", at, scope, step, attempt, text: "late" },
		]);
		this.count("late results");
		this.note(`${late.type} of ${scope} ${step} attempt ${attempt} comes late`);
		const process = this.alive;
		await this.feed(late);
		if (this.alive === process && this.comparable() !== before)
			this.wrong.push(`I3 ${late.type} of ${scope} ${step} attempt ${attempt} came late and changed the run`);
	}

	/** Another process takes the run over; what the first one still says is refused (I2). */
	private async takeOver(luck: Luck): Promise<void> {
		this.count("takeovers");
		this.note("another process takes the run over");
		const zombie = this.alive;
		this.database.expire(RUN);
		await this.open(luck.happens(0.5) ? ["advance"] : ["resume", "advance"]);
		const job = luck.some(zombie.jobs);
		const before = this.watch.events.length;
		const { scope, step, attempt } = job ?? { scope: "US-1", step: "step-001", attempt: 1 };
		await zombie.feed({ type: "attempt_ended", at: this.at, scope, step, attempt, outcome: outcomeOf() }).then(
			() => undefined,
			(error: unknown) =>
				error instanceof RunConflict || isOfStore(error) ? undefined : this.wrong.push(`I2 the first process fails with ${String(error)}`),
		);
		this.drain();
		if (this.watch.events.length !== before) this.wrong.push("I2 a process that lost the run still changed it");
		await zombie.die();
	}

	private async wait(): Promise<void> {
		const wake = nextWake(this.state);
		if (wake !== null) this.at = Math.max(this.at, wake);
		await this.feed({ type: "advance", at: this.at });
	}

	private async reopen(luck: Luck): Promise<void> {
		const state = this.process?.state;
		await this.process?.die();
		const again = await this.open(luck.happens(0.2) ? ["advance"] : ["resume", "advance"]);
		// Killed again while it recovers (I18).
		if (again && luck.happens(0.15)) await this.reopen(luck);
		if (state !== undefined && this.state.version < state.version)
			this.wrong.push(`I1 version ${state.version} was answered, and now it is ${this.state.version}`);
	}

	/** A new process: its state is that of the journal, whatever the one before it believed. */
	private async open(first: readonly ("resume" | "advance")[]): Promise<boolean> {
		this.drain();
		const process = await CoreProcess.open(this.database, this.trees);
		if (process === null) throw new Error("the run is held by a process that is dead");
		this.process = process;
		if (this.comparable() !== JSON.stringify(comparableOf(this.watch.state)))
			this.wrong.push("I4 the state of a new process is not that of the journal");
		const here = (): boolean => this.process === process;
		await this.engine(() => process.recover(this.at));
		for (const type of first) if (here()) await this.feed({ type, at: this.at }, type === "resume");
		if (here()) await this.engine(() => process.readInbox(this.at), true);
		if (here() && first.length === 0) await this.feed({ type: "advance", at: this.at });
		return true;
	}

	private feed(input: Input, byPerson = false, seq?: number): Promise<void> {
		const process = this.alive;
		return this.engine(() => process.feed(input, seq === undefined ? {} : { done: [seq] }), byPerson);
	}

	/** Work of the process that drives the run. A store that fails ends that process; the next one goes on. */
	private async engine(work: () => Promise<void>, byPerson = false): Promise<void> {
		this.byPerson = byPerson;
		const process = this.alive;
		try {
			await work();
			this.drain();
			await this.lookForMerges(process);
		} catch (error) {
			if (!isOfStore(error)) throw error;
			this.drain();
			if (this.process === process) await this.reopen(luckOf(this.turns));
		} finally {
			this.byPerson = false;
		}
	}

	private async lookForMerges(process: CoreProcess): Promise<void> {
		for (const { seq, effect } of process.sought.splice(0)) {
			if (effect.effect !== "look_for_merges") continue;
			await process.feed({ type: "merges_looked_for", at: this.at, missing: [] }, { done: [seq] });
			this.drain();
		}
	}

	private drain(): void {
		for (const commit of this.database.log.slice(this.seen)) this.watch.take(commit.events, this.byPerson);
		this.seen = this.database.log.length;
	}

	/** After every turn: each attempt that the journal has as running is somebody's work, and a run that runs has something to wait for. */
	private check(): void {
		const { state, jobs } = this.alive;
		for (const { scope, step, attempt } of runningAttempts(state))
			if (!jobs.some((job) => isSameAttempt(job, { scope, step: step.id, attempt: attempt.number })))
				this.wrong.push(`I17 ${scope} ${step.id} attempt ${attempt.number} runs, and nobody works on it`);
		const idle = runningAttempts(state).length === 0 && nextWake(state) === null && !state.sought && typeof state.held !== "string";
		if (state.status === "running" && idle) this.wrong.push("I17 the run runs, and nothing in it does");
	}

	private atTheEnd(): void {
		const { state } = this;
		for (const text of this.steered) {
			const times = this.watch.events.filter((event) => event.event === "run_steered" && event.text === text).length;
			if (times !== 1) this.wrong.push(`I1 a person said "${text}" once, and the journal has it ${times} times`);
		}
		if (state.status === "completed" && this.trees.of(state, "@run").red && (state.root.accepted ?? []).length === 0)
			this.wrong.push("I21 the run completed, and the user's checks fail on what it delivered");
		if (!isOver(state.status) && !state.reason) this.wrong.push(`I17 the run is ${state.status} and does not say why`);
	}

	private comparable(): string {
		return JSON.stringify(comparableOf(this.state));
	}

	private note(text: string): void {
		this.trace.push(text);
	}

	private count(what: string): void {
		this.faults[what] = (this.faults[what] ?? 0) + 1;
	}
}

/** Without the definition, which never changes, and without what only says how far the journal is. */
const comparableOf = (state: RunState | null): unknown => (state === null ? null : { ...state, definition: null, version: 0, busy: null });

/** The store in memory was told to fail. */
const isOfStore = (error: unknown): boolean => error instanceof Error && /^the store did not/.test(error.message);

function said(input: Input): string {
	const { at: _, ...rest } = input;
	return JSON.stringify(rest);
}
