// Actions: each is durable when it is answered, of several equal ones exactly one counts, and the run goes on in a process of its own.
import assert from "node:assert/strict";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { git, put, scratchFolder } from "../../test/support/scratch.ts";
import { asJournaled } from "../runs/look/stories.ts";
import { type Client, site } from "./server.suite.ts";

const KEPT = { id: "S1", title: "One", status: "unclaimed", passes: false, notes: "", description: "" } as const;

const names = async (u: Client, run: string): Promise<string[]> =>
	(await u.get(`runs/${run}/events`)).json.map((event: { event: string }) => event.event);

async function comesTo(u: Client, run: string, status: string): Promise<void> {
	for (const end = Date.now() + 60_000; Date.now() < end; await sleep(50)) if ((await u.get(`runs/${run}`)).json.status === status) return;
	assert.fail(`run ${run} is ${(await u.get(`runs/${run}`)).json.status}, not ${status}`);
}

test("A-71 a question can be answered once: of equal answers at once, on two servers, one gets 200, and the run goes on by itself", async (t) => {
	const s = site(t);
	const run = await s.ask();
	const [u, v] = [await s.serve(), await s.serve()];
	const [first] = (await u.get("inbox")).json;
	assert.deepEqual([first.run, first.story, first.type, first.actions], [run, null, "ask", ["approve", "reject"]]);
	assert.match(first.reason, /question-1/);
	assert.equal((await u.get("runs")).json[0].waiting, 1);
	// An answer that leads to the same question again.
	const rejected = await u.post(`runs/${run}/reject`, { reason: "not yet", ask: first.ask });
	assert.equal(rejected.status, 200, rejected.text);
	await comesTo(u, run, "waiting");
	const [again] = (await u.get("inbox")).json;
	assert.notEqual(again.ask, first.ask);
	for (const body of [{ ask: first.ask }, { ask: "nonsense" }]) assert.equal((await u.post(`runs/${run}/approve`, body)).status, 409);
	assert.equal((await u.post(`runs/${run}/approve`, { step: "stories" })).status, 409);
	assert.equal((await u.post(`runs/${run}/approve`, { step: "nothing" })).status, 404);
	const answers = await Promise.all([u, v, u, v, u, v].map((one) => one.post(`runs/${run}/approve`, { ask: again.ask })));
	assert.deepEqual(answers.map((one) => one.status).sort(), [200, 409, 409, 409, 409, 409], answers.map((one) => one.text).join("\n"));
	const good = answers.find((one) => one.status === 200)?.json;
	assert.deepEqual([good.run, good.what, good.driven], [run, "step-001 (ask) approved", true]);
	await comesTo(u, run, "completed");
	const decided = (await u.get(`runs/${run}/events`)).json.filter((event: { event: string }) => event.event === "decided");
	assert.deepEqual(
		decided.map((event: { verdict: string; by: { how: string } }) => [event.verdict, event.by.how]),
		[
			["reject", "ui"],
			["approve", "ui"],
		],
	);
	assert.deepEqual((await u.get("inbox")).json, []);
	for (const action of ["approve", "pause", "resume", "cancel", "retry"])
		assert.equal((await u.post(`runs/${run}/${action}`, {})).status, 409, action);
	const story = (await u.get(`runs/${run}/stories`)).json[0];
	assert.deepEqual([story.retry_count, story.status], [0, "completed"]);
	const { passes: _, notes: __, ...kept } = asJournaled({ ...KEPT, acceptance_criteria: ["It holds"], criteria: [] }, 0);
	assert.deepEqual(Object.keys(kept).sort(), Object.keys(story).sort(), "a story in a format's own file has the same fields");
	const detail = (await u.get(`runs/${run}/stories/${story.id}`)).json;
	const [attempt] = detail.steps[0].attempts;
	assert.deepEqual([attempt.number, attempt.role, attempt.agent, attempt.signal, attempt.cost_usd], [1, "agent", "scripted", "done", 0.5]);
	const step = detail.steps[0].id;
	assert.match((await u.get(`runs/${run}/stories/${story.id}/steps/${step}/prompt?attempt=1`)).json.prompt, /^Work: [\s\S]*Write the file/);
	assert.equal((await u.get(`runs/${run}/stories/${story.id}/steps/${step}/prompt?attempt=2`)).status, 404);
	const log = (await u.get(`runs/${run}/stories/${story.id}/steps/${step}/log?after=0`)).json;
	assert.equal(log.records[0].type, "attempt");
	assert.deepEqual((await u.get(`runs/${run}/stories/${story.id}/steps/${step}/log?after=${log.next}`)).json, {
		records: [],
		next: log.next,
	});
	for (const after of ["x", "-1", "999999", "0-999"])
		assert.equal((await u.get(`runs/${run}/stories/${story.id}/steps/${step}/log?after=${after}`)).status, 400, after);
	assert.equal((await u.get(`runs/${run}/stories/${story.id}/steps/..%2f..%2fx/log`)).status, 404);
	assert.match((await u.get(`runs/${run}/stories/${story.id}/diff`)).json.patch, /\+done/);
	assert.equal((await u.get("runs")).json[0].cost_usd, (await u.get(`runs/${run}/cost`)).json.cost_usd);
});

