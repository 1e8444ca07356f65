// Plays a scenario of the engine layer: processes with faults, one after the other, then the healing. When nothing goes wrong any more, the run
// comes to its end, or waits for a person and says for what (I17).
import type { Input } from "../../src/core/input.ts";
import type { RunState } from "../../src/core/model.ts";
import { isOver, workspaceOf } from "../../src/core/query.ts";
import { type Ended, Harness } from "../../src/engine/testing/harness.suite.ts";
import { violations } from "../../src/engine/testing/invariants.suite.ts";
import type { Decide } from "../../src/engine/testing/life.suite.ts";
import { WorkspaceError } from "../../src/workspace.ts";
import { helpfulPerson, SOMEBODY } from "./core-persons.ts";
import { typed, typedBySession } from "./engine-application.ts";
import { act, nobody, tidy } from "./engine-persons.ts";
import { type Act, BAD_LIVES, type EngineScenario } from "./engine-scenario.ts";
import { MINE, RED, type Telling, worldOf } from "./engine-world.ts";
import { JournalWatch } from "./journal-watch.ts";
import { luckOf } from "./luck.ts";
import type { History } from "./report.ts";

const GOOD_LIVES = 12;
/** Operations that a full disk or a bug can hit. */
const MAY_FAIL = /^before (claim|reopen|commit work|rollback|stack|merge|release)$/;

export const engineHistory = (scenario: EngineScenario): Promise<History> => historyIn(new EngineWorld(scenario));

export async function historyIn(world: EngineWorld): Promise<History> {
	try {
		await world.play();
	} catch (error) {
		world.wrong.push(`it threw: ${error instanceof Error ? error.stack : String(error)}`);
	}
	return world.end();
}

export class EngineWorld {
	readonly wrong: string[] = [];
	protected readonly h: Harness;
	protected readonly trace: string[] = [];
	protected readonly watch = new JournalWatch();
	private readonly scenario: EngineScenario;
	private readonly persons = nobody();
	private readonly faults: Record<string, number> = {};
	protected readonly telling: Telling = {
		sessions: 0,
		checks: 0,
		healed: false,
		takes: (ms: number, signal: AbortSignal) =>
			new Promise<void>((ended) => {
				this.h.clock.after(ms, ended);
				signal.addEventListener("abort", () => ended());
			}),
		note: (text: string) => void this.trace.push(text),
		count: (what: string) => this.count(what),
		definition: () => this.watch.state?.definition ?? null,
		decides: async (x: number) => void this.wrong.push(...(await typedBySession(this.h, x, this.isShared))),
	};
	/** Machines share the run. */
	protected readonly isShared: boolean = false;
	private seen = 0;
	private asked = 0;

	constructor(scenario: EngineScenario) {
		this.scenario = scenario;
		this.h = new Harness(worldOf(scenario, this.telling));
	}

	async play(): Promise<void> {
		const { h, scenario } = this;
		const { workflow, pulled, agents, stories } = scenario;
		this.trace.push(`workflow ${workflow}, ${stories.length} stories, ${agents} agents${pulled ? ", agents fetch their steps" : ""}`);
		h.store.fault = () => this.commitFault();
		await this.created();
		this.drain();
		for (let life = 0; life < BAD_LIVES + GOOD_LIVES && this.wrong.length === 0; life++) {
			if (life === BAD_LIVES || (life < BAD_LIVES && !this.isLeft(life))) {
				life = Math.max(life, BAD_LIVES);
				this.heal();
			}
			const good = life >= BAD_LIVES;
			const before = await h.state();
			const first = life === 0 ? undefined : this.said(before, life, good);
			if (first === null) break;
			if (!good) await this.plan(life);
			const ended = await this.live(first, life, good);
			await this.after(ended, life, good);
			const state = await h.state();
			if (good && ended.how === "halted" && (state.status === "completed" || (isOver(state.status) && life > BAD_LIVES + 3))) break;
		}
		await this.atTheEnd();
	}

	end(): History {
		this.drain();
		const wrong = [...this.wrong, ...this.watch.wrong];
		const { events, state } = this.watch;
		const { folder } = this.h;
		// Prompts name the folder, so their hashes differ.
		const journal = (): string => JSON.stringify(events, (key, value) => (key === "prompt" ? undefined : value)).replaceAll(folder, "");
		this.h.remove();
		return { events: events.length, wrong, trace: this.trace, faults: this.faults, ended: state?.status ?? "none", journal };
	}

