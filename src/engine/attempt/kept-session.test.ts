// An unreadable report is asked for again in its own session where the agent can continue it; any other agent gets the whole prompt.
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import type { ReportGrammar } from "../../core/definition.ts";
import { canBeUnreadable } from "../../core/report/grammar.ts";
import { readReport } from "../../core/report/report.ts";
import { askForReport } from "../../prompt/ask-for-report.ts";
import { type Cast, inOrder, type Part } from "../testing/cast.suite.ts";
import { type Harness, type HarnessOptions, harness } from "../testing/harness.suite.ts";
import { violations } from "../testing/invariants.suite.ts";
import { definitionOf } from "../testing/start.suite.ts";

const WORKFLOW = `name: asked
title: Work, then a verdict
description: Two steps whose reports have to say something
resume: yes
inputs:
  request: {reader: request, workspace: tree}
roles:
  dev: {description: Works, can: [run, commit], report: {notes: summary, signals: {done: {STATUS: done}, stuck: {STATUS: stuck}}, keys: [CHANGES]}}
  check: {description: Reads, can: [], report: {signals: {fine: {VERDICT: FINE}, bad: {VERDICT: BAD}}}}
steps: [stories]
types:
  stories:
    description: The stories
    each: {concurrency: 1, order: list, on_failure: block, expects_change: true, steps: [work, review]}
  work: {description: Work, role: dev, timeout: 1m, writes: any, on: {stuck: fail story}}
  review: {description: Review, role: check, timeout: 1m, writes: none, on: {fine: next, bad: fail story}}
on:
  done: next
  agent_error|timeout|stalled|permission|context_too_long|boundary_violation|unreadable|workspace_error:
    {rollback: failures, fail: story}
  lost: {rollback: failures, insert: [same], max: 3/step, exhausted: {rollback: failures, fail: story}}
  rate_limited|overloaded: {rollback: failures, wait: time, max: 5/step, exhausted: {rollback: failures, fail: story}}
  auth: fail run
`;

const REPORT = "STATUS: done\n\n## SUMMARY\n- done\n";
const GOOD: Cast = { work: work(REPORT), review: "VERDICT: FINE" };
const kept = (text: string, session = "s-1") => ({
	text,
	sessionId: session,
	resumable: true,
	usage: { costUsd: 1, inputTokens: 1, outputTokens: 1 },
});

function work(report: string | ReturnType<typeof kept>): Part {
	return ({ files, session }) => {
		files.write("work.txt", "w\n");
		// As an agent would: its history is in the folder that it was given.
		if (session) mkdirSync(session.folder, { recursive: true });
		if (session) writeFileSync(join(session.folder, "history"), "h\n");
		return report;
	};
}

const run = async (t: TestContext, cast: Cast, more: Partial<HarnessOptions> = {}): Promise<Harness> => {
	const prompts = { "prompts/work.md": "Do it: {{story_description}}\n", "prompts/review.md": "Look at it.\n" };
	const options = { workflow: { yaml: WORKFLOW, prompts }, given: "Add a file", stories: ["US-1"], files: { "README.md": "a project\n" } };
	return harness(t, { ...options, ...more, cast: { ...GOOD, ...cast } });
};
const workOf = (h: Harness) => h.prompts.filter(({ type }) => type === "work");
const left = (h: Harness): string[] => {
	const folder = join(h.sharedDir, "sessions", ".unread");
	return existsSync(folder) ? readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => name.includes("history")) : [];
};

