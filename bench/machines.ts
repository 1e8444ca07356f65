// Twenty workers, each a process, and five hundred stories of steps that do nothing: whether lanes stand idle while work is ready, what a commit takes against a
// bare transaction of the same server in the same seconds, whether either grows with the run; and how soon others go on where a worker was killed.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type { Client } from "pg";
import { Run } from "../src/engine/run.ts";
import { openPostgresStore } from "../src/store/postgres/store.ts";
import { killGroup, MachinesSite } from "./machines-site.ts";
import { names, prd, workflowIn } from "./stories.ts";
import { type Figure, median, repeated, spreadText } from "./support.ts";

const WORKERS = 20;
const STORIES = 500;
const STEPS = 3;
const PROBE_MS = 50;
const LOOK_MS = 200;
const HEARTBEAT_S = 10;
const BUSY = 0.95;

export async function machinesFigures(): Promise<Figure[]> {
	const all = await repeated(manyWorkers);
	const of = (what: (one: Many) => number): number[] => all.map(what);
	const [busy, ratio, growth] = [of((one) => one.busy), of((one) => one.commit.p99 / one.bare.p99), of((one) => one.growth)];
	const over = await repeated(takeover);
	const late = over.map((seconds) => seconds - HEARTBEAT_S);
	const name = `${WORKERS} workers, ${STORIES} stories × ${STEPS} steps`;
	const ms = (what: (one: Many) => number): string => median(of(what)).toFixed(1);
	return [
		{ name: `${name}: lanes busy while work is ready`, value: spreadText(busy), aim: `≥ ${BUSY}`, met: median(busy) >= BUSY },
		{
			name: "a commit / a bare transaction, 99th percentile",
			value: `${spreadText(ratio, 1)}, ${ms((one) => one.commit.p99)} / ${ms((one) => one.bare.p99)} ms`,
			aim: "",
			met: true,
		},
		{
			name: "a commit / a bare transaction, median",
			value: `${ms((one) => one.commit.p50)} / ${ms((one) => one.bare.p50)} ms`,
			aim: "",
			met: true,
		},
		{ name: "the last fifth of the stories / the first", value: spreadText(growth), aim: "≤ 1.2", met: median(growth) <= 1.2 },
		{
			name: "transactions of the database for a step",
			value: spreadText(
				of((one) => one.transactions),
				1,
			),
			aim: "",
			met: true,
		},
		{ name: "seconds for a story", value: spreadText(of((one) => one.seconds / STORIES)), aim: "", met: true },
		{
			name: `takeover after kill -9 beyond the heartbeat of ${HEARTBEAT_S} s`,
			value: `${spreadText(late, 1)} s`,
			aim: "≤ 5 s",
			met: median(late) <= 5,
		},
	];
}

interface Times {
	readonly p50: number;
	readonly p99: number;
}

interface Many {
	readonly busy: number;
	readonly commit: Times;
	readonly bare: Times;
	readonly growth: number;
	readonly transactions: number;
	readonly seconds: number;
}

function manyWorkers(): Promise<Many> {
	return MachinesSite.with("#!/bin/sh\nexec /bin/true\n", async (site) => {
		writeFileSync(join(site.me, "prd.json"), prd(names(STORIES)));
		const workflow = workflowIn(site.path, "worktree", `[${Array(STEPS).fill("write").join(", ")}]`, false);
		for (let n = 0; n < WORKERS; n++) await site.worker(`w${n}`, ["--lanes", "1"]);
		const client = await site.connect();
		const before = await transactionsIn(client);
		const run = site.run(workflow, WORKERS);
		let over = false;
		void run.ended.then(() => {
			over = true;
		});
		const [lanes, times] = await Promise.all([watchLanes(client, () => over), probe(site, () => over)]);
		if ((await run.ended) !== 0) throw new Error(`the run failed: ${run.said().slice(-2000)}`);
		const after = await transactionsIn(client);
		const { rows } = await client.query<{ event: string; at: string }>(
			"SELECT event, at FROM pawl.events WHERE event IN ('story_claimed', 'story_completed') ORDER BY version",
		);
		await client.end();
		const at = (event: string) => rows.filter((row) => row.event === event).map((row) => Date.parse(row.at));
		const [claimed, completed] = [at("story_claimed"), at("story_completed")];
		// Every worker has got its first story, and there are stories that nobody has.
		const [from, to] = [claimed[WORKERS - 1] ?? 0, claimed.at(-1) ?? 0];
		const ready = lanes.filter((one) => one.at >= from && one.at <= to).map(({ busy }) => busy / WORKERS);
		const fifth = Math.floor(STORIES / 5);
		const took = (some: readonly number[]): number => (some.at(-1) ?? 0) - (some[0] ?? 0);
		return {
			busy: ready.reduce((sum, one) => sum + one, 0) / ready.length,
			...times,
			growth: took(completed.slice(-fifth)) / took(completed.slice(0, fifth)),
			transactions: (after - before) / (STORIES * STEPS),
			seconds: took([claimed[0] ?? 0, completed.at(-1) ?? 0]) / 1000,
		};
	});
}