	/** The first commits may fail too; a person then types the command again. */
	protected async created(): Promise<void> {
		for (let n = 0; ; n++) {
			try {
				return await this.h.create();
			} catch (error) {
				if (n > 5 || !/^the store did not/.test(error instanceof Error ? error.message : "")) throw error;
				if ((await this.h.events()).length > 0) return;
			}
		}
	}

	protected live(first: readonly Input[] | undefined, life: number, good: boolean): Promise<Ended> {
		const { h } = this;
		const decide = good ? undefined : this.decide(life);
		if (!this.scenario.pulled) return h.drive(decide, first);
		const posted = (first ?? []).reduce<Promise<void>>((before, input) => before.then(() => h.post(input)), Promise.resolve());
		return posted.then(() => h.pull(decide));
	}

	private async after(ended: Ended, life: number, good: boolean): Promise<void> {
		this.drain();
		if (ended.how === "killed") {
			this.count("kills");
			this.trace.push(`process ${life} is killed ${ended.at}`);
		}
		if (ended.how === "failed") {
			this.count("failures of the engine");
			this.trace.push(`process ${life} fails: ${ended.error instanceof Error ? ended.error.message : ended.error}`);
			if (good) this.wrong.push(`I17 it failed without a fault: ${ended.error instanceof Error ? ended.error.stack : ended.error}`);
		}
		if (ended.how === "halted") {
			this.trace.push(`process ${life} halts: ${ended.state.status} (${ended.state.reason})`);
			// A step that nobody has fetched when the run ends stays on the list until the next agent asks.
			const found = (await this.violations()).filter((text) => !(this.scenario.pulled && /effects were never settled$/.test(text)));
			this.wrong.push(...found.map((text) => `I7 after process ${life}: ${text}`));
			if (JSON.stringify(comparable(ended.state)) !== JSON.stringify(comparable(this.watch.state)))
				this.wrong.push("I4 the state of the engine is not that of the journal");
		}
	}

	protected violations(): Promise<string[]> {
		return violations(this.h);
	}

	/** What a person asks while processes drive the run. */
	protected ask(input: Input): Promise<void> {
		return this.h.post(input);
	}

	protected heal(): void {
		if (this.telling.healed) return;
		this.trace.push("healing");
		this.telling.healed = true;
		this.h.store.fault = () => null;
		tidy(this.h, this.persons);
	}

	/** Whether anything of the scenario is still to come in this life or a later one. */
	protected isLeft(life: number): boolean {
		const { faults, persons, clocks, sessions } = this.scenario;
		return (
			[...faults, ...persons, ...clocks].some((one) => one.life >= life) ||
			sessions.some((one) => one.nth >= this.telling.sessions && life < 3)
		);
	}

	/** What a person says before a process begins; null if there is nothing left to do. */
	private said(state: RunState, life: number, good: boolean): readonly Input[] | null {
		const at = this.h.clock.now();
		const resume: Input = { type: "resume", at, by: SOMEBODY };
		const advance: Input = { type: "advance", at };
		if (!good) return [resume, advance];
		if (state.status === "completed" || state.status === "cancelled" || state.status === "refused") return [advance];
		const failed = state.status === "failed" || state.stories.some((story) => story.status === "failed");
		const retry: Input[] = failed && this.asked++ < 4 ? [{ type: "retry_story", at, by: SOMEBODY, id: `help-${life}`, story: null }] : [];
		return [...helpfulPerson(state, at, life), ...retry, resume, advance];
	}

	/** Persons and clocks of this life. */
	private async plan(life: number): Promise<void> {
		for (const { after, act: what, x, before } of this.scenario.persons.filter((one) => one.life === life)) {
			if (before) {
				await this.typed(what, x);
				continue;
			}
			this.h.clock.after(after, () => {
				if (this.telling.healed) return;
				this.count(`person: ${what}`);
				this.trace.push(`a person: ${what}`);
				void act(this.h, this.persons, what, x, (input) => this.ask(input));
			});
		}
		for (const { after, by } of this.scenario.clocks.filter((one) => one.life === life))
			this.h.clock.after(after, () => {
				this.count("clock jumps");
				this.trace.push(`the clock jumps by ${by / 1000} s`);
				this.h.clock.jump(by);
			});
	}

