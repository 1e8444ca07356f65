// A whole run in this process: the real engine, formats and definitions over a store, a repository, agents, checks and a clock in
// memory. A run of hours takes milliseconds, and a test can kill its process between any two operations.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { TestContext } from "node:test";
import type { AgentOutcome } from "../../agent.ts";
import type { Definition } from "../../core/definition.ts";
import type { Event } from "../../core/event.ts";
import { fold } from "../../core/fold/apply.ts";
import type { Input } from "../../core/input.ts";
import type { RunState } from "../../core/model.ts";
import { findStep, nextWake } from "../../core/query.ts";
import { withPullRequest } from "../../definition/pull-request.ts";
import type { Forge } from "../../forge.ts";
import { changedRows } from "../../format/pipeline/rows.ts";
import type { Action } from "../../format.ts";
import { MemoryDatabase } from "../../store/memory.suite.ts";
import type { Rows, Store, Travelling } from "../../store.ts";
import { Engine } from "../engine.ts";
import type { Notice } from "../parts.ts";
import { Pull } from "../pull.ts";
import { Run } from "../run.ts";
import { type Cast, partOf, play, type Turn } from "./cast.suite.ts";
import { type Check, type Commands, partsOf, STORE } from "./engine-parts.suite.ts";
import { diskFiles, memoryFiles } from "./files.suite.ts";
import { type Decide, Life } from "./life.suite.ts";
import type { Checkout } from "./memory-checkout.suite.ts";
import { MemoryRepository } from "./memory-repository.suite.ts";
import { MemorySite, type SiteOptions } from "./memory-site.suite.ts";
import { createInput, definitionOf, type Start } from "./start.suite.ts";
import { Left, turnOf } from "./turn.suite.ts";
import { settled, VirtualClock } from "./virtual-clock.suite.ts";

/** Where runs are. All processes of a test have the same one; each handle stands for one of them. */
export interface HarnessDatabase extends Pick<MemoryDatabase, "fault" | "log"> {
	open(now?: () => number): Store & Travelling;
	/** A lease ends while its holder lives on. */
	expire(run: string, scope?: string): void | Promise<void>;
}

export interface HarnessOptions extends Start {
	readonly cast: Cast;
	/** Another agent, which stands in while the first is at a limit. */
	readonly standIn?: Cast;
	/** Files of the repository before the run. */
	readonly files?: Readonly<Record<string, string>>;
	readonly remotes?: SiteOptions["remotes"];
	/** Where pull requests can be opened. */
	readonly forges?: readonly Forge[];
	/** `disk`: checkouts in a real temporary folder, for workflows whose code opens files of the checkout itself. */
	readonly checkouts?: "memory" | "disk";
	/** The repository's own checks, by name. */
	readonly checks?: Readonly<Record<string, Check>>;
	/** Whatever else is run in a shell. */
	readonly commands?: Commands;
	/** Actions in the place of the real ones. */
	readonly actions?: Readonly<Record<string, Action>>;
	/** Agents fetch the steps, instead of being started. */
	readonly pulled?: boolean;
	/** In memory by default. */
	readonly database?: HarnessDatabase;
	/** Another run of the same repository, in the same database. */
	readonly beside?: Harness;
	/** Several machines share the run; `shared.suite.ts` drives it. */
	readonly shared?: boolean;
	/** Values of the environment that must not get into the journal. */
	readonly secrets?: readonly string[];
	/** The most that is kept of what an agent brings that pawl did not start. */
	readonly logMax?: number;
	/** The environment that every session begins with. */
	readonly env?: Readonly<Record<string, string>>;
	/** Before anything is created: what a person has in the repository. */
	readonly user?: (site: MemorySite) => void;
}

export interface Prompted extends Pick<Turn, "story" | "step" | "type" | "role" | "attempt" | "session"> {
	readonly prompt: string;
	readonly at: number;
}

/** How a process that drove the run came to its end. */
export type Ended =
	| { readonly how: "halted"; readonly state: RunState; readonly life: Life }
	| { readonly how: "killed"; readonly at: string; readonly life: Life }
	| { readonly how: "failed"; readonly error: unknown; readonly life: Life };