test("A-71 a run is cancelled once; what cannot be done is refused with the sentence of the command", async (t) => {
	const s = site(t);
	const run = await s.ask();
	const u = await s.serve();
	for (const [action, body, status] of [
		["pause", {}, 409],
		["resume", {}, 409],
		["retry", {}, 409],
		["reject", {}, 400],
		["extend", {}, 400],
		["extend", { max_cost: "much" }, 400],
		["extend", { max_cost: -1 }, 400],
		["skip", { story: "run", step: "ask", reason: "x" }, 409],
		["skip", { story: "nothing", step: "ask", reason: "x" }, 404],
		["skip", { story: "run", step: "ask" }, 400],
	] as const)
		assert.equal((await u.post(`runs/${run}/${action}`, body)).status, status, `${action} ${JSON.stringify(body)}`);
	assert.ok(!(await names(u, run)).includes("decided"));
	assert.equal((await u.post("runs/latest/cancel", {})).status, 404);
	assert.equal((await u.post(`runs/${run.slice(0, -1)}/cancel`, {})).status, 404);
	for (const [action, body, what] of [
		["steer", { text: "Mind the tests" }, "noted for the next steps"],
		["extend", { max_cost: "5", max_time: "2h" }, "extended: cost up to $5.00, time up to 2h"],
	] as const)
		assert.deepEqual((await u.post(`runs/${run}/${action}`, body)).json, {
			run,
			what,
			delivery: "recorded",
			status: "waiting",
			driven: false,
		});
	const answers = await Promise.all([1, 2, 3].map(() => u.post(`runs/${run}/cancel`, {})));
	assert.deepEqual(answers.map((one) => one.status).sort(), [200, 409, 409]);
	assert.deepEqual(answers.find((one) => one.status === 200)?.json, {
		run,
		what: "cancelled",
		delivery: "recorded",
		status: "cancelled",
		driven: false,
	});
	assert.equal((await names(u, run)).filter((name) => name === "stop_requested").length, 1);
	assert.match((await u.post(`runs/${run}/resume`, {})).json.error.message, /is cancelled: it cannot continue/);
});

