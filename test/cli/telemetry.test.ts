// Traces and metrics by OTLP, against a collector on loopback: what comes there of a run, of one that was killed and resumed, and what a collector that fails or hangs does
// to a run: nothing but one warning.
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { it } from "node:test";
import { PACKAGE } from "../support/bin.ts";
import { type Collector, collector, type SentSpan } from "../support/collector.ts";
import { type Ended, exited, pawl } from "../support/pawl.ts";
import { type Scratch, scratch } from "./scratch.ts";

const WORKFLOW = `name: small
title: One step
description: Does one story after the other
resume: yes
inputs:
  prd: {reader: prd, workspace: worktree}
roles:
  agent: {description: Does it, can: [run, commit], report: {notes: summary}}
steps: [stories]
types:
  stories:
    description: The stories
    each: {concurrency: $agents, order: dependencies, on_failure: block, expects_change: true, steps: [work, merge]}
  work: {description: Work, role: agent, timeout: 1m, writes: any, edits: true}
  merge:
    description: Merge
    action: merge
    internal: true
    by: engine
    timeout: 1h
    signals: [merged, empty, conflict, checks_failed, dirty]
    on: {merged: next, empty|conflict|checks_failed|dirty: fail story}
on:
  done: next
  agent_error|timeout|stalled|permission|context_too_long|boundary_violation|unreadable|workspace_error:
    {rollback: failures, retry: true, max: 2/step, exhausted: {fail: story}}
  lost: {rollback: failures, insert: [same], max: 3/step, exhausted: {rollback: failures, fail: story}}
  rate_limited|overloaded: {rollback: failures, wait: time}
  auth: fail run
`;

const SCRIPT = `steps:
  - on: {story: US-002, attempt: 1}
    do:
      - usage: {input_tokens: 10, output_tokens: 2, cost_usd: 0.01}
      - fail: {error: "no luck\\nwith what it printed"}
  - on: {type: work}
    do:
      - run: [sh, -c, "env > \\"$PAWL_SHARED_DIR/env.txt\\""]
      - write: {path: "{story}.txt", content: "secret words\\n"}
      - commit: "Add {story}"
      - usage: {input_tokens: 100, output_tokens: 20, cost_usd: 0.25}
      - say: "## SUMMARY\\n- secret words"
`;

function site(): Scratch {
	const userStories = ["US-001", "US-002"].map((id) => ({ id, title: id, description: "", acceptanceCriteria: ["it is there"] }));
	return scratch({
		"small/workflow.yml": WORKFLOW,
		"small/prompts/work.md": "Work: secret words {{story_description}}\n",
		"script.yml": SCRIPT,
		"prd.json": { project: "p", userStories },
		"pawl.yml": 'checks:\n  test: "ls *.txt"\n',
		".gitignore": ".pawl\n.none\n.config\n",
	});
}

const START = ["run", "./small", "--prd", "prd.json", "--agent", "scripted", "--script", "script.yml", "--agents", "1"];

