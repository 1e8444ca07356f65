// G-06: `latest` is the latest run of where I stand, and nothing that changes a run reaches beyond this worktree without an id. Walked here
// over every path, at the moment when a session is at work; that several processes find each other's runs needs real ones.
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { fails } from "../../src/engine/testing/cast.suite.ts";
import { steer } from "../../src/runs/change/steer.ts";
import { resume } from "../../src/runs/control/resume.ts";
import { stop } from "../../src/runs/control/stop.ts";
import { UNOBSERVED } from "../../src/runs/drive/observer.ts";
import { lookAt } from "../../src/runs/open.ts";
import { claimStep } from "../../src/runs/pull/claim.ts";
import { Refusal } from "../../src/runs/refusal.ts";
import { startPulled, startRun } from "../../src/runs/start/start.ts";
import { fakeAgent } from "../support/fake-agent.ts";
import { exited, pawl, pawlExits, startPawl } from "../support/pawl.ts";
import { exists, git, repository, scratchFolder, until } from "../support/scratch.ts";
import { smallWorkflow } from "../support/small-workflow.ts";
import { Application, agentsOf, LEAVES } from "./application.ts";
import type { Driver } from "./paths.ts";
import { rows } from "./walk.ts";

/** In another worktree: the run can be looked at, and nothing is done to it without its id. In its own, it is the one that is meant. */
async function reachesNoFurther(app: Application): Promise<string> {
	const other = app.at(join(app.h.folder, "elsewhere"));
	const id = await lookAt(other, undefined, ({ state }) => state.id);
	assert.equal(await lookAt(app.at(), "latest", ({ state }) => state.id), id);
	const before = JSON.stringify(await lookAt(other, id, ({ events }) => events.length));
	const changes = [
		() => steer(other, "latest", "be quick"),
		() => stop(other, undefined, "cancel"),
		() => stop(other, "latest", "pause"),
		() => resume(other, undefined, {}, UNOBSERVED),
	];
	for (const change of changes)
		await assert.rejects(change(), (error) => error instanceof Refusal && /no run was started in this worktree/.test(error.message));
	assert.equal(JSON.stringify(await lookAt(other, id, ({ events }) => events.length)), before);
	return id;
}

async function drives(app: Application, driver: Driver, looks: () => Promise<unknown>): Promise<void> {
	const prepared = await app.prepared();
	if (driver === "pulled") {
		await startPulled(app.at(), prepared);
		for (const agent of agentsOf(prepared.definition)) await claimStep(app.at(), { agent, run: undefined, leaseMs: null });
		await looks();
		return;
	}
	const { run } = await startRun(app.at(), prepared, driver === "shared" ? LEAVES : UNOBSERVED);
	if (driver === "resumed") await resume(app.at(), "latest", {}, UNOBSERVED);
	assert.equal(await looks(), run);
}

rows(
	"G-06 from another worktree nothing reaches a run without its id: while it is at work, and when it has halted",
	async (path, driver) => {
		let seen = 0;
		const looks = async (): Promise<string> => {
			seen++;
			return reachesNoFurther(app);
		};
		const broke = async () => {
			await looks();
			return fails("out_of_credit", "your credit is used up");
		};
		const app = await Application.of(path, driver, { cast: { "*": broke } });
		try {
			await drives(app, driver, looks);
			// Agents that come for a step, and workers, are other processes.
			assert.ok(seen > (driver === "pulled" || driver === "shared" ? 0 : 1));
			return null;
		} finally {
			app.remove();
		}
	},
);

test("G-06 cancel, pause and steer in one worktree leave the run of another alone, which can be looked at and is ended from its own", async () => {
	const repo = repository();
	const other = join(scratchFolder("worktree"), "b");
	git(repo, "worktree", "add", "-q", "-b", "b", other);
	const agent = fakeAgent([{ when: { type: "look" }, do: ['touch "$home/there"; while [ ! -e "$home/go" ]; do sleep 0.05; done'] }]);
	const started = startPawl(["run", smallWorkflow(), "Add a file", "--agent-command", agent.command], { cwd: other });
	await until("it is at work", () => exists(agent.flag("there")));
	for (const command of [["cancel"], ["pause"], ["steer", "be quick"]]) {
		const ended = await pawl(command, { cwd: repo });
		assert.equal(ended.code, 2, `${command.join(" ")}: ${ended.all}`);
	}
	assert.match((await pawlExits(0, ["status"], { cwd: repo })).stdout, /running/);
	await pawlExits(0, ["cancel"], { cwd: other });
	exited(await started.done, 1);
	assert.match((await pawlExits(0, ["status"], { cwd: other })).stdout, /cancelled/);
});
