// Runs of a database can be seen and steered from any machine that reaches it: in another clone, and where no checkout is. No worker is needed for that.
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { before, describe, test } from "node:test";
import { type Site, site } from "../support/machines.ts";
import { pawl } from "../support/pawl.ts";
import { withoutPostgres } from "../support/postgres.ts";

const WORKFLOW = `name: ask
title: Asks first
inputs: [prd]
workspace: worktree
steps: [agree, stories]
story: [code, merge]
types:
  agree: {approval: person, description: Is this what we want?}
  code: {prompt: Do it.}
  merge: {action: merge}
`;

/** What each command says there; the run waits for a person. */
const LOOKS: Readonly<Record<string, RegExp>> = {
	runs: /RUN +ask +waiting/,
	"status RUN": /waits for a person|Is this what we want/,
	"stories RUN": /US-1 +unclaimed/,
	"history RUN": /step-001 .*waits for a person/,
	"cost RUN": /no agent session of run RUN/,
	"checks RUN": /no check of run RUN/,
	"logs RUN": /nothing in the logs of run RUN yet/,
	workers: /no worker/,
	"steer RUN be-quick": /noted for the next steps; run RUN is waiting/,
	"extend RUN --max-time 1h": /run RUN is waiting/,
};

describe("from any machine", { skip: withoutPostgres }, () => {
	let s: Site;
	const places = new Map<string, string>();
	const call = async (cwd: string, line: string, run = "") =>
		pawl(
			line.split(" ").map((word) => (word === "RUN" ? run : word)),
			{ cwd, env: { PAWL_DB: s.url, XDG_CACHE_HOME: join(s.folder, "cache") } },
		);

	const start = async (story: string): Promise<string> => {
		const userStories = [{ id: story, title: story, description: "", acceptanceCriteria: ["it is there"], depends_on: [] }];
		writeFileSync(join(s.me, `${story}.json`), JSON.stringify({ project: "x", userStories }));
		const started = await call(s.me, `run ask --prd ${story}.json --agent command --agent-command true --no-checks --detach`);
		assert.equal(started.code, 0, started.all);
		return started.stdout.trim();
	};

	before(async () => {
		s = await site("US-1");
		mkdirSync(join(s.me, ".pawl", "workflows", "ask"), { recursive: true });
		writeFileSync(join(s.me, ".pawl", "workflows", "ask", "workflow.yml"), WORKFLOW);
		const nowhere = join(s.folder, "nowhere");
		mkdirSync(nowhere);
		places.set("another clone", s.other()).set("no checkout", nowhere);
	});

	test("commands that look, and those that tell a run something, work in another clone and without a checkout", async () => {
		const run = await start("US-1");
		for (const [place, cwd] of places)
			for (const [line, said] of Object.entries(LOOKS)) {
				const { code, all } = await call(cwd, line, run);
				assert.equal(code, 0, `${line} in ${place}: ${all}`);
				assert.match(all.replaceAll(run, "RUN"), said, `${line} in ${place}`);
			}
		const nowhere = places.get("no checkout") ?? "";
		const approved = await call(nowhere, "approve RUN", run);
		assert.match(approved.all, /step-001 \(agree\) approved; run .* goes on with it/);
		const status = JSON.parse((await call(s.other(), "status RUN --json", run)).stdout) as { status: string; unserved: string | null };
		assert.equal(status.status, "running");
		assert.match(String(status.unserved), /worker/, "nobody works on it, and that is said");
	});

	test("G-06 a run is cancelled from where no checkout is; what needs the code says so", async () => {
		const run = await start("US-2");
		const nowhere = places.get("no checkout") ?? "";
		const latest = await call(nowhere, "cancel");
		assert.equal(latest.code, 2, "a run is changed only by its name where none was started");
		assert.match(latest.all, /name the one you mean/);
		const diff = await call(nowhere, "diff RUN run", run);
		assert.match(diff.all, /in a checkout of the repository/);
		assert.notEqual(diff.code, 0);
		const attached = await call(nowhere, "attach RUN", run);
		assert.match(attached.all, /not in a git repository/);
		const cancelled = await call(nowhere, "cancel RUN", run);
		assert.match(cancelled.all, /is cancelled/);
		assert.match((await call(s.other(), "attach RUN", run)).all, /cancelled/);
	});

	test("without a database nothing of this holds: a checkout is needed, and attach says what to do", async () => {
		const nowhere = places.get("no checkout") ?? "";
		const where = { cwd: nowhere, env: {} };
		assert.match((await pawl(["status"], where)).all, /not in a git repository/);
		const attached = await pawl(["attach"], { cwd: s.me, env: {} });
		assert.equal(attached.code, 2);
		assert.match(attached.all, /PAWL_DB or --db URL.*pawl watch/s);
		const elsewhere = await call(s.me, "run ask --prd prd.json --agent command --agent-command true --no-checks --shared-dir x");
		assert.match(elsewhere.all, /--shared-dir: each machine has the files/);
	});
});