const transactionsIn = async (client: Client): Promise<number> => {
	const { rows } = await client.query<{ n: string }>(
		"SELECT xact_commit + xact_rollback AS n FROM pg_stat_database WHERE datname = current_database()",
	);
	return Number(rows[0]?.n);
};

async function watchLanes(client: Client, over: () => boolean): Promise<{ readonly at: number; readonly busy: number }[]> {
	const seen: { at: number; busy: number }[] = [];
	while (!over()) {
		const { rows } = await client.query<{ n: number }>("SELECT count(*)::int AS n FROM pawl.lanes WHERE until > clock_timestamp()");
		seen.push({ at: Date.now(), busy: rows[0]?.n ?? 0 });
		await wait(LOOK_MS);
	}
	return seen;
}

/** One more process that commits to the same run, and beside it a transaction that changes one row of its own. */
async function probe(site: MachinesSite, over: () => boolean): Promise<{ readonly commit: Times; readonly bare: Times }> {
	const store = await openPostgresStore({ url: site.server.url });
	const client = await site.connect();
	const [commits, bare]: [number[], number[]] = [[], []];
	try {
		await client.query("CREATE TABLE bench (n int)");
		await client.query("INSERT INTO bench VALUES (0)");
		let opened: Awaited<ReturnType<typeof Run.share>> = null;
		while (!over()) {
			const [summary] = await store.runs();
			if (opened === null && summary !== undefined) opened = await Run.share({ store }, summary.id);
			if (opened === null) {
				await wait(PROBE_MS);
				continue;
			}
			const { run } = opened;
			await run.refresh();
			// An entry of the inbox that is not there: a commit of the run that changes nothing in it.
			commits.push(await timed(() => run.feed({ type: "advance", at: Date.now() }, { taken: [-1] })));
			bare.push(
				await timed(async () => {
					for (const sql of ["BEGIN", "UPDATE bench SET n = n + 1", "COMMIT"]) await client.query(sql);
				}),
			);
			await wait(PROBE_MS);
		}
		return { commit: timesOf(commits), bare: timesOf(bare) };
	} finally {
		await client.end();
		await store.close();
	}
}

async function timed(work: () => Promise<unknown>): Promise<number> {
	const start = performance.now();
	await work();
	return performance.now() - start;
}

function timesOf(times: readonly number[]): Times {
	const sorted = times.toSorted((a, b) => a - b);
	return { p50: median(times), p99: sorted[Math.floor(sorted.length * 0.99)] ?? Number.NaN };
}

/** Seconds from the kill of a worker to the moment in which another one has its story. */
function takeover(): Promise<number> {
	return MachinesSite.with("#!/bin/sh\nsleep 60\n", async (site) => {
		writeFileSync(join(site.me, "prd.json"), prd(names(1)));
		const workflow = workflowIn(site.path, "worktree", "[write]", false);
		const flags = ["--lanes", "1", "--lease", `${HEARTBEAT_S}s`];
		const workers = await Promise.all(["a", "b", "c"].map((name) => site.worker(name, flags)));
		const client = await site.connect();
		site.run(workflow, 1);
		const holder = async (): Promise<string> => {
			const sql = "SELECT worker FROM pawl.lanes WHERE scope <> '@run' AND until > clock_timestamp()";
			return (await client.query<{ worker: string }>(sql)).rows[0]?.worker ?? "";
		};
		let first = "";
		while (first === "" || (await client.query("SELECT 1 FROM pawl.events WHERE event = 'step_prepared'")).rows.length === 0) {
			first = await holder();
			await wait(PROBE_MS);
		}
		const victim = workers.find((worker) => worker.said().includes(first));
		if (victim === undefined) throw new Error(`no worker is ${first}`);
		const start = performance.now();
		killGroup(victim.child, "SIGKILL");
		for (let now = first; now === first || now === ""; now = await holder()) await wait(PROBE_MS);
		const seconds = (performance.now() - start) / 1000;
		await client.end();
		return seconds;
	});
}