	/** While no process drives the run, a command decides by itself. */
	private async typed(what: Act, x: number): Promise<void> {
		const text = `typed ${x}`;
		try {
			const counted = await typed(this.h, what, x, text, this.isShared);
			this.trace.push(`a person types ${what}: ${counted ? "taken" : "refused"}`);
			this.count(`command: ${counted ? "taken" : "refused"}`);
			if (counted && what === "steer") this.persons.said.push(text);
		} catch (error) {
			if (!/^the store did not/.test(error instanceof Error ? error.message : "")) throw error;
		}
		this.drain();
	}

	/** `isMine`: which of the faults of this life happen to a process. */
	protected decide(life: number, isMine: (fault: EngineScenario["faults"][number]) => boolean = () => true): Decide {
		const mine = this.scenario.faults.filter((one) => one.life === life && isMine(one));
		let passed = 0;
		return (boundary) => {
			const at = passed++;
			const fault = mine.find((one) => one.at === at);
			if (fault === undefined) return "go";
			const { fate, x } = fault;
			if (fate === "die") return "die";
			if (!boundary.startsWith("before ")) return "go";
			this.trace.push(`${boundary}: ${fate}`);
			if (fate === "slow") return { wait: luckOf(x).between(1, 1_200_000) };
			if (!MAY_FAIL.test(boundary)) return "go";
			this.count(fate);
			return { fail: fate === "disk full" ? new WorkspaceError("the disk is full") : new Error("a bug") };
		};
	}

	private commitFault(): "fail" | "lose" | null {
		const nth = this.h.store.log.length;
		const fault = this.scenario.commits.find((one) => one.nth === nth && !this.used.has(one));
		if (fault === undefined) return null;
		this.used.add(fault);
		this.count(fault.how === "fail" ? "commits refused" : "answers lost");
		this.trace.push(fault.how === "fail" ? "the store refuses a commit" : "the answer to a commit is lost");
		return fault.how;
	}

	private readonly used = new Set<object>();

	private drain(): void {
		for (const { events, taken } of this.h.store.log.slice(this.seen))
			this.watch.take(events, taken.length > 0 || events.some((event) => "by" in event && typeof event.by === "object"));
		this.seen = this.h.store.log.length;
	}

	protected async atTheEnd(): Promise<void> {
		const { h, persons, scenario } = this;
		if (this.wrong.length > 0) return;
		const state = await h.state();
		const text = `${state.status} (${state.reason})`;
		// The built-in workflows have no step that a good session does not pass.
		const mustComplete = typeof scenario.workflow === "string" && state.definition.resume === "yes" && !this.isGivenUp(state);
		if (state.status === "running") this.wrong.push(`I17 it does not come to an end: ${text}`);
		else if (mustComplete && state.status !== "completed") this.wrong.push(`I17 all goes well, and it stays ${text}`);
		else if (state.status !== "completed" && !state.reason) this.wrong.push(`I17 it is ${state.status} and does not say why`);
		const tip = h.site.git.refs.get(`refs/heads/${state.options.base ?? "main"}`) ?? "";
		const base = h.site.git.ancestors(tip);
		const files = h.site.show(state.options.base ?? "main");
		for (const [n, commit] of persons.commits.entries())
			if (!base.has(commit) && files[`user-${n}.txt`] === undefined) this.wrong.push("I8 a commit of the user is gone from base");
		if (scenario.workflow === "dynamic" && h.site.user.files.read(MINE) !== "mine\n") this.wrong.push("I8 the user's own file was touched");
		for (const said of persons.said) {
			const times = this.watch.events.filter((event) => event.event === "run_steered" && event.text === said).length;
			if (times !== 1) this.wrong.push(`I1 a person said "${said}" once, and the journal has it ${times} times`);
		}
		const delivered = workspaceOf(state) === "branch" ? (state.branch ?? "main") : (state.options.base ?? "main");
		// A branch that nothing was put on is gone.
		const isThere = h.site.git.refs.has(`refs/heads/${delivered}`);
		if (state.status === "completed" && isThere && h.site.show(delivered)[RED] !== undefined)
			this.wrong.push("I21 the run completed, and the user's checks fail on what it delivered");
	}

	/** A person cancelled it, or a limit of the scenario is too small for a workflow that cannot be extended. */
	private isGivenUp(state: RunState): boolean {
		return state.status === "cancelled" || state.status === "refused" || state.aborting;
	}

	protected count(what: string): void {
		this.faults[what] = (this.faults[what] ?? 0) + 1;
	}
}

const comparable = (state: RunState | null): unknown => (state === null ? null : { ...state, definition: null });
