// Several machines: each worker is a process with its own home and its own clone of a shared repository; runs are in PostgreSQL. A person starts, stops and
// follows a run from elsewhere.
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { collector, type SentSpan } from "../support/collector.ts";
import { git, type Site, site, until } from "../support/machines.ts";
import { startPawl } from "../support/pawl.ts";
import { withoutPostgres } from "../support/postgres.ts";

interface Listed {
	readonly worker: string;
	readonly repo: string;
	readonly lanes: number;
	readonly gone: boolean;
	readonly draining: boolean;
	readonly works: readonly { readonly story: string | null }[];
}

const workersOf = async (s: Site): Promise<Listed[]> => JSON.parse((await s.pawl("workers", "--json").done).stdout) as Listed[];

/** A run that is over is removed from the database, and what workers published for it from the shared repository; nothing else is. */
async function prunes(s: Site): Promise<void> {
	const refs = (): string[] => git(s.shared, "for-each-ref", "--format=%(refname)", "refs/pawl").split("\n");
	const foreign = "refs/pawl/20200101-other/US-9/step-1";
	git(s.shared, "update-ref", foreign, "main");
	const published = refs();
	const base = git(s.shared, "rev-parse", "main");
	assert.ok(published.length > 4, published.join(" "));
	const young = await s.elsewhere("prune").done;
	assert.match(young.stdout, /nothing to remove; 1 run stays/);
	const tried = await s.elsewhere("prune", "--older-than", "1ms").done;
	assert.match(tried.stdout, new RegExp(`would remove 1 run, ${published.length - 1} refs of the shared repository`), tried.all);
	assert.deepEqual(refs(), published);
	const done = await s.elsewhere("prune", "--older-than", "1ms", "--yes").done;
	assert.equal(done.code, 0, done.all);
	assert.deepEqual(refs(), [foreign], "what another database's runs left stays");
	assert.equal(git(s.shared, "rev-parse", "main"), base);
	assert.match((await s.elsewhere("runs").done).stderr, /there are no runs yet/);
}

/** Each part of the run came from one process, in one trace; what the killed worker had begun, from whoever took it over. */
function toldOnce(spans: readonly SentSpan[], stories: readonly string[]): void {
	const ids = spans.map(({ spanId }) => spanId);
	assert.equal(new Set(ids).size, ids.length, "no span came twice");
	assert.equal(new Set(spans.map(({ traceId }) => traceId)).size, 1);
	assert.equal(spans.filter(({ parentSpanId }) => !parentSpanId).length, 1);
	for (const { name, parentSpanId } of spans) assert.ok(!parentSpanId || ids.includes(parentSpanId), `${name} belongs to a span that came`);
	const merged = spans.filter(({ name, attributes }) => name === "step merge" && attributes["pawl.signal"] === "merged");
	assert.deepEqual(merged.map(({ attributes }) => attributes["pawl.story.id"]).sort(), stories);
	const lost = spans.filter(({ attributes }) => attributes["error.type"] === "lost" && attributes["pawl.step.type"] === "coding");
	assert.ok(lost.length > 0);
}

