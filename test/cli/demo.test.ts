// The demos of dynamic for real: what they print, what they leave in their repository, and that they leave no process running.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { dirname } from "node:path";
import { describe, it } from "node:test";
import { type Ended, eventsOf, type JournalEvent, PROJECT, pawlExits, runFolder, stateFile } from "../support/pawl.ts";
import { exists, git, list, processesNaming, read, scratchFolder } from "../support/scratch.ts";

interface Shown {
	readonly ended: Ended;
	readonly folder: string;
}

/** The demo makes its folder in the temporary folder, which is one of ours and gone after the tests. */
async function demo(...args: string[]): Promise<Shown> {
	const temporary = scratchFolder("demo-home");
	const ended = await pawlExits(0, ["demo", ...args], { cwd: PROJECT, env: { TMPDIR: temporary } });
	const folder = /\/[^\s"]*\/pawl-demo-\w+/.exec(ended.stderr)?.[0] ?? "";
	assert.equal(dirname(folder), temporary, "it says where the repository is");
	assert.deepEqual(processesNaming(temporary), [], "nothing is left running");
	return { ended, folder };
}

const subjects = (folder: string): string[] => git(folder, "log", "--reverse", "--format=%s", "main").split("\n");
const sh = (folder: string, ...args: string[]): string => execFileSync("sh", args, { cwd: folder, encoding: "utf8" }).trimEnd();

/** Six commits of six stories, none before those it depends on. */
function checkHistory(folder: string): void {
	const [first, ...stories] = subjects(folder);
	assert.equal(first, "Start");
	const order = stories.map((subject) => /^feat\(ralph\): (US-00\d) - /.exec(subject)?.[1]);
	assert.deepEqual(order.toSorted(), ["US-001", "US-002", "US-003", "US-004", "US-005", "US-006"]);
	const position = (id: string) => order.indexOf(id);
	assert.ok(
		position("US-001") < Math.min(position("US-002"), position("US-003")) &&
			position("US-004") > Math.max(position("US-002"), position("US-003")),
	);
	assert.ok(position("US-005") < position("US-006"), "the one with the conflict comes second");
	assert.equal(git(folder, "rev-list", "--merges", "--count", "main"), "0");
}

/** As an outsider sees the result. */
function checkResult(folder: string): void {
	assert.equal(sh(folder, "greet.sh", "--lang=fr", "--shout", "Ada"), "BONJOUR, ADA!");
	assert.match(sh(folder, "greet.sh", "--help"), /^--help: .*\n--lang=CODE: .*\n--shout: /);
	assert.equal(sh(folder, "bye.sh"), "Goodbye, world!");
	assert.equal(sh(folder, "greet-all.sh", "tests/names.txt"), "Hello, Ada!\nHello, Grace Hopper!");
	assert.match(read(folder, "README.md"), /- `sh bye\.sh.*\n- `sh greet-all\.sh.*\n$/);
	assert.equal(git(folder, "log", "-p", "--format=", "main").match(/^\+(<{7}|={7}|>{7})/m), null, "no conflict marker in any commit");
	for (const script of ["scripts/lint.sh", "scripts/test.sh"]) sh(folder, script);
	assert.equal(git(folder, "status", "--porcelain"), " M prd.json");
	const { userStories } = JSON.parse(read(folder, "prd.json")) as { userStories: { passes: boolean }[] };
	assert.deepEqual(
		userStories.map((story) => story.passes),
		Array(6).fill(true),
	);
	assert.deepEqual(list(folder, ".pawl", "worktrees"), []);
}

const of = (events: readonly JournalEvent[], name: string, story: string): JournalEvent[] =>
	events.filter(({ event, scope }) => event === name && scope === story);

// A demo mostly waits: side by side they take as long as one.
describe("pawl demo", { concurrency: true }, () => {
	let begun: Promise<Shown> | null = null;
	/** The long one, once for all that look at it. */
	const long = (): Promise<Shown> => {
		begun ??= demo();
		return begun;
	};

	it("D-128 D-135 D-142: six stories with three agents land as six commits in a legal order", async () => {
		const { ended, folder } = await long();
		checkHistory(folder);
		checkResult(folder);
		const { stdout, stderr } = ended;
		for (const subject of subjects(folder).slice(1)) assert.ok(stdout.includes(subject), "the history is shown");
		assert.match(stdout, /^on the way: (?=.*1 restart)(?=.*1 edit)(?=.*1 failed check)(?=.*1 conflict)/m);
		assert.match(stdout, /dynamic completed in .*, 6 of 6 stories, 67 agent sessions/);
		assert.ok(stdout.includes(`cd ${folder}`) && stdout.includes(`files: ${runFolder(folder)}`));
		assert.match(stderr, /US-005 {2}step-005 {2}coding +restarts itself: I gave greet\.sh an option/);
		assert.match(stderr, /US-006 {2}step-010 {2}final_review +runs again: conflict with main in README\.md/);
		assert.ok(exists(runFolder(folder), "restarts", "US-005-step-005-1.diff"));
	});

	it("D-48 D-139 D-140 D-148: its journal has the restart, the edit, the failed check and the conflict, each repaired", async () => {
		const { folder } = await long();
		const events = eventsOf(await pawlExits(0, ["history", "latest", "--json"], { cwd: folder }));
		assert.equal(of(events, "step_restarted", "US-005").length, 1);
		assert.equal(events.filter(({ event }) => event === "step_restarted").length, 1);
		const edited = of(events, "workflow_edited", "US-003").map(({ details }) => (details as { operation: string }).operation);
		assert.deepEqual(edited, ["split"]);
		const failed = events.filter(
			(e) => e.event === "checks_recorded" && (e["checks"] as { exitCode: number }[]).some((c) => c.exitCode !== 0),
		);
		assert.deepEqual(
			failed.map(({ scope, step }) => `${scope} ${step}`),
			["US-002 step-007"],
		);
		assert.deepEqual(
			events.filter(({ signal }) => signal === "conflict").map(({ scope }) => scope),
			["US-006"],
		);
		const types = (id: string) => stateFile(folder).stories[id]?.steps.map((step) => step.type) ?? [];
		assert.deepEqual(types("US-002").slice(6, 10), ["initial_testing", "coding", "linting", "initial_testing"]);
		assert.deepEqual(types("US-003").slice(4, 7), ["coding", "coding", "linting"]);
		assert.deepEqual(types("US-006").slice(-2), ["rebase_resolve", "final_review"]);
	});

	it("T-17 one-shot --json: the journal on stdout, its log on stderr, nothing else", async () => {
		const { ended, folder } = await demo("one-shot", "--json", "--fast");
		const events = eventsOf(ended);
		assert.deepEqual([events[0]?.event, events.at(-1)?.event, events.at(-1)?.["status"]], ["run_created", "run_finished", "completed"]);
		assert.equal(events.at(-1)?.["files"], runFolder(folder));
		assert.equal(of(events, "step_restarted", "one-shot").length, 1);
		const [first = "", ...log] = ended.stderr.trimEnd().split("\n");
		assert.equal(JSON.parse(first).folder, folder);
		for (const line of log.filter((one) => JSON.parse(one).event !== "warning")) {
			const { ts, ...said } = JSON.parse(line) as Readonly<Record<string, unknown>>;
			assert.equal(new Date(String(ts)).toISOString(), ts);
			assert.ok("agent_id" in said && "story_id" in said && "step_id" in said && typeof said["event"] === "string", line);
		}
	});

	it("refuses what it does not know, and makes nothing", async () => {
		const temporary = scratchFolder("demo-home");
		const ended = await pawlExits(2, ["demo", "two-shot"], { cwd: PROJECT, env: { TMPDIR: temporary } });
		assert.match(ended.stderr, /two-shot.*dynamic, one-shot, phased, ralph, gated, feature-dev, bug-fix, security-audit, plan/);
		assert.deepEqual(list(temporary), []);
	});
});
