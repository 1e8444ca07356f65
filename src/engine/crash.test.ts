// The process that drives a run is killed after each thing that it does to the world, and once more while it recovers. Whatever the
// place: each story lands once, nothing is left over, and the run comes to what it comes to undisturbed.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import type { RunState } from "../core/model.ts";
import { BUILT_IN } from "./testing/built-in.suite.ts";
import type { Part, Turn } from "./testing/cast.suite.ts";
import { Harness, type HarnessOptions, harness } from "./testing/harness.suite.ts";
import { violations } from "./testing/invariants.suite.ts";
import { dieAt, dieBy } from "./testing/life.suite.ts";

/** One place of so many is tried: all of them take a minute, and neighbours are much alike. PAWL_EVERY=1 tries all. */
const EVERY = Number(process.env["PAWL_EVERY"] ?? 7);

/** Records of a run folder tell of every attempt; of two stories that write one file, either may be merged first. */
const MAY_DIFFER = /^(ralph\/|shared\.txt$)/;

/** The user's own file, which nobody committed. */
const MINE = "notes of mine.txt";

async function resultOf(h: Harness): Promise<string> {
	const state = await h.state();
	const filesOf = (branch: string) =>
		Object.entries(h.site.show(branch))
			.filter(([path]) => !MAY_DIFFER.test(path))
			.sort();
	return JSON.stringify({
		status: state.status,
		stories: state.stories.map((story) => `${story.id} ${story.status}`),
		branches: h.site.branches().map((branch) => [branch, filesOf(branch)]),
		ofTheUser: h.site.user.files.read(MINE),
	});
}

/** What a kill may cost by the workflow's own rules: one that cannot be resumed is over, and a claim that nobody heard of runs out. */
async function isAllowed(h: Harness, { status, definition, reason }: RunState): Promise<boolean> {
	if (status !== "failed") return false;
	if (definition.resume === "never") return /agent not found|did not come back/.test(reason ?? "");
	return (await h.events()).some((e) => e.event === "route_taken" && e.signal === "timeout");
}

/** Places where it can be killed, each in a run of its own; what does not hold after any of them. */
async function killedAt(
	isWanted: (n: number) => boolean,
	options: HarnessOptions,
): Promise<{ readonly kills: number; readonly wrong: readonly string[] }> {
	const live = async <T>(work: (h: Harness) => Promise<T>): Promise<T> => {
		const h = new Harness(options);
		try {
			await h.create();
			return await work(h);
		} finally {
			h.remove();
		}
	};
	const calm = await live(async (h) => {
		const { life, how } = await (options.pulled ? h.pull() : h.drive());
		assert.equal(how, "halted");
		return { boundaries: life.boundaries, telling: life.telling, result: await resultOf(h) };
	});
	const wrong: string[] = [];
	const places = [...calm.telling.entries()].filter(([n]) => isWanted(n));
	for (const [n, at] of places) {
		const where = `killed at ${at} (${calm.boundaries[at]}), then at ${(n * 7) % 19}`;
		await live(async (h) => {
			const state = await h.toHalt(dieAt(at), dieAt((n * 7) % 19));
			const found = await violations(h);
			if ((await resultOf(h)) !== calm.result && !(await isAllowed(h, state)))
				found.push(`it came to ${state.status} (${state.reason}): ${await resultOf(h)}, not ${calm.result}`);
			wrong.push(...found.map((text) => `${where}: ${text}`));
		}).catch((error: unknown) => wrong.push(`${where}: ${error}`));
	}
	return { kills: places.length, wrong };
}

const SKIP = ["step-003", "step-004", "step-007", "step-008", "step-009"];
const skips = (...steps: readonly string[]) => steps.map((step) => ({ operation: "skip", target_step_id: step, reason: "short" }));

const codes: Part = async ({ files, checkout, story, step, attempt, takes, edit }) => {
	await takes(60_000);
	if (story !== "US-3") files.write("shared.txt", `1\n2\n3 ${story}\n`);
	files.write(`${story}.txt`, `${story}\n`);
	checkout.commitAll(story);
	files.write(`more/${story}.txt`, `${story}\n`);
	if (story === "US-2" && step === "step-005" && attempt === 1)
		edit([{ operation: "restart", target_step_id: "step-005", reason: "wrong file", new_description: "again" }]);
	if (story === "US-3") edit(skips("step-006"));
};

