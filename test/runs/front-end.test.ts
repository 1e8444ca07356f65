// A second front end: uses the application like a program, without the command line. Every refusal has a code.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Event } from "../../src/core/event.ts";
import { decide } from "../../src/runs/change/decide.ts";
import { extend } from "../../src/runs/change/extend.ts";
import { steer } from "../../src/runs/change/steer.ts";
import type { RunsContext } from "../../src/runs/context.ts";
import { resume } from "../../src/runs/control/resume.ts";
import { retry } from "../../src/runs/control/retry.ts";
import { stop } from "../../src/runs/control/stop.ts";
import { type DriveHandle, type RunObserver, UNOBSERVED } from "../../src/runs/drive/observer.ts";
import { costOf } from "../../src/runs/look/cost.ts";
import { diffOf } from "../../src/runs/look/diff.ts";
import { journalOf } from "../../src/runs/look/journal.ts";
import { listRuns } from "../../src/runs/look/list.ts";
import { readLogs } from "../../src/runs/look/logs.ts";
import { statusOf } from "../../src/runs/look/status.ts";
import { claimStep, completeStep } from "../../src/runs/pull/claim.ts";
import { asRefusal, type RefusalCode } from "../../src/runs/refusal.ts";
import { prepare } from "../../src/runs/start/prepare.ts";
import { startPulled, startRun } from "../../src/runs/start/start.ts";
import type { Store } from "../../src/store.ts";
import { services } from "../../src/wiring.ts";
import { put, repository, scratchFolder } from "../support/scratch.ts";

const WORKFLOW = `name: asked
title: A person is asked first
resume: yes
inputs: {request: {reader: request, workspace: tree}}
roles: {agent: {description: Works, can: [run, commit], report: {notes: summary}}}
steps: [ask, stories]
types:
  ask: {description: May it start?, approval: person, on: {approved: next, rejected: fail run}}
  stories: {description: The stories, each: {concurrency: $agents, order: dependencies, on_failure: block, expects_change: true, steps: [work]}}
  work: {description: Work, role: agent, timeout: 1m, writes: any}
on:
  done: next
  agent_error|timeout|stalled|permission|context_too_long|boundary_violation|unreadable|workspace_error|auth: {rollback: failures, fail: story}
  lost: {rollback: failures, insert: [same], max: 3/step, exhausted: {rollback: failures, fail: story}}
  rate_limited|overloaded: {rollback: failures, wait: time}
`;
const SCRIPT = `steps:
  - on: {type: work, attempt: 1}
    do: [{fail: {exit: 3}}]
  - on: {type: work}
    do: [{write: {path: work.txt, content: "done\\n"}}, {commit: Work}, {usage: {cost_usd: 0.5}}]
`;

interface Site extends RunsContext {
	readonly workflow: string;
	readonly script: string;
	readonly warnings: string[];
}

function site(): Site {
	const folder = scratchFolder("front-end");
	put(folder, { "asked/workflow.yml": WORKFLOW, "asked/prompts/work.md": "Work: {{story_description}}\n", "script.yml": SCRIPT });
	const warnings: string[] = [];
	const env = { PATH: process.env["PATH"], HOME: folder, XDG_CONFIG_HOME: folder };
	return {
		...{ cwd: repository(), env, services, now: Date.now, self: [], warnings },
		...{ workflow: `${folder}/asked`, script: `${folder}/script.yml` },
		warn: (text) => void warnings.push(text),
	};
}

const prepared = (c: Site) => prepare(c, c.workflow, "Write the file", { script: c.script });

const codeOf = async (work: Promise<unknown>): Promise<RefusalCode | "nothing"> =>
	work.then(
		() => "nothing",
		(error: unknown) => asRefusal(error).code,
	);

/** Keeps what it is told. */
function recorder() {
	const seen: string[] = [];
	const told = (events: readonly Event[]) => void seen.push(...events.map((e) => e.event));
	const observer: RunObserver = {
		onCreated: told,
		onDriving: () => ({ onEvents: told, onWarning: () => {}, close: () => void seen.push("closed") }),
	};
	return { seen, observer };
}

