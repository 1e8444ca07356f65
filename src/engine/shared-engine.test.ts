// A run that several processes share: each lane is worked on by one of them at a time, whatever happens to the others.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { publishedCommit } from "../core/mark.ts";
import type { Action } from "../format.ts";
import { RemoteAway, WorkspaceError } from "../workspace.ts";
import { merge } from "./actions/merge.ts";
import { Occupants } from "./occupants.ts";
import type { EngineParts } from "./parts.ts";
import { RunConflict } from "./run.ts";
import { SharedEngine } from "./shared-engine.ts";
import { BUILT_IN } from "./testing/built-in.suite.ts";
import type { Part } from "./testing/cast.suite.ts";
import { partsOf } from "./testing/engine-parts.suite.ts";
import { type HarnessOptions, harness } from "./testing/harness.suite.ts";
import { violations } from "./testing/invariants.suite.ts";
import { type Decide, dieAt, Life } from "./testing/life.suite.ts";
import { MemoryRepository } from "./testing/memory-repository.suite.ts";
import { share, type Worker } from "./testing/shared.suite.ts";

const codes: Part = async ({ files, checkout, story, takes }) => {
	await takes(60_000);
	files.write(`${story}.txt`, `${story}\n`);
	checkout.commitAll(`work on ${story}`);
	return "## SUMMARY\n- it is done\n";
};

/** Who may write leaves a file with the name of the attempt, before it has ended. */
const leaves: Part = async ({ files, checkout, step, attempt, type, takes }) => {
	if (!/^(context_gathering|planning|architecture|test_architecture)$/.test(type)) {
		files.write(`work/${step}-${attempt}.txt`, "x\n");
		checkout.commitAll(`work on ${step}`);
	}
	await takes(60_000);
	return "## SUMMARY\n- done\n";
};

/** One place of so many is tried, as in crash.test.ts. */
const EVERY = Number(process.env["PAWL_EVERY"] ?? 3);
const STORIES = ["US-1", "US-2", "US-3", "US-4", "US-5", "US-6"];

const OPTIONS: HarnessOptions = {
	...BUILT_IN["dynamic"]!,
	stories: STORIES,
	options: { agents: 4 },
	cast: { coding: codes, "*": "## SUMMARY\n- done\n" },
};

const merged = (workers: readonly Worker[]): string[] => workers.flatMap(({ ended }) => ended.map(({ lane }) => lane));