interface Answer {
	readonly token: string;
	readonly said: AgentOutcome;
}

const LEASE_MS = 60_000;
const MOST_PULLS = 2_000;

let base: string | null = null;

/** The folder of all harnesses of this process. A life that was killed may still be writing when its harness is removed, and makes the folder again: what is left goes
 * when the process ends. */
function baseOfAll(): string {
	if (base !== null) return base;
	const made = realpathSync(mkdtempSync(join(tmpdir(), "pawl-harness-")));
	process.once("exit", () => rmSync(made, { recursive: true, force: true }));
	base = made;
	return made;
}

export class Harness {
	readonly clock: VirtualClock;
	readonly store: HarnessDatabase;
	readonly run: string;
	readonly options: HarnessOptions;
	readonly site: MemorySite;
	/** Other machines that work on the run. */
	readonly machines: MemorySite[];
	/** A real temporary folder that holds all files of the test. */
	readonly folder: string;
	readonly sharedDir: string;
	readonly prompts: Prompted[] = [];
	readonly warnings: string[] = [];
	/** The marks of the attempts whose processes were ended. */
	readonly swept: string[] = [];
	readonly notices: Notice[] = [];
	/** `CHECK TREE` of every check that passed. */
	readonly proved = new Set<string>();
	/** How often a part was played. */
	readonly played = new Map<string, number>();
	private readonly handle: Store;
	private driven = 0;
	/** The answer of an agent that pawl did not start, until pawl has taken it. */
	private answer: Answer | null = null;

	constructor(options: HarnessOptions) {
		this.options = options;
		const { beside } = options;
		this.clock = beside?.clock ?? new VirtualClock();
		this.store = beside?.store ?? options.database ?? new MemoryDatabase();
		this.run = beside === undefined ? "run-1" : "run-2";
		this.machines = beside?.machines ?? [];
		this.folder = mkdtempSync(join(baseOfAll(), "h-"));
		this.sharedDir = join(this.folder, "shared");
		const onDisk = options.checkouts === "disk";
		const { files = {}, remotes = [] } = options;
		const place = onDisk ? { root: join(this.folder, "project"), makeFiles: diskFiles } : { makeFiles: memoryFiles };
		this.site = beside?.site ?? new MemorySite({ files, remotes, ...place });
		this.site.diffs.onSave = (file, text) => {
			mkdirSync(dirname(file), { recursive: true });
			writeFileSync(file, text);
		};
		this.site.diffs.onMissing = (file) => (existsSync(file) ? readFileSync(file, "utf8") : undefined);
		this.handle = this.store.open(this.clock.now);
	}

	/** Every machine that has the repository, the person's first. */
	get sites(): readonly MemorySite[] {
		return [this.site, ...this.machines];
	}

	/** By its path, which is what an agent knows, on whichever machine. */
	checkoutAt(path: string): Checkout {
		return (this.machines.find(({ root }) => path === root || path.startsWith(`${root}/`)) ?? this.site).at(path);
	}

	remove(): void {
		rmSync(this.folder, { recursive: true, force: true });
	}

	/** What `pawl run` begins with: the first input of the run, and what stays out of git. */
	async begin(): Promise<Awaited<ReturnType<typeof createInput>> & { readonly definition: Definition }> {
		const loaded = await definitionOf(this.options.workflow, this.folder);
		this.options.user?.(this.site);
		const definition = this.options.pr === undefined ? loaded : this.onItsOwnBranch(loaded);
		const names = Object.keys(this.options.checks ?? {});
		const first = await createInput(this.options, definition, {
			run: this.run,
			at: this.clock.now(),
			root: this.site.root,
			folder: this.folder,
			sharedDir: this.sharedDir,
			startCommit: this.site.user.commit ?? "",
			checks: Object.fromEntries(names.map((name) => [name, name])),
			pull: this.options.pulled ?? false,
		});
		return { ...first, definition };
	}

