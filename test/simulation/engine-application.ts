// The application around a run of the engine layer: what a person types in another terminal goes through `src/runs`, over the store in memory.
// A session that types the same is refused, whatever it types (I23).
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import type { Input } from "../../src/core/input.ts";
import { RUN_SCOPE } from "../../src/core/model.ts";
import { localDispatch } from "../../src/dispatch/local.ts";
import type { Harness } from "../../src/engine/testing/harness.suite.ts";
import { MemoryRepository } from "../../src/engine/testing/memory-repository.suite.ts";
import { decide } from "../../src/runs/change/decide.ts";
import { extend } from "../../src/runs/change/extend.ts";
import { skip } from "../../src/runs/change/skip.ts";
import { steer } from "../../src/runs/change/steer.ts";
import type { RunsContext } from "../../src/runs/context.ts";
import { decideShared } from "../../src/runs/drive/shared-run.ts";
import { Refusal } from "../../src/runs/refusal.ts";
import { databaseOf } from "../../src/runs/repository.ts";
import type { SharedStore } from "../../src/store.ts";
import { services } from "../../src/wiring.ts";
import type { Repository } from "../../src/workspace.ts";
import type { Act } from "./engine-scenario.ts";
import { type Luck, luckOf } from "./luck.ts";

type Command = (c: RunsContext) => Promise<unknown>;

/** Commands that decide about a run. */
function commands(
	h: Harness,
	luck: Luck,
	stories: readonly string[],
	text: string,
): Readonly<Partial<Record<Act, Command>>> & { readonly approve: Command } {
	const run = h.run;
	return {
		steer: (c) => steer(c, run, text),
		extend: (c) => extend(c, run, { maxCost: luck.between(5, 60) }),
		skip: (c) => skip(c, { run, story: luck.some(stories) ?? "run", step: `step-00${luck.between(1, 9)}`, reason: "not needed" }),
		approve: (c) => decide(c, { run, step: undefined, verdict: luck.pick(["approve", "reject"]), reason: "because" }),
	};
}

/** A person types a command while no process drives the run. Whether it counted. */
export async function typed(h: Harness, act: Act, x: number, text: string, shared = false): Promise<boolean> {
	const luck = luckOf(x);
	const command = commands(h, luck, await storiesOf(h), text)[act] ?? commands(h, luck, [], text).approve;
	try {
		await command(contextOf(h, [], shared));
		return true;
	} catch (error) {
		if (error instanceof Refusal) return false;
		throw error;
	}
}

/** A session types every command that decides. What was not refused, or changed something all the same. */
export async function typedBySession(h: Harness, x: number, shared = false): Promise<string[]> {
	const wrong: string[] = [];
	for (const [name, command] of Object.entries(commands(h, luckOf(x), await storiesOf(h), "by a session"))) {
		const commits = h.store.log.length;
		const error: unknown = await command(contextOf(h, [`${h.run}:${RUN_SCOPE}:step-001:1`], shared)).then(
			() => null,
			(reason: unknown) => reason,
		);
		if (!(error instanceof Refusal) || !/only a person/.test(error.message)) wrong.push(`I23 a session may ${name}: ${String(error)}`);
		if (h.store.log.slice(commits).some((commit) => commit.events.some((event) => "by" in event && typeof event.by === "object")))
			wrong.push(`I23 a session that typed ${name} changed the run`);
	}
	return wrong;
}

const storiesOf = async (h: Harness): Promise<string[]> => (await h.state()).stories.map((story) => story.id);

/** What a person asks of a run that machines share, by the code of every command with `--db`. A database that refuses is asked again. */
export async function askShared(h: Harness, input: Input): Promise<void> {
	const c = contextOf(h, [], true);
	const store = memoryShared(h);
	for (let n = 0; ; n++) {
		try {
			await decideShared(c, store, h.run, [{ ...input, at: h.clock.now() }]);
			return await store.close();
		} catch (error) {
			if (n > 5 || !/^the store did not/.test(error instanceof Error ? error.message : "")) throw error;
		}
	}
}

/** The store as several machines have it, as far as commands of persons use it. */
const memoryShared = (h: Harness): SharedStore => ({ ...h.store.open(h.clock.now), dueRuns: async () => [] }) as unknown as SharedStore;

/** A process in the repository; `marks` are those of the sessions that it was started in. `shared`: it names a database that machines share. */
function contextOf(h: Harness, marks: readonly string[], shared: boolean): RunsContext {
	const root = h.folder;
	// Whoever looks for runs looks for this file first.
	mkdirSync(dirname(databaseOf(root)), { recursive: true });
	writeFileSync(databaseOf(root), "");
	const made: Repository = new MemoryRepository(h.site);
	const repository = new Proxy(made, { get: (of, key) => (key === "root" ? root : Reflect.get(of, key, of)) });
	const open = () => h.store.open(h.clock.now);
	return {
		cwd: root,
		env: {},
		now: h.clock.now,
		warn: () => {},
		self: [],
		...(shared ? { db: "memory" } : {}),
		services: {
			...services,
			openRepository: async () => repository,
			openHistory: async () => repository,
			openStore: open,
			openReader: open,
			openShared: async () => memoryShared(h),
			openDispatch: async () => localDispatch(),
			lockFile: () => ({ release: () => {} }),
			caller: () => ({ user: "somebody", marks }),
			projections: () => () => [],
			changedByHand: async () => null,
		},
	};
}