const send = (s: Scratch, to: Collector, args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Ended> =>
	pawl(args, {
		cwd: s.root,
		env: { HOME: s.root, OTEL_EXPORTER_OTLP_ENDPOINT: to.url, OTEL_EXPORTER_OTLP_PROTOCOL: "http/json", ...env },
	});

const attempts = (spans: readonly SentSpan[]) => spans.filter(({ attributes }) => attributes["pawl.attempt"] !== undefined);

/** One trace, no span twice, and each in the time of the one that it belongs to, up to the run. */
function wellFormed(spans: readonly SentSpan[]): void {
	const byId = new Map(spans.map((span) => [span.spanId, span]));
	assert.equal(byId.size, spans.length, "no span came twice");
	assert.equal(new Set(spans.map(({ traceId }) => traceId)).size, 1, "one trace");
	for (const span of spans) {
		assert.match(span.traceId + span.spanId, /^[0-9a-f]{48}$/);
		if (!span.parentSpanId) continue;
		const parent = byId.get(span.parentSpanId);
		assert.ok(parent, `${span.name} belongs to a span that came too`);
		assert.ok(BigInt(parent.startTimeUnixNano) <= BigInt(span.startTimeUnixNano), span.name);
		assert.ok(BigInt(parent.endTimeUnixNano) >= BigInt(span.endTimeUnixNano), span.name);
	}
	assert.equal(spans.filter(({ parentSpanId }) => !parentSpanId).length, 1, "one run");
}

it("a run is one trace: run, stories, attempts with their checks, merges; and its metrics", async (t) => {
	const [to, s] = [await collector(t), site()];
	exited(
		await send(s, to, START, {
			OTEL_EXPORTER_OTLP_HEADERS: "authorization=Bearer collectors-own-secret",
			OTEL_RESOURCE_ATTRIBUTES: "deployment.environment.name=here",
			OTEL_SERVICE_NAME: "mine",
		}),
		0,
	);
	const spans = to.spans();
	wellFormed(spans);
	const [run] = spans.filter(({ parentSpanId }) => !parentSpanId);
	assert.equal(run?.name, "invoke_workflow small");
	assert.deepEqual(
		[run?.attributes["gen_ai.operation.name"], run?.attributes["pawl.run.status"], run?.attributes["pawl.run.sessions"]],
		["invoke_workflow", "completed", 3],
	);
	const stories = spans.filter(({ name }) => name.startsWith("story "));
	assert.deepEqual(
		stories.map(({ name, parentSpanId, attributes }) => [name, parentSpanId, attributes["pawl.story.status"]]),
		["US-001", "US-002"].map((id) => [`story ${id}`, run?.spanId, "completed"]),
	);
	const sessions = attempts(spans).filter(({ name }) => name === "invoke_agent scripted");
	assert.deepEqual(
		sessions.map(({ attributes: a, status }) => [a["pawl.story.id"], a["pawl.try"], status.code ?? 0, a["gen_ai.usage.input_tokens"]]),
		[
			["US-001", 1, 0, 100],
			["US-002", 1, 2, 10],
			["US-002", 2, 0, 100],
		],
	);
	const [failed] = sessions.filter(({ status }) => status.code === 2);
	assert.deepEqual([failed?.attributes["error.type"], failed?.attributes["gen_ai.operation.name"]], ["agent_error", "invoke_agent"]);
	assert.match(failed?.status.message ?? "", /no luck$/);
	const merges = spans.filter(({ name }) => name === "step merge");
	assert.deepEqual(
		merges.map(({ parentSpanId, events }) => [parentSpanId, events.some(({ name }) => name === "pawl.merge")]),
		stories.map(({ spanId }) => [spanId, true]),
	);
	assert.ok(
		spans.some(({ events }) =>
			events.some(({ name, attributes }) => name === "pawl.check" && attributes["pawl.check.result"] === "passed"),
		),
	);
	const sums = to.metrics();
	assert.deepEqual(
		[sums["pawl.sessions"], sums["pawl.cost"], sums["pawl.retries"], sums["pawl.merges"], sums["gen_ai.invoke_workflow.duration"]],
		[3, 0.51, 1, 2, 1],
	);
	assert.deepEqual([sums["gen_ai.invoke_agent.duration"], sums["gen_ai.client.token.usage"]], [3, 6]);
	assert.ok((sums["pawl.checks"] ?? 0) >= 2);
	const { "service.name": name, "deployment.environment.name": place } = to.resource();
	assert.deepEqual([name, place], ["mine", "here"]);
	assert.ok(to.requests.every(({ headers }) => headers["authorization"] === "Bearer collectors-own-secret"));
	// Neither prompts nor answers nor what a program printed, and nothing of it for the agent.
	assert.doesNotMatch(to.requests.map(({ body }) => body.toString("utf8")).join(), /secret words|what it printed/);
	const id = String(run?.attributes["pawl.run.id"]);
	assert.doesNotMatch(readFileSync(join(s.root, ".pawl", "runs", id, "env.txt"), "utf8"), /OTEL_/);
});

it("a run that is killed and resumed is one trace, with the lost attempt in it once", async (t) => {
	const [to, s] = [await collector(t), site()];
	const killed = await send(s, to, START, { PAWL_CRASH_AT: "before attempt_ended#3", OTEL_BSP_SCHEDULE_DELAY: "1" });
	assert.equal(killed.signal, "SIGKILL");
	exited(await send(s, to, ["resume"]), 0);
	const spans = to.spans();
	// What the killed process had not sent by then is missing, and nothing comes twice: it is known who has what.
	const ids = spans.map(({ spanId }) => spanId);
	assert.equal(new Set(ids).size, ids.length);
	assert.equal(new Set(spans.map(({ traceId }) => traceId)).size, 1);
	const lost = attempts(spans).filter(({ attributes }) => attributes["error.type"] === "lost");
	assert.equal(lost.length, 1);
	assert.deepEqual(
		spans.filter(({ parentSpanId }) => !parentSpanId).map(({ name, attributes }) => [name, attributes["pawl.run.status"]]),
		[["invoke_workflow small", "completed"]],
	);
});

it("a wait for a person is a span, whoever ends it; a run that had ended and goes on has a second span in the same trace", async (t) => {
	const to = await collector(t);
	const s = scratch({
		"asks/workflow.yml":
			"name: asks\nstory: [ask, code]\ntypes:\n  ask: {approval: person}\n  code: {prompt: Do it., on: {agent_error: fail}}\n",
		"script.yml": "steps:\n  - on: {attempt: 1}\n    do: [{fail: {error: no}}]\n  - do: [{write: {path: new.txt, content: new}}]\n",
	});
	exited(await send(s, to, ["run", "./asks", "Do it", "--agent", "scripted", "--script", "script.yml"]), 3);
	assert.deepEqual(
		to.spans().map(({ name }) => name),
		[],
	);
	exited(await send(s, to, ["approve", "--resume"]), 1);
	const waits = to.spans().filter(({ name }) => name === "wait for a person");
	assert.deepEqual(
		waits.map(({ attributes }) => attributes["pawl.verdict"]),
		["approve"],
	);
	assert.equal(to.metrics()["pawl.person.wait.duration"], 1);
	exited(await send(s, to, ["retry"]), 0);
	const spans = to.spans();
	const ids = spans.map(({ spanId }) => spanId);
	assert.equal(new Set(ids).size, ids.length);
	assert.equal(new Set(spans.map(({ traceId }) => traceId)).size, 1);
	for (const { parentSpanId, name } of spans) assert.ok(!parentSpanId || ids.includes(parentSpanId), name);
	assert.deepEqual(
		spans.filter(({ parentSpanId }) => !parentSpanId).map(({ status, attributes }) => [status.code ?? 0, attributes["pawl.run.status"]]),
		[
			[2, "failed"],
			[0, "completed"],
		],
	);
});

for (const how of ["fails", "hangs", "never finishes"] as const)
	it(`a collector that ${how} costs a run one warning`, async (t) => {
		const [to, s] = [await collector(t, how), site()];
		const ended = exited(await send(s, to, START, { OTEL_EXPORTER_OTLP_TIMEOUT: "200", OTEL_BSP_SCHEDULE_DELAY: "1" }), 0);
		assert.ok(to.requests.length > 1);
		assert.equal(ended.stderr.match(/telemetry could not be sent/g)?.length, 1, ended.stderr);
	});

it("without a protocol it is protobuf, and a command that commits nothing sends nothing", async (t) => {
	const [to, s] = [await collector(t), site()];
	exited(await send(s, to, START, { OTEL_EXPORTER_OTLP_PROTOCOL: "" }), 0);
	assert.deepEqual([...new Set(to.requests.map(({ headers }) => headers["content-type"]))], ["application/x-protobuf"]);
	assert.deepEqual([...new Set(to.requests.map(({ path }) => path))].sort(), ["/v1/metrics", "/v1/traces"]);
	const before = to.requests.length;
	exited(await send(s, to, ["run", "./small", "--prd", "prd.json", "--dry-run"]), 0);
	assert.equal(to.requests.length, before);
});

it("no command loads OpenTelemetry's packages with its start", { skip: !existsSync(join(PACKAGE, "dist", "main.cjs")) }, () => {
	const dist = join(PACKAGE, "dist");
	const text = (file: string): string => readFileSync(join(dist, file), "utf8");
	/** What a file loads before anything of it runs: a load at the beginning of a line is in no function. */
	const loaded = new Set(["main.cjs"]);
	for (const file of loaded) for (const [, other = ""] of text(file).matchAll(/^\S.*?require\("\.\/([^"]+)"\)/gm)) loaded.add(other);
	const sends = readdirSync(dist).filter((file) => file.endsWith(".cjs") && text(file).includes("OTel-OTLP-Exporter"));
	assert.ok(sends.length > 0 && loaded.size > 1);
	assert.deepEqual(
		sends.filter((file) => loaded.has(file)),
		[],
	);
});