	/** As `--pr` wants it: the workflow ends in a pull request, from a branch that is made for the run. */
	private onItsOwnBranch(loaded: Definition): Definition {
		const definition = withPullRequest(loaded);
		if ("problem" in definition) throw new Error(definition.problem);
		const workspace = definition.inputs[this.options.mode ?? Object.keys(definition.inputs)[0] ?? ""]?.workspace;
		const branch = `pawl/${this.run}`;
		if (workspace === "tree") this.site.switchTo(branch);
		if (workspace === "worktree") this.site.git.refs.set(`refs/heads/${branch}`, this.site.user.commit ?? "");
		return definition;
	}

	/** The run's first commit, as `pawl run` makes it. */
	async create(): Promise<void> {
		const { input, exclude, definition } = await this.begin();
		const repository = new MemoryRepository(this.site);
		await repository.exclude(exclude);
		const progress = this.progressFile(definition);
		const whole = progress === null ? input : { ...input, input: { ...input.input, progress_file: progress } };
		if (this.options.shared) for (const n of [0, 1]) this.machines.push(this.site.machine(`/memory/machine-${n}`, "main"));
		const { run } = await Run.create({ store: this.handle, rows: this.rows, secrets: this.secrets }, whole);
		if (this.options.pulled) await run.feed({ type: "advance", at: this.clock.now() });
	}

	/** For a run that processes share: decides what starts first. */
	advance(): Promise<void> {
		return this.ask({ type: "advance", at: this.clock.now() });
	}

	/** For a run that processes share: what a person asks for, from wherever. */
	async ask(input: Input): Promise<void> {
		const opened = await Run.share({ store: this.handle, rows: this.rows, secrets: this.secrets }, this.run);
		await opened?.run.feed(input);
	}

	/** One process that drives the run until it halts, is killed or fails. The first one starts it, later ones resume it. */
	async drive(decide?: Decide, first?: readonly Input[]): Promise<Ended> {
		const at = this.clock.now();
		const usual: readonly Input[] = [...(this.driven++ === 0 ? [] : [{ type: "resume", at } as const]), { type: "advance", at }];
		return this.live(decide, async (life, repository, store) => {
			const lease = await store.lease(this.run, "@run", LEASE_MS);
			const opened = await Run.open({ store, rows: this.rows, secrets: this.secrets, crashPoint: life.point }, this.run, lease);
			if (lease === null || opened === null) throw new Error("the run is held by another process, or there is none");
			const state = await new Engine(partsOf(this, life, repository), opened).run(first ?? usual);
			await lease.release();
			return state;
		});
	}

	/** Agents that fetch steps, one after the other, until there are none left or the process is killed. That process is the one
	 * that an agent calls to claim or to complete: the agent itself lives on, and hands its answer to the next process. */
	async pull(decide?: Decide): Promise<Ended> {
		return this.live(decide, async (life, repository, store) => {
			const roles = Object.keys((await this.state()).definition.roles);
			for (let n = 0; n < MOST_PULLS; n++) {
				this.answer ??= await this.claimAndPlay(life, repository, store, roles);
				const found = this.answer !== null;
				if (this.answer !== null) await this.complete(life, repository, store, this.answer);
				this.answer = null;
				const state = await this.state();
				if (state.status !== "running") return state;
				if (found) continue;
				const until = [nextWake(state), ...(await store.claims(this.run)).map((claim) => claim.expiresAt)].filter((at) => at !== null);
				if (until.length === 0) throw new Error("nobody finds any work, and the run is not over");
				await new Promise<void>((later) => life.clock.after(Math.min(...until) - this.clock.now(), later));
			}
			throw new Error(`the run is not over after ${MOST_PULLS} claims`);
		});
	}

	/** Starts it and resumes it after every kill, as the options say, until it halts. */
	async toHalt(...decisions: readonly (Decide | undefined)[]): Promise<RunState> {
		for (let n = 0; ; n++) {
			const ended = this.options.pulled ? await this.pull(decisions[n]) : await this.drive(decisions[n]);
			if (ended.how === "failed") throw ended.error;
			if (ended.how === "halted") return ended.state;
			if (n > decisions.length) throw new Error(`it was killed more often than planned, at ${ended.at}`);
		}
	}

	async events(): Promise<readonly Event[]> {
		return this.handle.events(this.run);
	}

