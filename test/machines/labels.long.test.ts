// Runs that only some workers may work on, and what people are told while there is none.
import assert from "node:assert/strict";
import { renameSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { site, until } from "../support/machines.ts";
import { asked, withoutPostgres } from "../support/postgres.ts";

describe("labels", { skip: withoutPostgres, concurrency: 2 }, () => {
	test("I17 a run goes to a worker that has the labels it requires, and says which are missing until there is one", async () => {
		const s = await site("US-1");
		s.configure("requires: [gpu]");
		const run = s.run();
		await until("word that there is no worker", () => /there is no worker.* --labels gpu/.test(run.said()));
		await asked(s.url, "INSERT INTO pawl.workers (id, host, version, repo) VALUES ('stray', 'elsewhere', '0', '/another.git')");
		const plain = s.worker("a");
		await until("word of another repository", () => /worker stray of this database works on \/another\.git/.test(plain.said()));
		await until("word of the missing label", () => /no worker has the label gpu/.test(run.said()));
		const status = await s.pawl("status").done;
		assert.match(status.stdout, /no worker has the label gpu, which the run requires; start one with/);
		assert.doesNotMatch(status.stdout, /pawl resume/, "nothing that a resume would change");
		const able = s.worker("b", ["--labels", "gpu,big"]);
		const { code, all } = await run.done;
		assert.equal(code, 0, `${all}\n${plain.said()}\n${able.said()}`);
		assert.deepEqual(s.landed(), s.stories);
		const listed = (await s.pawl("workers").done).stdout;
		const [, id = ""] = /^(\S+) .*\bbig,gpu,linux\b/m.exec(listed) ?? [];
		assert.notEqual(id, "", listed);
		assert.deepEqual(await asked(s.url, "SELECT DISTINCT worker FROM pawl.lanes WHERE scope <> '@run'"), [{ worker: id }]);
		for (const worker of [plain, able]) worker.child.kill("SIGTERM");
		for (const worker of [plain, able]) assert.equal((await worker.done).code, 0);
	});

	test("a run with an agent that pawl.yml got after the workers had started leaves them at work on another run", async () => {
		const s = await site("US-1", "US-2");
		const worker = s.worker("a");
		await until("the worker", () => /finishes what it works on/.test(worker.said()));
		s.configure(`agents: {later: {type: command, command: ${join(s.me, "agent.sh")}}}`);
		// As many lanes as the worker has places for them.
		const started = await s.pawl("run", "dynamic", "--prd", "prd.json", "--agents", "2", "--agent", "later", "--detach").done;
		assert.equal(started.code, 0, started.all);
		await until("word of it", () => /there is no agent later/.test(worker.said()));
		s.plan(["US-3"]);
		renameSync(join(s.me, "prd.json"), join(s.me, "other.json"));
		const agent = ["--agent", "command", "--agent-command", join(s.me, "agent.sh")];
		const { code, all } = await s.pawl("run", "dynamic", "--prd", "other.json", ...agent).done;
		assert.equal(code, 0, `${all}\n${worker.said()}`);
		assert.deepEqual(s.landed(), ["US-3"]);
		assert.equal(worker.said().match(/there is no agent later/g)?.length, 1, worker.said());
		worker.child.kill("SIGTERM");
		assert.equal((await worker.done).code, 0);
	});

	test("labels that are none are refused", async () => {
		const s = await site("US-1");
		for (const [labels, why] of [
			["a b", /"a b" is not a label/],
			["pawl:2", /pawl's own/],
		] as const) {
			const refused = await s.pawl("worker", "--repo", s.shared, "--labels", labels).done;
			assert.equal(refused.code, 2);
			assert.match(refused.stderr, why);
		}
		s.configure("requires: [a b]");
		const refused = await s.run().done;
		assert.equal(refused.code, 2);
		assert.match(refused.stderr, /pawl\.yml:3:12: `requires\[0\]` must be a label/);
	});
});
