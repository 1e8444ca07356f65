// npm run demo:machines [-- --json]: several machines on this one. A PostgreSQL server, a shared git repository, three workers and nine stories; one worker is killed with
// kill -9 while it works, and every story still lands once. Needs nothing but the development dependencies, and leaves nothing behind, not even after
// Ctrl-C.
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fitted } from "../src/cli/text/fit.ts";
import { DemoSite, type DemoWorker } from "./demo-site.ts";
import { type PostgresServer, startPostgres } from "./postgres.ts";

const NAMES = ["east", "north", "west"];
const STORIES = Array.from({ length: 9 }, (_, index) => `US-${index + 1}`);
const LANES = 2;

/** Figures at the end, for `npm run prove`. */
const wantsJson = process.argv.includes("--json");
const say = (text: string): void => console.log(text);
const folder = realpathSync(mkdtempSync(join(tmpdir(), "pawl-demo-machines-")));
let server: PostgresServer | null = null;
let site: DemoSite | null = null;

let cleaning: Promise<void> | null = null;
/** Once, whoever asks for it: everything that was started ends, and everything that was made goes. */
function cleanUp(): Promise<void> {
	cleaning ??= (async () => {
		await site?.endAll();
		await server?.stop();
		rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
	})();
	return cleaning;
}

for (const [signal, code] of [
	["SIGINT", 130],
	["SIGTERM", 143],
] as const)
	process.once(signal, () => {
		say("\nstopped: ends the workers and the server, and removes everything");
		void cleanUp().finally(() => process.exit(code));
	});

/** What did not go as it should; null if nothing. */
async function demo(): Promise<string | null> {
	say(`Three machines are three processes here, each with its own home and its own clone. Everything is in ${folder}\n`);
	server = await startPostgres(tmpdir());
	say(`a database            PostgreSQL on port ${new URL(server.url).port}; pawl makes its tables when it first connects`);
	site = new DemoSite(folder, server.url, STORIES, LANES);
	say("a shared repository   shared.git, which every machine can push to");
	const workers = NAMES.map((name) => site?.worker(name, (text) => say(`${name.padEnd(8)}  ${text}`))) as DemoWorker[];
	await Promise.all(workers.map(({ ready }) => ready));
	say(`three workers         pawl worker --repo shared.git --lanes ${LANES}   (on ${NAMES.join(", ")})`);
	say(`a run                 pawl run dynamic --prd prd.json --agents ${NAMES.length * LANES}   (${STORIES.length} stories)\n`);
	const run = site.run();
	const victim = await Promise.race([atWork(site, workers), run.ended.then(() => null)]);
	const interrupted = victim === null ? [] : [...victim.atWork];
	if (victim !== null) {
		victim.kill();
		say(
			`\n${victim.name} is killed with kill -9 while it works on ${interrupted.join(" and ")}. After its lease (10 s) others go on with that.\n`,
		);
	}
	const code = await run.ended;
	const landed = site.landed();
	const rows = STORIES.map((id) => {
		const commits = landed.filter(({ story }) => story === id);
		const by = workers.filter(({ began }) => began.includes(id)).map(({ name }) => name);
		return [id, by.join(" and "), `${commits.length} commit on base`, commits[0]?.commit ?? ""];
	});
	say(`\n${fitted([["story", "worked on by", "merged", ""], ...rows], 100, "")}\n`);
	const once = landed.length === STORIES.length && new Set(landed.map(({ story }) => story)).size === STORIES.length;
	if (code !== 0 || !once || interrupted.length === 0) {
		say(`this did not go as it should: pawl run ended with ${code}, and base has ${landed.length} commits\n${run.said()}`);
		return `pawl run ended with ${code}, and base has ${landed.length} commits of ${STORIES.length} stories`;
	}
	say(
		`${STORIES.length} stories, ${landed.length} commits on base, each story once. ${victim?.name} died in the middle and lost ${interrupted.length} attempts, no work that had ended.`,
	);
	await Promise.all(workers.map((worker) => worker.stop()));
	return null;
}

/** A worker that works on something, once base has its first story. */
async function atWork(of: DemoSite, workers: readonly DemoWorker[]): Promise<DemoWorker> {
	for (;;) {
		const busy = workers.find(({ atWork: stories }) => stories.size === LANES);
		if (busy !== undefined && of.landed().length > 0) return busy;
		await new Promise((later) => setTimeout(later, 100));
	}
}

try {
	const wrong = await demo();
	process.exitCode = wrong === null ? 0 : 1;
	if (wantsJson) say(JSON.stringify({ runs: 1, kills: 1, stories: STORIES.length, violations: wrong === null ? [] : [wrong] }));
} catch (error) {
	// What was interrupted fails, and the interruption has said so.
	if (cleaning === null) throw error;
} finally {
	await cleanUp();
}