describe("src/runs as a front end sees it", () => {
	it("starts, waits for a person, is decided on, fails, is retried and completes, and every look says so", async () => {
		const c = site();
		const { seen, observer } = recorder();
		const { run, ended } = await startRun(c, await prepared(c), observer);
		assert.equal(ended?.state.status, "waiting");
		assert.deepEqual([seen[0], seen.at(-1)], ["run_created", "closed"]);
		assert.deepEqual(
			(await listRuns(c)).map((one) => [one.run, one.workflow, one.status, one.driven]),
			[[run, "asked", "waiting", false]],
		);
		assert.deepEqual(
			(await statusOf(c, "latest")).waiting.map((w) => w.type),
			["ask"],
		);

		const decided = await decide(c, { run, step: undefined, verdict: "approve", reason: "" });
		assert.deepEqual([decided.run, decided.delivery, decided.step], [run, "recorded", "step-001 (ask)"]);
		assert.equal((await steer(c, run, "Mind the tests")).delivery, "recorded");
		const first = await resume(c, run, {}, UNOBSERVED);
		assert.equal(first.how === "driven" && first.ended?.state.status, "failed");

		const again = await retry(c, { run, story: undefined }, UNOBSERVED);
		assert.deepEqual(again.how === "driven" && [again.ended?.state.status, again.ended?.delivery.commits.length], ["completed", 1]);
		assert.equal((await resume(c, run, {}, UNOBSERVED)).how, "completed");

		const { story, patch } = await diffOf(c, run, undefined);
		assert.match(patch, /\+done/);
		assert.equal((await costOf(c, run)).cost_usd, 0.5);
		const lines: string[] = [];
		await readLogs(c, { run, story, step: undefined, follow: false }, (line) => lines.push(line));
		assert.ok(lines.length > 0);
		const events = (await journalOf(c, run)).map((e) => e.event);
		assert.deepEqual([events[0], events.includes("run_steered"), events.includes("story_retried")], ["run_created", true, true]);
		assert.deepEqual(c.warnings, []);
	});

	it("stops the run that it drives by the handle, and a run that nobody drives by name", async () => {
		const c = site();
		put(c.script.replace(/\/[^/]*$/, ""), { "script.yml": "steps:\n  - on: {type: work}\n    do: [{wait: 60s}]\n" });
		const { run } = await startRun(c, await prepared(c), UNOBSERVED);
		await decide(c, { run, step: "ask", verdict: "approve", reason: "" });
		let handle: DriveHandle | null = null;
		const observer: RunObserver = {
			onCreated: () => {},
			onDriving: (given) => {
				handle = given;
				return {
					onEvents: (events) => events.some((e) => e.event === "step_prepared") && handle?.stop(),
					onWarning: () => {},
					close: () => {},
				};
			},
		};
		const resumed = await resume(c, run, {}, observer);
		assert.equal(resumed.how === "driven" && resumed.ended?.state.status, "paused");
		assert.deepEqual(await stop(c, run, "cancel"), { run, status: "cancelled" });
	});

	it("stops a run that another process takes between the look and the stop", async () => {
		const c = site();
		const { run } = await startRun(c, await prepared(c), UNOBSERVED);
		let asked = 0;
		// Nobody has it at first; then somebody has, for two looks.
		const taken = (store: Store): Store => ({ ...store, lease: async (...of) => ([2, 3].includes(++asked) ? null : store.lease(...of)) });
		const openStore = (file: string) => taken(services.openStore(file));
		assert.deepEqual(await stop({ ...c, services: { ...services, openStore } }, run, "cancel"), { run, status: "cancelled" });
		assert.ok(asked > 3, `${asked} looks`);
	});

	it("a wish to stop that comes before the engine has begun counts", async () => {
		const c = site();
		put(c.script.replace(/\/[^/]*$/, ""), { "script.yml": "steps:\n  - on: {type: work}\n    do: [{wait: 60s}]\n" });
		const { run } = await startRun(c, await prepared(c), UNOBSERVED);
		await decide(c, { run, step: "ask", verdict: "approve", reason: "" });
		const none = { onEvents: () => {}, onWarning: () => {}, close: () => {} };
		const early = (handle: DriveHandle) => {
			handle.stop();
			return none;
		};
		const resumed = await resume(c, run, {}, { onCreated: () => {}, onDriving: early });
		assert.equal(resumed.how === "driven" && resumed.ended?.state.status, "paused");
	});

	it("gives steps to agents that come for them, and says what is wrong with a claim", async () => {
		const c = site();
		assert.equal(await claimStep(c, { agent: "agent", run: undefined, leaseMs: null }), null);
		const run = await startPulled(c, await prepare(c, c.workflow, "Write the file", {}, { starts: false }));
		assert.equal(await claimStep(c, { agent: "agent", run, leaseMs: null }), null, "a person is asked first");
		await decide(c, { run, step: undefined, verdict: "approve", reason: "" });
		const claimed = await claimStep(c, { agent: "agent", run: undefined, leaseMs: null });
		assert.equal(claimed?.runId, run);
		put(claimed?.workspace ?? "", { "work.txt": "done\n" });
		const brought = await completeStep(c, claimed?.claim ?? "", async () => "Done.\n\n## SUMMARY\n- done\n");
		assert.deepEqual([brought.run, brought.changed, brought.failure], [run, true, null]);
		assert.equal((await statusOf(c, run)).status, "completed");
		assert.equal(await codeOf(completeStep(c, "nobody's", async () => "")), "conflict");
	});

	it("refuses with a code that says why", async () => {
		const c = site();
		const of: [string, RefusalCode, () => Promise<unknown>][] = [
			["no run yet", "not_found", () => statusOf(c, undefined)],
			["no such workflow", "not_found", () => prepare(c, "nothing", "Do it", {})],
			["a flag that means nothing here", "invalid", () => prepare(c, c.workflow, "Do it", { flags: { promise: "X" }, script: c.script })],
			["no agent", "invalid", () => prepare(c, c.workflow, "Do it", { agent: "nobody" })],
			["no repository", "invalid", () => listRuns({ ...c, cwd: scratchFolder("nothing") })],
		];
		for (const [what, code, work] of of) assert.equal(await codeOf(work()), code, what);
		put(c.cwd, { "dirt.txt": "x" });
		assert.equal(await codeOf(prepared(c)), "refused", "a tree that is not clean");
		put(c.cwd, { ".git/info/exclude": "dirt.txt\n" });
		const { run } = await startRun(c, await prepared(c), UNOBSERVED);
		assert.equal(await codeOf(statusOf(c, "nonsense")), "not_found");
		assert.equal(await codeOf(decide(c, { run, step: "work", verdict: "approve", reason: "" })), "not_found");
		assert.equal(await codeOf(extend(c, run, {})), "invalid");
		assert.equal(await codeOf(claimStep(c, { agent: "agent", run, leaseMs: null })), "refused");
		await decide(c, { run, step: undefined, verdict: "reject", reason: "no" });
		const rejected = await resume(c, run, {}, UNOBSERVED);
		assert.equal(rejected.how === "driven" && rejected.ended?.state.status, "failed");
		const refusal = await resume(c, run, {}, UNOBSERVED).then(() => null, asRefusal);
		assert.deepEqual([refusal?.code, refusal?.because], ["refused", "failed"]);
	});
});