	async state(): Promise<RunState> {
		const state = fold(await this.events());
		if (state === null) throw new Error("there is no run");
		return state;
	}

	/** Leaves an input for the process that drives the run, as another terminal would. */
	async post(input: Input): Promise<void> {
		await this.handle.post(this.run, input);
	}

	/** How many effects are committed and not marked as done. */
	async open(): Promise<number> {
		return (await this.handle.pending(this.run)).length;
	}

	get secrets(): readonly string[] {
		return this.options.secrets ?? [];
	}

	readonly rows = (before: RunState | null, after: RunState): Rows | null => changedRows(before, after) as Rows | null;

	private progressFile(definition: Definition): string | null {
		return definition.projections.includes("progress") ? join(this.sharedDir, "progress.txt") : null;
	}

	private async live(
		decide: Decide | undefined,
		work: (life: Life, repository: MemoryRepository, store: Store) => Promise<RunState>,
	): Promise<Ended> {
		const life = new Life(this.clock, decide);
		const repository = new MemoryRepository(this.site);
		const store = this.store.open(this.clock.now);
		const seen = life.wrap(store, STORE, ["watch"]);
		const ended = work(life, repository, seen).then(
			(state): Ended => ({ how: "halted", state, life }),
			(error: unknown): Ended => ({ how: "failed", error, life }),
		);
		const killed = life.killed.then((): Ended => ({ how: "killed", at: life.boundaries.at(-1) ?? "", life }));
		try {
			// Checked second: an engine that notices its death and fails still counts as killed.
			return await this.clock.runUntil(Promise.race([killed, ended.then((end) => (life.dead ? killed : end))]));
		} finally {
			life.kill();
			await settled();
			repository.die();
			await store.close();
		}
	}

	private async withPull<T>(life: Life, repository: MemoryRepository, store: Store, work: (pull: Pull) => Promise<T>): Promise<T> {
		const lease = await store.lease(this.run, "@run", LEASE_MS);
		const opened = await Run.open({ store, rows: this.rows, secrets: this.secrets, crashPoint: life.point }, this.run, lease);
		if (lease === null || opened === null) throw new Error("the run is held by another process, or there is none");
		const pull = new Pull(partsOf(this, life, repository), opened);
		try {
			return await work(pull);
		} finally {
			await pull.close();
			await lease.release();
		}
	}

	private async claimAndPlay(life: Life, repository: MemoryRepository, store: Store, roles: readonly string[]): Promise<Answer | null> {
		const claimed = await this.withPull(life, repository, store, async (pull) => {
			await pull.settle();
			for (const role of roles) {
				const claimed = await pull.claim(role, `token-${this.store.log.length}`, null);
				if (claimed !== null && claimed.agent !== role) throw new Error(`${role} asked for work and got a step of ${claimed.agent}`);
				if (claimed !== null) return claimed;
			}
			return null;
		});
		if (claimed === null) return null;
		const [, scope = "", step = "", attempt = ""] = claimed.stepId.split(":");
		const type = findStep(await this.state(), scope, step)?.type ?? "";
		const story = scope === "@run" ? "" : scope;
		const turn = turnOf(this, life, {
			...{ story, step, type, role: claimed.agent, attempt: Number(attempt) },
			prompt: claimed.input,
			cwd: claimed.workspace,
			signal: new AbortController().signal,
		});
		try {
			return { token: claimed.claim, said: await play(partOf(this.options.cast, turn), turn) };
		} catch (error) {
			if (error instanceof Left) return null;
			throw error;
		}
	}

	private async complete(life: Life, repository: MemoryRepository, store: Store, { token, said }: Answer): Promise<void> {
		await this.withPull(life, repository, store, async (pull) => {
			const claim = await store.claim(token);
			if (claim === null) throw new Error(`there is no claim ${token}`);
			await (said.result === "ok" ? pull.complete(claim, said.text) : pull.fail(claim, said.error ?? said.result));
		});
	}
}

/** For a test: made, created, and gone when the test ends. */
export async function harness(t: TestContext, options: HarnessOptions): Promise<Harness> {
	const made = new Harness(options);
	t.after(() => made.remove());
	await made.create();
	return made;
}
