// G-05: every run can be found, looked at and resumed by its id from its repository, one-shots included: while it runs, after it failed,
// after kill -9. What `status` advises is never refused. The folder of a one-shot and several processes need a real repository.
import assert from "node:assert/strict";
import { test } from "node:test";
import { BUILT_IN } from "../../src/engine/testing/built-in.suite.ts";
import { fails } from "../../src/engine/testing/cast.suite.ts";
import { type Harness, harness } from "../../src/engine/testing/harness.suite.ts";
import { adviceFor } from "../../src/runs/look/next.ts";
import { adviceIn } from "../../src/runs/look/status.ts";
import { fakeAgent, HANG, write } from "../support/fake-agent.ts";
import { kill9, pawl, pawlExits, startPawl } from "../support/pawl.ts";
import { exists, git, repository, scratchFolder, until } from "../support/scratch.ts";
import { goOn, retried, walk } from "./walk.ts";

walk(
	"G-05 a run is listed while it is at work, when it was killed and when it failed; what is advised then continues it",
	({ path, isWriter }) => {
		const found: Promise<void>[] = [];
		let at: Harness | null = null;
		const lists = (): void => {
			if (at !== null) found.push(isListed(at));
		};
		let failed = false;
		return {
			begin: (h) => {
				at = h;
			},
			killed: lists,
			play: (turn, usual) => {
				if (!isWriter(turn) || failed) return usual();
				failed = true;
				lists();
				return fails("auth", "nobody is logged in");
			},
			holds: async (h, state) => {
				assert.ok(found.length > 0);
				await Promise.all(found);
				await isListed(h);
				if (state.status === "completed") return;
				const advised = adviceFor(state, false).flatMap(({ commands }) => commands);
				assert.ok(!advised.some((one) => /pawl (resume|retry)/.test(one)) || path.resumes !== false, "what is advised is refused");
				if (path.resumes === false) return;
				assert.ok(advised.length > 0, `nothing is advised for a run that is ${state.status}`);
				const last = advised.some((one) => one.startsWith("pawl retry")) ? await retried(h) : await goOn(h);
				assert.equal(last.status, "completed", last.reason ?? "");
			},
		};
	},
);

async function isListed(h: Harness): Promise<void> {
	const before = (await h.state()).status;
	const runs = await h.store.open(h.clock.now).runs();
	assert.deepEqual(
		runs.map(({ id }) => id),
		[h.run],
	);
	// In a database others may commit between two looks.
	assert.ok(runs[0] !== undefined && [before, (await h.state()).status].includes(runs[0].status), runs[0]?.status);
}

test("G-05 a run that was killed at its very end says that there is something to clear up, until that is done", async (t) => {
	const options = BUILT_IN["dynamic"];
	assert.ok(options);
	const h = await harness(t, options);
	const commands = async (): Promise<readonly string[]> => {
		const store = h.store.open(h.clock.now);
		const advice = await adviceIn(store, await h.state(), false);
		await store.close();
		return advice.flatMap((one) => one.commands);
	};
	assert.equal((await h.drive((boundary) => (boundary === "halted" ? "die" : "go"))).how, "killed");
	assert.equal((await h.state()).status, "completed");
	assert.deepEqual(await commands(), [`pawl resume ${h.run}`]);
	await h.toHalt();
	assert.deepEqual(await commands(), []);
});

test("G-05 a one-shot that was killed is listed, says what became of it, and is resumed by its id", async () => {
	const repo = repository();
	const agent = fakeAgent([{ when: { type: "coding", nth: 1 }, do: [write("half.txt", "half\n"), 'touch "$home/there"', HANG] }]);
	const where = { cwd: repo, env: { TMPDIR: scratchFolder("tmp") } };
	const started = startPawl(["Add a file", "--agent-command", agent.command], where);
	await until("it is at work", () => exists(agent.flag("there")));
	await kill9(started);
	const listed = JSON.parse((await pawlExits(0, ["runs", "--json"], where)).stdout) as readonly { readonly run: string }[];
	assert.equal(listed.length, 1);
	const id = listed[0]?.run ?? "";
	assert.match((await pawlExits(0, ["status", id], where)).stdout, /pawl resume/);
	await pawlExits(0, ["resume", id], where);
	assert.equal(exists(repo, "half.txt"), false);
	assert.equal(git(repo, "status", "--porcelain"), "");
	assert.match((await pawl(["status", id], where)).stdout, /completed/);
});