test("asked in the same session: a short message with what was missing; the work stays, and every attempt is paid for", async (t) => {
	const h = await run(t, { work: inOrder(work(kept("I added it.")), () => kept(REPORT)) });
	const state = await h.toHalt();
	assert.equal(state.status, "completed");
	assert.equal(h.site.show("main")["work.txt"], "w\n");
	const [first, second] = workOf(h);
	assert.deepEqual([first?.session?.continue, second?.session?.continue, second?.session?.folder], [null, "s-1", first?.session?.folder]);
	const message = second?.session?.message ?? "";
	assert.match(
		message,
		/could not be read[\s\S]*it has no STATUS line[\s\S]*STATUS: `done` or `stuck`[\s\S]*<example>\nSTATUS: done\n\n## SUMMARY/,
	);
	assert.ok(message.length < 1500 && !message.includes("Add a file"), "nothing of the prompt is repeated");
	assert.equal(state.totals.costUsd, 2);
	assert.deepEqual(
		(await h.events()).filter(({ event }) => event === "report_asked").map((event) => "missing" in event && event.missing),
		["it has no STATUS line: say STATUS: with one of done, stuck; no SUMMARY section"],
	);
	assert.deepEqual(left(h), [], "nothing of the session stays");
	assert.deepEqual(await violations(h), []);
});

test("the whole prompt says what was missing, for an agent that finds that it cannot continue", async (t) => {
	const h = await run(t, { work: inOrder(work(kept("I added it.")), () => kept(REPORT)) });
	await h.toHalt();
	assert.match(workOf(h)[1]?.prompt ?? "", /its report could not be read or was not complete: it has no STATUS line[\s\S]*Do it:/);
});

test("an answer that repeats the message is not a report: the route of `unreadable` decides, and both attempts are put back", async (t) => {
	const h = await run(t, { work: inOrder(work(kept("I added it.")), ({ session }) => kept(session?.message ?? "")) });
	const state = await h.toHalt();
	assert.deepEqual([state.status, workOf(h).length, h.site.show("main")["work.txt"]], ["failed", 2, undefined]);
	assert.deepEqual(left(h), []);
	assert.deepEqual(await violations(h), []);
});

test("a session that nobody kept is not asked: the route of `unreadable` decides at once", async (t) => {
	const h = await run(t, { work: work("I added it.") });
	assert.deepEqual([(await h.toHalt()).status, workOf(h).length], ["failed", 1]);
});

test("another agent takes over: it starts fresh, with the whole prompt", async (t) => {
	const limited: Part = () => ({ result: "rate_limited", error: "limit", retryAt: 9_000_000_000_000 });
	const h = await run(t, { work: inOrder(work(kept("I added it.")), limited) }, { standIn: { "*": REPORT, review: "VERDICT: FINE" } });
	assert.equal((await h.toHalt()).status, "failed", "the rate limit put the work back, and the second agent changed nothing");
	const [, second, third] = workOf(h);
	assert.deepEqual([second?.session?.continue, third?.session?.continue], ["s-1", null]);
});

test("killed between the two attempts, at every operation: the report is asked for, and the run completes", async (t) => {
	const unread = work(kept("I added it."));
	const cast: Cast = { work: (turn) => (turn.session?.continue || typeof unread === "string" ? kept(REPORT) : unread(turn)) };
	for (let n = 1; ; n++) {
		const h = await run(t, cast);
		const ended = await h.drive(dieAfterFirst(h, n));
		if (ended.how === "halted") break;
		assert.equal((await h.toHalt()).status, "completed", `killed ${n} operations after the first attempt`);
		assert.equal(h.site.show("main")["work.txt"], "w\n");
		assert.deepEqual([...left(h), ...(await violations(h))], []);
	}
});

/** Kills the process at its n-th operation after the first session. */
function dieAfterFirst(h: Harness, n: number): (boundary: string) => "go" | "die" {
	let since = 0;
	return () => (workOf(h).length === 0 || ++since < n ? "go" : "die");
}

test("a folder that an agent replaced by a link is neither used nor emptied", async (t) => {
	const h = await run(t, {
		work: ({ files, sharedDir }) => {
			files.write("work.txt", "w\n");
			mkdirSync(join(sharedDir, "elsewhere", "US-1"), { recursive: true });
			writeFileSync(join(sharedDir, "elsewhere", "US-1", "mine"), "m\n");
			mkdirSync(join(sharedDir, "sessions"), { recursive: true });
			symlinkSync(join(sharedDir, "elsewhere"), join(sharedDir, "sessions", ".unread"));
			return REPORT;
		},
	});
	assert.equal((await h.toHalt()).status, "completed");
	assert.ok(existsSync(join(h.sharedDir, "elsewhere", "US-1", "mine")));
	assert.equal(h.prompts.find(({ type }) => type === "review")?.session, undefined);
});