test("A-71 X-24 a run that is started here is an ordinary one, in a process that has neither our token nor our sockets", async (t) => {
	const s = site(t);
	const u = await s.serve();
	put(s.c.cwd, { "pawl.yml": "agent: slow\nagents: {slow: {type: command, command: sleep 600}}\n" });
	for (const body of [
		{},
		{ workflow: "asked" },
		{ workflow: "asked", request: "x", issue: "y" },
		{ workflow: "../asked", request: "x" },
		{ workflow: "nothing", request: "x" },
		{ workflow: "asked", prd: "../outside.json" },
		{ workflow: "asked", prd: "/etc/passwd" },
		{ workflow: "asked", request: "x", more: 1 },
		{ workflow: "asked", request: "x", options: { agent_command: "sh" } },
		{ workflow: "asked", request: "x", options: { script: "x.yml" } },
		{ workflow: "asked", request: "x", options: { push: true } },
		{ workflow: "asked", request: "x", options: { max_cost: 0 } },
		{ workflow: "asked", request: "x", options: { model: { wrok: "big" } } },
	])
		assert.equal((await u.post("runs", body)).status, 400, JSON.stringify(body));
	for (const prd of [".git/config", ".GIT/config"])
		assert.match((await u.post("runs", { workflow: "asked", prd })).json.error.message, /is git's$/, prd);
	assert.deepEqual((await u.get("runs")).json, []);
	const dirty = await u.post("runs", { workflow: "asked", request: "Write it" });
	assert.deepEqual([dirty.status, dirty.json.error.code], [409, "conflict"], dirty.text);
	put(s.c.cwd, { ".git/info/exclude": "/pawl.yml\n" });
	// Not a path: what is missing here is the forge that has it.
	const issue = await u.post("runs", { workflow: "asked", issue: "12" });
	assert.match(issue.json.error.message, /remote|forge|gh|glab/, issue.text);
	assert.doesNotMatch(issue.json.error.message, /must be the number/);
	const requested = await u.post("runs", { workflow: "asked", request: "Write it", options: { pr: true } });
	assert.match(requested.json.error.message, /^--pr: .*remote/, "there is none here to open it at");
	const models = { model: { work: "big" }, effort: "low" };
	const made = await u.post("runs", { workflow: "asked", request: "Write it", options: { "max-time": "1h", yes: true, ...models } });
	assert.equal(made.status, 201, made.text);
	const { run, driven, title } = made.json;
	assert.deepEqual([driven, title], [true, "Write it"]);
	const [created] = (await u.get(`runs/${run}/events`)).json;
	const { agent, model, effort } = created.options.shell.steps.work.agent;
	assert.deepEqual([agent, model, effort], ["slow", "big", "low"]);
	const all = readdirSync("/proc").filter((pid) => /^\d+$/.test(pid) && commandOf(pid).includes(`\0resume\0${run}\0`));
	// A child that has been forked and not yet become its program still has the engine's command line.
	const engines = all.filter((pid) => !["", ...all].includes(parentOf(pid)));
	assert.equal(engines.length, 1);
	const [pid = ""] = engines;
	assert.ok(!commandOf(pid).includes(u.token) && !readFileSync(`/proc/${pid}/environ`, "utf8").includes(u.token));
	const sockets = new Set(openFiles(String(process.pid)).filter((file) => file.startsWith("socket:")));
	assert.deepEqual(
		openFiles(pid).filter((file) => sockets.has(file)),
		[],
	);
	assert.equal((await u.post(`runs/${run}/resume`, {})).status, 409);
	const paused = await u.post(`runs/${run}/pause`, {});
	assert.deepEqual([paused.status, paused.json.status, paused.json.delivery], [200, "paused", "taken"], paused.text);
	const resumed = await u.post(`runs/${run}/resume`, {});
	assert.deepEqual([resumed.status, resumed.json.status, resumed.json.driven], [200, "running", true], resumed.text);
	assert.equal((await u.post(`runs/${run}/cancel`, {})).json.status, "cancelled");
});

/** Empty if it has ended. */
function parentOf(pid: string): string {
	try {
		return /\) \S (\d+) /.exec(readFileSync(`/proc/${pid}/stat`, "utf8"))?.[1] ?? "";
	} catch {
		return "";
	}
}

function commandOf(pid: string): string {
	try {
		return readFileSync(`/proc/${pid}/cmdline`, "utf8");
	} catch {
		return "";
	}
}

const openFiles = (pid: string): string[] =>
	readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
		try {
			return [readlinkSync(`/proc/${pid}/fd/${fd}`)];
		} catch {
			return [];
		}
	});

test("A-71 a run in another worktree continues there, wherever the server was started", async (t) => {
	const s = site(t);
	const other = `${scratchFolder("linked")}/tree`;
	git(s.c.cwd, "worktree", "add", "-q", "-b", "side", other);
	const run = await s.ask(other);
	const u = await s.serve();
	const answer = await u.post(`runs/${run}/approve`, {});
	assert.deepEqual([answer.status, answer.json.driven], [200, true], answer.text);
	await comesTo(u, run, "completed");
	assert.equal(git(other, "log", "-1", "--format=%s"), "Work");
	assert.notEqual(git(s.c.cwd, "log", "-1", "--format=%s"), "Work");
});
