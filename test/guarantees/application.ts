// The application around a path of the table, in this process: what `pawl run`, `pawl workflow run`, `pawl resume` and `pawl step claim`
// do before and around the engine, over a store and a repository in memory.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Agent } from "../../src/agent.ts";
import { loadConfig } from "../../src/config.ts";
import type { Definition } from "../../src/core/definition.ts";
import type { CheckResult } from "../../src/core/input.ts";
import { NO_AGENT } from "../../src/core/started-with.ts";
import { localDispatch } from "../../src/dispatch/local.ts";
import { type Cast, castAgent, partOf } from "../../src/engine/testing/cast.suite.ts";
import { Harness, type HarnessOptions } from "../../src/engine/testing/harness.suite.ts";
import { Life } from "../../src/engine/testing/life.suite.ts";
import { MemoryRepository } from "../../src/engine/testing/memory-repository.suite.ts";
import { turnOf } from "../../src/engine/testing/turn.suite.ts";
import type { RunsContext, Services } from "../../src/runs/context.ts";
import { type RunObserver, UNOBSERVED } from "../../src/runs/drive/observer.ts";
import { makePawlFolder } from "../../src/runs/repository.ts";
import type { Prepared } from "../../src/runs/start/prepare.ts";
import type { SharedStore } from "../../src/store.ts";
import { services } from "../../src/wiring.ts";
import type { Repository } from "../../src/workspace.ts";
import { databaseFor } from "./databases.ts";
import type { Driver, Path } from "./paths.ts";

export interface ApplicationOptions {
	readonly checks?: Readonly<Record<string, string>>;
	/** How a check comes out, wherever it runs. */
	readonly runCheck?: (name: string, cwd: string) => Pick<CheckResult, "exitCode" | "output">;
	/** What every process gets as its repository. */
	readonly repository?: (of: MemoryRepository) => Repository;
	/** What differs from the path's own run. */
	readonly run?: Partial<HarnessOptions>;
	/** Who plays the sessions; those of the path by default. */
	readonly cast?: Cast;
	/** The run is in a database that machines share: the commands of persons, with no worker there. */
	readonly shared?: boolean;
}

export class Application {
	readonly h: Harness;
	/** What the person was told, beside results. */
	readonly said: string[] = [];
	private readonly options: ApplicationOptions;

	constructor(path: Path, options: ApplicationOptions = {}) {
		// The application keeps links, locks and files of its own in the repository.
		this.h = new Harness({ ...path.options, ...options.run, checkouts: "disk" });
		this.options = options;
	}

	/** With the database that the driver's runs are in. A run that is not shared is never in PostgreSQL: whoever opens it waits for a lease that ended with its process. */
	static async of(path: Path, driver: Driver, options: ApplicationOptions = {}): Promise<Application> {
		const shared = driver === "shared";
		return new Application(path, { ...options, shared, run: { ...options.run, ...(shared ? await databaseFor(path, driver) : {}) } });
	}

	/** A process that a person starts in a checkout, by default the main one. */
	at(tree: string = this.h.site.root): RunsContext {
		const { now } = this.h.clock;
		const db = this.options.shared ? { db: "postgres://localhost/test" } : {};
		return { cwd: tree, env: {}, ...db, services: this.services(tree), now, warn: (text) => void this.said.push(text), self: [] };
	}

	/** What `pawl run` has found out before it begins anything. */
	async prepared(): Promise<Prepared> {
		const { input, exclude, definition } = await this.h.begin();
		makePawlFolder(this.h.site.root);
		// Whoever looks for runs looks for this file first.
		writeFileSync(join(this.h.site.root, ".pawl", "pawl.db"), "");
		const loaded = loadConfig(this.h.site.root);
		if (!loaded.ok) throw new Error("there is no configuration");
		return {
			...{ mode: input.options.mode, stories: input.stories, title: input.title, input: input.input, fields: input.fields },
			// The documents of which a person may have an unfinished run.
			source: ["prd", "task_doc"].filter((key) => input.input[key] !== undefined),
			...{ growing: null, deliveredBy: [], renewed: [], exclude, standing: null, own: [], begun: false, commands: {} },
			...{
				repository: this.repository(this.h.site.root),
				config: loaded.config,
				definition,
				base: input.options.base ?? "main",
				target: null,
			},
			...{
				agent: NO_AGENT,
				roles: {},
				steps: {},
				works: [],
				fallback: [],
				checks: { ...this.named(), ...this.options.checks },
				options: { yes: true },
				sandbox: null,
			},
		};
	}

	/** The checks of the path, which its command steps name. */
	private named(): Readonly<Record<string, string>> {
		return Object.fromEntries(Object.keys(this.h.options.checks ?? {}).map((name) => [name, "true"]));
	}

	remove(): void {
		this.h.remove();
	}

	private services(tree: string): Services {
		const { h, options } = this;
		const { runCheck: check = () => ({ exitCode: 0, output: "" }) } = options;
		return {
			...services,
			openRepository: async () => this.repository(tree),
			openHistory: async () => this.repository(tree),
			openStore: () => h.store.open(h.clock.now),
			openReader: () => h.store.open(h.clock.now),
			openShared: async () => sharedStore(h),
			openDispatch: async () => localDispatch(),
			lockFile: () => ({ release: () => {} }),
			caller: () => ({ user: "somebody", marks: [] }),
			makeAgent: async () => ({ agent: this.agent(), model: null }),
			actions: { ...services.actions, ...h.options.actions },
			runCheck: async (name, command, { cwd }) => ({ name, command, ...check(name, cwd) }),
		};
	}

	repository(tree: string = this.h.site.root): Repository {
		const made = new MemoryRepository(this.h.site);
		// A fresh worktree of a commit is a folder on disk: the checkout itself is as good as one.
		Object.assign(made, { fresh: (_: string, work: (path: string) => Promise<unknown>) => work(made.root) });
		const there = this.options.repository?.(made) ?? made;
		if (tree === this.h.site.root) return there;
		const own = new Proxy(made.tree(), { get: (of, key) => (key === "path" ? tree : Reflect.get(of, key, of)) });
		return new Proxy(there, { get: (of, key) => (key === "tree" ? () => own : key === "checkout" ? tree : Reflect.get(of, key, of)) });
	}

	private agent(): Agent {
		const life = new Life(this.h.clock);
		return castAgent("cast", ({ who, prompt, cwd, env }, signal) => {
			const turn = turnOf(this.h, life, { ...who, prompt, cwd, env, signal });
			return { part: partOf(this.options.cast ?? this.h.options.cast, turn), turn };
		});
	}
}

/** As far as commands of persons use it, also where the harness has its runs in memory. */
const sharedStore = ({ store, clock }: Harness): SharedStore =>
	({ workers: { list: async () => [] }, dueRuns: async () => [], ...store.open(clock.now) }) as unknown as SharedStore;

/** Starts or continues a run that machines share, and does not follow it. */
export const LEAVES: RunObserver = {
	...UNOBSERVED,
	onDriving: (driving) => {
		driving.leave?.();
		return UNOBSERVED.onDriving(driving);
	},
};

/** Whoever may come for a step of a workflow. */
export const agentsOf = ({ roles }: Definition): readonly string[] => Object.keys(roles);