describe("a run that processes share", () => {
	test("M2 M3 two processes work on its lanes side by side, and each story lands once", async (t) => {
		const h = await harness(t, OPTIONS);
		await h.advance();
		const { state, workers } = await share(h, [undefined, undefined]);
		assert.equal(state.status, "completed");
		assert.deepEqual(await violations(h), []);
		for (const { ended } of workers) assert.ok(ended.length > 1, "one of the two did nothing");
		assert.deepEqual([...new Set(merged(workers))].sort(), ["@run", ...STORIES]);
	});

	test("M3 a lane that has got something to do is told of by whoever committed it, and not by every process at every commit", async (t) => {
		const h = await harness(t, OPTIONS);
		await h.advance();
		const { state, workers } = await share(h, [undefined, undefined, undefined]);
		assert.equal(state.status, "completed");
		const told = workers.flatMap((worker) => worker.told);
		// Six stories begin, and wait for their turn to merge.
		assert.ok(told.length <= 3 * STORIES.length, `${told.length} times: ${told.join(" ")}`);
	});

	test("a run that is one lane is worked on by one process at a time", async (t) => {
		const h = await harness(t, BUILT_IN["feature-dev"]!);
		await h.advance();
		const { state, workers } = await share(h, [undefined, undefined]);
		assert.equal(state.status, "completed");
		assert.deepEqual(await violations(h), []);
		assert.deepEqual([...new Set(merged(workers))], ["@run"]);
	});

	test("I1 I2 a process that is killed anywhere leaves its lanes to the other one", async (t) => {
		const three = { ...OPTIONS, stories: STORIES.slice(0, 3), options: { agents: 3 } };
		const calm = await harness(t, three);
		await calm.advance();
		const { telling } = (await share(calm, [undefined, undefined])).workers[0]!.life;
		const wrong: string[] = [];
		const places = telling.filter((_, n) => n % EVERY === 0);
		for (const at of places) {
			const h = await harness(t, three);
			await h.advance();
			const { state } = await share(h, [dieAt(at), undefined]);
			const found = [...(await violations(h)), ...(state.status === "completed" ? [] : [`${state.status}: ${state.reason}`])];
			wrong.push(...found.map((text) => `killed at ${at}: ${text}`));
			h.remove();
		}
		assert.deepEqual(wrong, []);
		assert.ok(places.length > 10, `only ${places.length} places were found`);
	});

	test("M4 the journal names the commit that each attempt published, and only after it was published", async (t) => {
		const h = await harness(t, { ...OPTIONS, stories: STORIES.slice(0, 2) });
		await h.advance();
		const published: string[] = [];
		const publish: NonNullable<EngineParts["publish"]> = async ({ scope, step, attempt, workspace }) => {
			const { commit } = await workspace.point();
			assert.ok(!JSON.stringify(await h.events()).includes(`"published":"${commit}"`) || published.some((one) => one.endsWith(commit)));
			published.push(`${scope} ${step}-${attempt} ${commit}`);
			return commit;
		};
		const { state } = await share(h, [undefined, undefined], { parts: { publish } });
		assert.equal(state.status, "completed");
		for (const { id, scope } of state.stories) {
			const own = published.filter((one) => one.startsWith(`${id} `));
			assert.equal(
				own.length,
				scope.steps.filter(({ type, status }) => type !== "merge" && status === "completed").length,
				"an attempt each",
			);
			assert.equal(own.at(-1)?.split(" ")[2], publishedCommit(scope));
		}
	});

	test("M4 a shared repository that is away when an attempt has ended costs no session: its work is published when the repository is back", async (t) => {
		const h = await harness(t, { ...OPTIONS, stories: STORIES.slice(0, 2) });
		await h.advance();
		let back: number | null = null;
		const publish: NonNullable<EngineParts["publish"]> = async ({ workspace }) => {
			back ??= h.clock.now() + 60_000;
			if (h.clock.now() < back) throw new RemoteAway("the shared repository cannot be reached");
			return (await workspace.point()).commit;
		};
		const { state } = await share(h, [undefined, undefined], { parts: { publish } });
		assert.equal(state.status, "completed");
		const events = await h.events();
		assert.deepEqual(
			events.flatMap((e) => (e.event === "step_cancelled" || (e.event === "route_taken" && e.signal !== "done") ? [e.event] : [])),
			["route_taken", "route_taken"],
			"only the merges say something else than done",
		);
		for (const { scope } of state.stories) assert.deepEqual([...new Set(scope.steps.map(({ attempt }) => attempt))], [1]);
		const told = events.flatMap((e) => (e.event === "remarked" ? [e.text] : []));
		assert.ok(told.length > 0 && told.length <= 2, `each that waits says so once: ${told.join("\n")}`);
	});

	test("work that the shared repository refuses is a failure of its attempt, and of nothing else", async (t) => {
		const h = await harness(t, { ...OPTIONS, stories: STORIES.slice(0, 2) });
		await h.advance();
		const publish: NonNullable<EngineParts["publish"]> = async ({ scope, workspace }) => {
			if (scope === "US-1") throw new WorkspaceError("the server does not take it");
			return (await workspace.point()).commit;
		};
		const { state } = await share(h, [undefined, undefined], { parts: { publish } });
		assert.deepEqual(
			state.stories.map(({ status }) => status),
			["failed", "completed"],
		);
		assert.match(JSON.stringify((await h.events()).filter(({ event }) => event === "story_failed")), /the server does not take it/);
	});

	test("M4 whoever loses a lane while its work waits for the shared repository waits no longer", async (t) => {
		const h = await harness(t, { ...OPTIONS, stories: ["US-1"] });
		await h.advance();
		let waits = 0;
		let lost = false;
		const publish: NonNullable<EngineParts["publish"]> = async ({ workspace }) => {
			if (waits++ === 0) throw new RemoteAway("the shared repository cannot be reached");
			return (await workspace.point()).commit;
		};
		const onTick = (workers: readonly Worker[]): void => {
			if (waits !== 1 || lost) return;
			lost = true;
			for (const worker of workers) worker.lose("US-1");
		};
		const { state, workers } = await share(h, [undefined, undefined], { parts: { publish }, onTick });
		assert.equal(state.status, "completed");
		assert.ok(workers.some(({ ended }) => ended.some(({ how }) => how === "lost")));
		assert.deepEqual(await violations(h), []);
	});

	test("M4 what a merge that failed left on the story's branch is there for the machine that takes the story over", async (t) => {
		let merges = 0;
		let left = "";
		let travels = false;
		const failsOnce: Action = async (context) => {
			if (merges++ > 0) return merge(context);
			const machine = h.machines.find(({ checkouts }) => checkouts.some(({ path }) => path === context.workspace.path));
			const checkout = machine?.checkouts.find(({ path }) => path === context.workspace.path);
			checkout?.files.write("US-1.txt", "without what base no longer holds\n");
			checkout?.commitAll("the work on US-1, without what main no longer holds");
			left = checkout?.commit ?? "";
			return { signal: "conflict", error: "conflict with main in US-1.txt" };
		};
		const dies: Part = (turn) => {
			if (turn.nth > 1) return "## SUMMARY\n- resolved\n";
			travels = h.machines.every((machine) => machine.canHave(left));
			return turn.dies();
		};
		const h = await harness(t, {
			...OPTIONS,
			stories: ["US-1"],
			actions: { merge: failsOnce },
			cast: { ...OPTIONS.cast, rebase_resolve: dies },
		});
		await h.advance();
		const { state } = await share(h, [undefined, undefined], { machines: true });
		assert.ok(travels, "only one machine has it");
		assert.equal(state.status, "completed");
		assert.equal(h.site.show("main")["US-1.txt"], "without what base no longer holds\n");
		assert.deepEqual(await violations(h), []);
	});

	test("a story whose work is gone fails, and the run comes to its end", async (t) => {
		const dies: Part = (turn) => (turn.nth === 1 ? turn.dies() : "## SUMMARY\n- done\n");
		const h = await harness(t, { ...OPTIONS, stories: ["US-1"], cast: { ...OPTIONS.cast, linting: dies } });
		await h.advance();
		// It says so, and the repository has lost it since.
		const publish: NonNullable<EngineParts["publish"]> = async ({ workspace }) => (await workspace.point()).commit;
		const onEnded = () => ({ afterMs: 1_000, machine: "new" as const });
		const { state } = await share(h, [undefined], {
			machines: true,
			parts: { publish },
			onEnded: (_, nth) => (nth === 0 ? onEnded() : null),
		});
		const [one] = state.stories;
		assert.equal(one?.status, "failed");
		assert.match(
			JSON.stringify((await h.events()).filter(({ event }) => event === "story_failed")),
			/the work that the run goes on from is gone/,
		);
		assert.equal(state.status, "failed");
	});

	for (const [what, where] of [
		["starts", null],
		["is taken over", "coding"],
		["is merged", "final_review"],
	] as const)
		test(`M4 a story that ${what} waits while the shared repository is away`, async (t) => {
			let back = 0;
			const reach = (): void => {
				if (h.clock.now() < back) throw new RemoteAway("the shared repository cannot be reached");
			};
			const goesAway: Part = (turn) => {
				if (turn.nth === 1) back = h.clock.now() + 10 * 60_000;
				if (turn.nth === 1 && where === "coding") return turn.dies();
				return where === "coding" && typeof codes === "function" ? codes(turn) : "## SUMMARY\n- done\n";
			};
			const h = await harness(t, {
				...OPTIONS,
				stories: ["US-1"],
				cast: { ...OPTIONS.cast, ...(where === null ? {} : { [where]: goesAway }) },
			});
			await h.advance();
			if (where === null) back = h.clock.now() + 10 * 60_000;
			const { state } = await share(h, [undefined, undefined], { machines: true, reach });
			assert.equal(state.status, "completed");
			assert.ok(back > 0 && h.clock.now() >= back);
			assert.deepEqual(await violations(h), []);
		});

	test("a merge is not taken for lost because the shared repository is away", async (t) => {
		let back = 0;
		const reach = (): void => {
			if (h.clock.now() < back) throw new RemoteAway("the shared repository cannot be reached");
		};
		const goesAway: Action = async (context) => {
			const merged = await merge(context);
			back = h.clock.now() + 10 * 60_000;
			return merged;
		};
		const h = await harness(t, { ...OPTIONS, stories: ["US-1"], actions: { merge: goesAway } });
		await h.advance();
		const { state } = await share(h, [undefined, undefined], { machines: true, reach });
		assert.equal(state.status, "completed");
		assert.deepEqual(
			(await h.events()).flatMap((e) => (e.event === "merges_looked_for" ? e.missing : [])),
			[],
		);
		assert.ok(back > 0 && h.clock.now() >= back);
	});

	test("I2 a story that goes from machine to machine and back has the work of each step that counts, and no other", async (t) => {
		const h = await harness(t, { ...OPTIONS, stories: ["US-1"], cast: { "*": leaves } });
		await h.advance();
		let completed = 0;
		let lost = 0;
		const onTick = async (workers: readonly Worker[]): Promise<void> => {
			const now = (await h.events()).filter(({ event }) => event === "step_completed").length;
			if (now === completed) return;
			completed = now;
			// In the middle of the next step, whoever has it: the other one takes it.
			const holder = workers.find(({ works }) => works.includes("US-1"));
			if (holder !== undefined) lost++;
			holder?.lose("US-1");
		};
		const { state } = await share(h, [undefined, undefined], { machines: true, onTick });
		assert.equal(state.status, "completed");
		assert.ok(lost > 4, `it was lost ${lost} times`);
		const found = Object.keys(h.site.show("main")).filter((path) => path.startsWith("work/"));
		const counting = (await h.events()).flatMap((e) => (e.event === "step_completed" ? [`work/${e.step}-${e.attempt}.txt`] : []));
		// The first four only look, and the last is the merge.
		assert.deepEqual(found.sort(), counting.slice(4, -2).sort());
		assert.deepEqual(await violations(h), []);
	});

	test("I17 a process that lost a lane before it began with what is left there begins with it when it has the lane again", async (t) => {
		const h = await harness(t, { ...OPTIONS, stories: ["US-1"] });
		await h.advance();
		let losses = 0;
		const slow: Decide = (boundary) => (boundary === "before claim" ? { wait: 300 } : "go");
		const onTick = ([only]: readonly Worker[]): void => {
			if (losses++ === 0) only?.lose("US-1");
		};
		const { state } = await share(h, [slow], { onTick });
		assert.equal(state.status, "completed");
		assert.deepEqual(await violations(h), []);
	});

	test("M4 a process that lost a lane and goes on changes nothing there", async (t) => {
		const h = await harness(t, OPTIONS);
		await h.advance();
		let losses = 0;
		const onTick = ([first]: readonly Worker[]): void => {
			// A few times, whatever it works on.
			if (h.store.log.length % 7 === 0 && losses < 5) {
				losses++;
				for (const story of STORIES) first?.lose(story);
			}
		};
		const { state, workers } = await share(h, [undefined, undefined], { onTick });
		assert.equal(state.status, "completed");
		assert.deepEqual(await violations(h), []);
		assert.ok(
			workers[0]!.ended.some(({ how }) => how === "lost"),
			"no lane was lost",
		);
	});

	test("I2 a story does not get a worktree in which a session of the story before it still works, which another machine has finished since", async (t) => {
		let coding = false;
		const stale: Part = async ({ files, checkout, story, nth, takes }) => {
			const isFirst = story === "US-1" && nth === 1;
			coding ||= isFirst;
			// It is still at work when the next story is.
			await takes({ "US-1": isFirst ? 150_000 : 60_000 }[story] ?? 300_000);
			files.write(isFirst ? "late.txt" : `${story}.txt`, "x\n");
			if (!isFirst) checkout.commitAll(`work on ${story}`);
			return "## SUMMARY\n- done\n";
		};
		const h = await harness(t, {
			...OPTIONS,
			stories: ["US-1", "US-2"],
			options: { agents: 1 },
			cast: { coding: stale, "*": "## SUMMARY\n- done\n" },
		});
		await h.advance();
		let first: Worker | null = null;
		const onTick = (workers: readonly Worker[]): void => {
			const holders = workers.filter(({ works }) => works.includes("US-1"));
			if (first === null && coding) {
				const [stopped] = holders;
				first = stopped ?? null;
				// Its machine sleeps until the other one has finished the story, and it is told too late that the lane is not its own any more.
				stopped?.lose("US-1", 24 * 3_600_000);
				stopped?.life.stop();
				h.clock.after(100_000, () => stopped?.life.goOn());
			}
			// Then nobody else is there for the next story.
			holders.find((holder) => first !== null && holder !== first)?.drain();
		};
		const { state } = await share(h, [undefined, undefined], { machines: true, lanes: 3, lookMs: 10_000, onTick });
		assert.equal(state.status, "completed");
		assert.ok(first !== null);
		assert.deepEqual(
			Object.keys(h.site.show("main")).filter((path) => path === "late.txt" || path.startsWith("US-")),
			["US-1.txt", "US-2.txt"],
		);
		assert.deepEqual(await violations(h), []);
	});

	test("a lane that cannot be taken over ends the work on all lanes of this engine, which hears of nothing more", async (t) => {
		const h = await harness(t, { ...OPTIONS, stories: ["US-1"] });
		await h.advance();
		const store = h.store.open(h.clock.now);
		t.after(() => store.close());
		let watched = 0;
		const away: typeof store = {
			...store,
			files: () => Promise.reject(new Error("the database is away")),
			watch: (...of) => {
				const watch = store.watch(...of);
				watched++;
				return {
					close: () => {
						watched = 0;
						watch.close();
					},
				};
			},
		};
		const parts = () => ({ ...partsOf(h, new Life(h.clock, undefined), new MemoryRepository(h.site)), occupants: new Occupants() });
		const engine = await SharedEngine.open(parts, { store: away, rows: h.rows, secrets: h.secrets }, h.run);
		assert.ok(engine !== null);
		assert.equal(watched, 1);
		const lease = await store.lease(h.run, "US-1", 60_000);
		assert.ok(lease !== null);
		await assert.rejects(engine.work("US-1", lease, new AbortController().signal), /the database is away/);
		assert.equal(watched, 0);
		assert.equal(engine.failed, true);
		await engine.close();
	});

	test("M4 a process that finds another one in a lane while it takes it over leaves it, and goes on with its others", async (t) => {
		const h = await harness(t, { ...OPTIONS, stories: ["US-1"] });
		await h.advance();
		const store = h.store.open(h.clock.now);
		t.after(() => store.close());
		const parts = () => ({ ...partsOf(h, new Life(h.clock, undefined), new MemoryRepository(h.site)), occupants: new Occupants() });
		const conflict = new RunConflict(h.run);
		const taken: typeof store = { ...store, files: () => Promise.reject(conflict) };
		const engine = await SharedEngine.open(parts, { store: taken, rows: h.rows, secrets: h.secrets }, h.run);
		const lease = await store.lease(h.run, "US-1", 60_000);
		assert.ok(engine !== null && lease !== null);
		assert.equal(await engine.work("US-1", lease, new AbortController().signal), "lost");
		assert.equal(engine.failed, false);
		await engine.close();
	});
});