/** Three stories, a dependency, an accepted edit, a restart, a rejected edit, a conflict: every kind of effect is in it. */
const EVERY_EFFECT: HarnessOptions = {
	...BUILT_IN["dynamic"]!,
	stories: ["US-1", "US-2", "US-3"].map((id) => ({
		...{ id, title: `the story ${id}`, description: "", criteria: [], priority: 1 },
		dependsOn: id === "US-3" ? ["US-1"] : [],
	})),
	files: { "README.md": "a project\n", "shared.txt": "1\n2\n3\n" },
	user: (site) => site.user.files.write(MINE, "untracked\n"),
	cast: {
		planning: ({ edit }) => edit(skips(...SKIP)),
		coding: codes,
		rebase_resolve: ({ checkout }) => void checkout.mergeOurs("main"),
		"*": "## SUMMARY\n- done\n",
	},
};

/** Covered by the first test, and by feature-dev. */
const SAME = ["dynamic", "security-audit"];

describe("killed anywhere, and again while it recovers", () => {
	test("D-111 D-114 D-115 D-149 D-150 D-152 dynamic, with every kind of effect", async () => {
		const { kills, wrong } = await killedAt((n) => n % EVERY === 0, EVERY_EFFECT);
		assert.deepEqual(wrong, []);
		assert.ok(kills > 60 / EVERY, `only ${kills} places were found`);
	});
	// Every other place each, as most of them are the same for both.
	for (const [name, options] of Object.entries(BUILT_IN).filter(([key]) => !SAME.includes(key)))
		for (const [driver, rest] of [
			["pushed", 0],
			["pulled", 1],
		] as const)
			test(`${name}, ${driver}`, async () => {
				const { kills, wrong } = await killedAt((n) => n % (2 * EVERY) === rest * EVERY, { ...options, pulled: driver === "pulled" });
				assert.deepEqual(wrong, []);
				assert.ok(kills > 0, `only ${kills} places were found`);
			});
});

describe("D-111 D-114 D-115 killed around the end of a step with edits", () => {
	const adds = [
		{ operation: "add_after", target_step_id: "step-009", new_steps: [{ type: "linting", description: "again" }], reason: "it needs one" },
	];
	const options: HarnessOptions = { ...BUILT_IN["dynamic"]!, stories: ["US-1"] };
	const cast = { ...options.cast, planning: ({ edit }: Turn) => edit(adds) };
	for (const at of ["before attempt_ended#2", "after attempt_ended#2", "start settle_edits", "done settle_edits", "prepared#3"])
		test(`${at}: the edit is applied once, and every step is done`, async (t) => {
			const h = await harness(t, { ...options, cast });
			assert.equal((await h.drive(dieBy(at))).how, "killed");
			const { status, stories } = await h.toHalt();
			const steps = stories[0]?.scope.steps ?? [];
			const done = steps.filter((step) => step.status === "completed");
			assert.equal(status, "completed");
			assert.equal(steps.filter(({ description }) => description === "again").length, 1);
			assert.equal(done.filter(({ type }) => type === "linting").length, 2);
			assert.ok(!existsSync(join(h.sharedDir, "workflow_edits", "US-1.json")), "the file is gone");
			for (const type of ["context_gathering", "planning", "coding", "final_review"])
				assert.ok(
					done.some((step) => step.type === type),
					type,
				);
			assert.deepEqual(await violations(h), []);
		});
});

describe("M12 a store that fails, or that takes a commit and does not answer", () => {
	for (const fault of ["fail", "lose"] as const)
		test(`${fault} at any commit: the engine ends, and a resume comes to the same`, async () => {
			const calm = new Harness(EVERY_EFFECT);
			await calm.create();
			const before = calm.store.log.length;
			await calm.toHalt();
			const [commits, wanted] = [calm.store.log.length, await resultOf(calm)];
			calm.remove();
			const wrong: string[] = [];
			// Every other commit: each costs two lives.
			for (let nth = before; nth < commits; nth += 2 * EVERY) {
				const h = new Harness(EVERY_EFFECT);
				try {
					await h.create();
					h.store.fault = (_, n) => (n === nth ? fault : null);
					const ended = await h.drive();
					if (ended.how !== "failed") wrong.push(`${nth}: it ${ended.how}`);
					await h.toHalt();
					const found = [...(await violations(h)), ...((await resultOf(h)) === wanted ? [] : [`it came to ${await resultOf(h)}`])];
					wrong.push(...found.map((text) => `${nth}: ${text}`));
				} catch (error) {
					wrong.push(`${nth}: ${error}`);
				} finally {
					h.remove();
				}
			}
			assert.deepEqual(wrong, []);
			assert.ok(commits - before > 40);
		});
});