describe("workers", { skip: withoutPostgres, concurrency: 2 }, () => {
	test("M2 A1 A8 a worker that is killed leaves its stories to the others, each story lands once, and a worker that is told to stop finishes", async (t) => {
		const s = await site("US-1", "US-2", "US-3", "US-4");
		const to = await collector(t);
		s.more = { OTEL_EXPORTER_OTLP_ENDPOINT: to.url, OTEL_EXPORTER_OTLP_PROTOCOL: "http/json", OTEL_BSP_SCHEDULE_DELAY: "1" };
		mkdirSync(s.wait);
		const run = s.run();
		// The lanes were made by somebody who would wait for much longer than these workers' lease.
		await until("the run", async () => (await s.pawl("runs", "--json").done).stdout.includes("running"));
		const [first, second] = [s.worker("a"), s.worker("b")];
		await until("coding of all four", () => new Set(s.begun()).size === 4);
		assert.deepEqual((await workersOf(s)).flatMap(({ works }) => works.map(({ story }) => story)).sort(), s.stories, "who works on what");
		process.kill(-(first.child.pid ?? 0), "SIGKILL");
		writeFileSync(join(s.wait, "go"), "");
		const { code, all } = await run.done;
		assert.equal(code, 0, `${all}\n${second.said()}\n${await s.table()}`);
		assert.deepEqual(s.landed().sort(), s.stories);
		assert.deepEqual(s.passing(), s.stories, "the file is kept up to date where the person is");
		assert.equal(git(s.shared, "fsck", "--strict").includes("error"), false);
		assert.equal(s.begun().length > 4, true, "what the dead worker had begun was begun again");
		assert.deepEqual((await workersOf(s)).map(({ gone }) => gone).sort(), [false, true]);
		second.child.kill("SIGTERM");
		assert.equal((await second.done).code, 0);
		toldOnce(to.spans(), s.stories);
	});

	test("M3 G-05 a person stops a run from their own machine, looks at it, and lets it go on", async () => {
		const s = await site("US-1", "US-2");
		mkdirSync(s.wait);
		const worker = s.worker("a");
		const run = s.run();
		await until("coding of both", () => new Set(s.begun()).size === 2);
		const paused = await s.pawl("pause").done;
		assert.equal(paused.code, 0, paused.all);
		assert.equal((await run.done).code, 3, "whoever follows it is told");
		const status = JSON.parse((await s.pawl("status", "--json").done).stdout) as { status: string };
		assert.equal(status.status, "paused");
		writeFileSync(join(s.wait, "go"), "");
		const resumed = await s.pawl("resume").done;
		assert.equal(resumed.code, 0, `${resumed.all}\n${worker.said()}`);
		assert.deepEqual(s.landed().sort(), s.stories);
		await prunes(s);
		const [listed, ...others] = await workersOf(s);
		assert.deepEqual(others, []);
		assert.equal(listed?.repo, s.shared);
		assert.deepEqual([listed?.lanes, listed?.gone, listed?.draining], [2, false, false]);
		const unknown = await s.pawl("workers", "drain", "nobody").done;
		assert.equal(unknown.code, 2);
		assert.match(unknown.stderr, new RegExp(`there is no worker nobody; there are ${listed?.worker}`));
		const drained = await s.pawl("workers", "drain", listed?.worker ?? "").done;
		assert.equal(drained.code, 0, drained.all);
		assert.equal((await worker.done).code, 0, "it learns that from the database");
		assert.match((await s.pawl("workers").done).stderr, /there are no workers; start one/);
	});

	test("G-24 a run that ended when nobody followed it is not done again: the same start says so, and whoever attaches or resumes gets its files", async () => {
		const s = await site("US-1", "US-2");
		mkdirSync(s.wait);
		s.worker("a");
		const run = s.run();
		await until("coding of both", () => new Set(s.begun()).size === 2);
		process.kill(-(run.child.pid ?? 0), "SIGKILL");
		await run.done;
		writeFileSync(join(s.wait, "go"), "");
		const status = async (): Promise<string> => (JSON.parse((await s.pawl("status", "--json").done).stdout) as { status: string }).status;
		while ((await status()) !== "completed");
		assert.deepEqual(s.passing(), [], "nobody was there to say it");
		const again = await s.run().done;
		assert.equal(again.code, 0, again.all);
		assert.match(again.all, /there is nothing to do\. US-1: run \S+ did it: [0-9a-f]{12} on main of the shared repository; US-2/);
		assert.equal((JSON.parse((await s.pawl("runs", "--json").done).stdout) as unknown[]).length, 1);
		assert.deepEqual(s.landed().sort(), s.stories, "each once");
		const behind = readFileSync(join(s.me, "prd.json"));
		for (const command of ["attach", "resume"]) {
			writeFileSync(join(s.me, "prd.json"), behind);
			const ended = await s.pawl(command).done;
			assert.equal(ended.code, 0, ended.all);
			assert.deepEqual(s.passing(), s.stories, command);
		}
	});

	test("what machines cannot share is refused before anything is written", async () => {
		const s = await site("US-1");
		const noDatabase = await startPawl(["worker", "--repo", s.shared], { cwd: s.me }).done;
		assert.equal(noDatabase.code, 2);
		assert.match(noDatabase.stderr, /name the database/);
		for (const [args, why] of [
			[["run", "dynamic", "do it", "--agent", "command", "--agent-command", "true"], /worktrees of their own/],
			[["worker", "--repo", "ext::sh -c true"], /ext::/],
			[["worker", "--repo", s.shared, "--lease", "1s"], /at least 10s/],
		] as const) {
			const refused = await s.pawl(...args).done;
			assert.equal(refused.code, 2, refused.all);
			assert.match(refused.stderr, why);
		}
	});
});