/** Every grammar of the built-in workflows: of roles, of step types and of the roles of a loop. */
async function grammars(): Promise<(readonly [name: string, ReportGrammar])[]> {
	const names = ["dynamic", "phased", "feature-dev", "bug-fix", "security-audit", "ralph", "gated"];
	const all = await Promise.all(names.map((name) => definitionOf(name, "")));
	return all.flatMap(({ name, roles, types }) => [
		...Object.values(roles).map((role) => [`${name} ${role.name}`, role.report] as const),
		...Object.values(types).flatMap((type) => [
			...(type.report ? [[`${name} ${type.name}`, type.report] as const] : []),
			...Object.values(type.loop?.roles ?? {}).flatMap(({ role, report }) =>
				report ? [[`${name} ${type.name} ${role}`, report] as const] : [],
			),
		]),
	]);
}

test("the example of every report can be read, and repeating the message is not a report", async () => {
	const found = (await grammars()).filter(([, grammar]) => canBeUnreadable(grammar));
	assert.ok(found.length > 15, `only ${found.length}`);
	for (const [name, grammar] of found) {
		const message = askForReport(grammar, "it has no STATUS line");
		const examples = [...message.matchAll(/<example>\n([\s\S]*?)\n<\/example>/g)].map(([, text = ""]) => readReport(grammar, text));
		for (const { signal, problem } of examples) assert.notEqual(signal, "unreadable", `${name}: ${problem}\n${message}`);
		assert.equal(
			new Set(examples.map(({ signal }) => signal)).size,
			grammar.denies === undefined ? 1 : 2,
			`${name}: T-23 a judge sees both answers`,
		);
		assert.ok(Buffer.byteLength(message) < 2000, name);
	}
});

test("G-15 D-102 edits that are rejected are asked for in the session that wrote them, with the path; a fence around them is none of their faults", async (t) => {
	const yaml = WORKFLOW.replace(/report: \{notes: summary.*\}\}/, "report: {notes: summary}}")
		.replace("writes: any, on: {stuck: fail story}", "writes: any, edits: true")
		.replace("resume: yes", "resume: yes\nlimits: {steps: 30, restarts: 3}");
	const edit =
		(text: string): Part =>
		({ files, sharedDir, session, story }) => {
			if (!session?.continue) files.write("work.txt", "w\n");
			mkdirSync(join(sharedDir, "workflow_edits"), { recursive: true });
			writeFileSync(join(sharedDir, "workflow_edits", `${story}.json`), text);
			return kept(session?.continue ? "mended" : "## SUMMARY\n- the work\n");
		};
	const operation = '{"operation": "add_after", "target_step_id": "step-001", "new_steps": [{"type": "work", "description": "more"}]';
	const h = await run(
		t,
		{
			work: inOrder(
				edit(`[${operation}}]`),
				edit(`\`\`\`json\n[${operation}, "reason": "more"}]\n\`\`\`\n`),
				work(kept("## SUMMARY\n- more\n")),
			),
		},
		{ workflow: { yaml, prompts: { "prompts/work.md": "Do it: {{notes}} {{scratch_story}}\n", "prompts/review.md": "Look at it.\n" } } },
	);
	assert.equal((await h.toHalt()).status, "completed");
	const [, second, third] = workOf(h);
	assert.match(second?.session?.message ?? "", /`reason` is missing[\s\S]*Write the whole file `\S+\/workflow_edits\/US-1\.json` again/);
	assert.deepEqual([workOf(h).length, third?.session?.continue], [3, null]);
	assert.match(third?.prompt ?? "", /- the work/);
	assert.doesNotMatch(third?.prompt ?? "", /rejected|mended/);
	assert.deepEqual(left(h), []);
});
