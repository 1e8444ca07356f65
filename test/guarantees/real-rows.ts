// The rows with real git and real processes: what each guarantee sees in one bad day (`test/support/bad-day.ts`), driven in each way. A
// guarantee that this day does not show has a real row elsewhere; `table.test.ts` knows where.
import assert from "node:assert/strict";
import { join } from "node:path";
import { before, test } from "node:test";
import { type BadDay, badDay, CLUE, NEW_CRITERION, SECRET } from "../support/bad-day.ts";
import type { Call } from "../support/fake-agent.ts";
import { runFolder } from "../support/pawl.ts";
import type { RealDriver } from "../support/real-driver.ts";
import { exists, git, list, read } from "../support/scratch.ts";
import { mine, type TreeDay, treeDay } from "../support/tree-day.ts";

/** A day, and what many of its guarantees look at. */
interface Seen extends BadDay {
	readonly folder: string;
	/** The files on base. */
	readonly main: readonly string[];
	readonly journal: string;
	/** The nth session of a step type, from 1. */
	nth(type: string, n: number): Call;
}

type Row = (day: Seen) => void | Promise<void>;

/** In the order of the guarantees. The names of the tests carry the id and the driver. */
const ROWS: Readonly<Record<string, Row>> = {
	"G-01 what is merged passed the check on exactly that tree, after a red one went back": (day) => {
		assert.equal(day.code, 0, day.said);
		assert.match(day.nth("work", 5).prompt, new RegExp(CLUE));
		assert.equal(git(day.repo, "show", "main:US-1.txt"), "good");
		const passed = day.events.flatMap((e) => (e.event === "checks_run" ? [JSON.stringify(e)] : []));
		assert.ok(day.journal.includes(CLUE), passed.join("\n"));
	},
	"G-02 a setup that fails is found before the first session": ({ unusable }) => {
		assert.equal(unusable.code, 2);
		assert.match(unusable.stderr, /setup failed.*\n.*`setup`, `link`, `copy`/s);
	},
	"G-03 a commit that a person made meanwhile is on base": (day) => {
		assert.ok(git(day.repo, "log", "--format=%H", "main").includes(day.mine));
		assert.equal(read(day.repo, "mine.txt"), "mine\n");
		assert.ok(!day.main.includes("half.txt"));
	},
	"G-04 all that was put back is kept, each time under its own name": ({ folder, driver }) => {
		const diffs = list(folder, "failures").map((name) => read(folder, "failures", name));
		// Of a session that pawl did not start, what nobody can judge is not put back.
		for (const half of ["sneaky.txt", "half-1", ...(driver === "pulled" ? [] : ["half-2"])])
			assert.equal(diffs.filter((text) => text.includes(half)).length, 1, half);
	},
	"G-05 the run is found by its id while it is at work and afterwards": async (day) => {
		assert.match(day.meanwhile.runs.stdout, new RegExp(day.id));
		assert.match(day.meanwhile.status.stdout, /"status": "running"/);
		assert.match((await day.pawl("status", day.id)).stdout, /completed/);
	},
	"G-06 nothing reaches the run from another worktree without its id": ({ meanwhile }) => {
		assert.equal(meanwhile.cancel.code, 2);
		assert.match(meanwhile.cancel.stderr, /no run was started in this worktree/);
	},
	"G-07 a usage limit of a second is over after a second; the merge that follows waits for nobody": ({ driver, events, agent }) => {
		// Whoever comes for a step waits for its own limits.
		if (driver === "pulled") return;
		const waited = events.filter((e) => e.event === "step_postponed");
		assert.equal(waited.length, 1);
		assert.equal(agent.of("look").length, 3);
	},
	"G-08 what one that may only look wrote is not delivered, and it is said": (day) => {
		assert.ok(!day.main.includes("sneaky.txt"));
		assert.match(day.said, /look may not write in the worktree, but changed sneaky\.txt/);
	},
	"G-09 nothing leaves the machine: a push of the session's is refused and shown, and pawl pushes nothing": (day) => {
		// A session that pawl did not start has git and credentials of its own.
		assert.equal(git(day.bare, "for-each-ref", "--format=%(refname)"), day.driver === "pulled" ? "refs/heads/out" : "");
		if (day.driver !== "pulled") assert.match(day.said, /was refused: git push/);
	},
	"G-10 leftovers are named; text is delivered, a log is put aside": (day) => {
		assert.ok(day.main.includes("left.txt"));
		assert.ok(!day.main.includes("debug.log"));
		for (const name of ["left.txt", "debug.log"]) assert.match(day.journal, new RegExp(`${name}[^"]*left uncommitted`));
		assert.match(day.nth("review", 1).prompt, /debug\.log/);
	},
	"G-11 a setup that failed at the first start has run, and one that was changed meanwhile is applied when the run goes on": (day) => {
		const there = read(day.agent.flag("seen")).split("\n");
		assert.ok(there.includes("set-up"));
		// What a running engine began with counts until it ends.
		assert.equal(there.includes("set-up-again"), day.driver !== "run");
	},
	"G-12 no conflict marker is on base, nor was it": ({ repo, journal }) => {
		assert.doesNotMatch(git(repo, "log", "-p", "--format=%s", "main"), /^\+(<{7}|>{7})/m);
		assert.match(journal, /conflict markers were committed at marked\.txt/);
	},
	"G-15 each next attempt knows why it runs": (day) => {
		assert.match(day.nth("look", 2).prompt, /sneaky\.txt/);
		assert.match(day.nth("work", 3).prompt, /v1-users/);
		assert.match(day.nth("work", 4).prompt, /US-1\.txt:1 says nothing/);
		assert.match(day.nth("work", 6).prompt, /marked\.txt/);
	},
	"G-16 a person is told why, in the history": async (day) => {
		const { stdout } = await day.pawl("history");
		for (const why of [/may not write in the worktree/, /v1-users/, /US-1\.txt:1 says nothing/, /check-said-7731/, /conflict markers/])
			assert.match(stdout, why);
	},
	"G-17 G-25 a report with chatter, bold keys and a quotation is read": (day) => {
		assert.equal(day.agent.of("review").length, 4);
		assert.doesNotMatch(day.journal, /unreadable/);
	},
	"G-18 the next round of the review is shown what the first one found": (day) => {
		assert.match(day.nth("review", 2).prompt, /\[naming\]/);
	},
	"G-21 G-24 a second run on a story of that name is refused, names the first, and takes nothing away": (day) => {
		assert.equal(day.meanwhile.second.code, 2);
		assert.ok(day.meanwhile.second.stderr.includes(day.id));
		assert.equal(list(day.repo, ".pawl", "runs").length, 1);
	},
	"G-20 a criterion that changed in the PRD meanwhile is taken up when the run goes on, and named": (day) => {
		const told = day.agent.of("work").filter((call) => call.prompt.includes(NEW_CRITERION));
		if (day.driver === "run") return assert.equal(told.length, 0);
		assert.ok(told.length > 0, "nobody was told of it");
		assert.match(day.said, /changed in .*prd\.json.*US-1/);
	},
	"G-22 an attempt that deletes a tag of the user's does not count: the tag is put back, or a person is asked": (day) => {
		assert.equal(git(day.repo, "tag"), "v1-users");
		if (day.driver === "pulled") assert.match(day.said, /"status":"waiting"}\n.*somebody deleted tag v1-users/);
		else assert.ok(!day.main.includes("tagged.txt"));
		assert.match(day.journal, /deleted tag v1-users/);
	},
	"G-23 the story is on base once, by a commit that the journal announced": ({ repo, events }) => {
		const landed = git(repo, "log", "--format=%H", "--grep=Pawl-Story: US-1", "main").split("\n");
		assert.deepEqual(landed, [events.findLast((e) => e.event === "merge_announced")?.["commit"]]);
	},
	"G-26 the filter that a session planted ran in no git of pawl's": ({ agent }) => {
		assert.ok(exists(agent.flag("trap")));
		assert.ok(!exists(agent.flag("sprung")));
	},
	"G-27 a check cannot cancel the run": ({ flags }) => {
		assert.equal(read(flags, "cancel.code").trim(), "2");
		assert.match(read(flags, "cancel"), /only a person decides/);
	},
	"G-28 a PRD that became a pipe stops nobody, and it is said that nothing could be written to it": (day) => {
		assert.equal(day.code, 0);
		assert.match(day.said, /prd\.json.*(pipe|not a (regular )?file|cannot)/);
	},
	"G-29 a secret is in nothing that pawl keeps": ({ repo, journal }) => {
		assert.ok(!journal.includes(SECRET));
		const kept = list(repo, ".pawl").length;
		assert.ok(kept > 0);
		assert.equal(holding(join(repo, ".pawl"), SECRET), "");
	},
	"G-30 the log of a session that printed 3 MB has a bound, and the cut is said": (day) => {
		assert.match(day.journal, /logs\.max/);
	},
};

/** What is about work in the user's own tree, and about money. */
const IN_THE_TREE: Readonly<Record<string, (day: TreeDay, driver: RealDriver) => void>> = {
	"G-03 in the user's tree a person's commit stays, and what the attempt did is taken out around it": (day, driver) => {
		// `test/pipelines/pulled-tree.test.ts` has the row of a claimed step.
		if (driver === "pulled") return;
		assert.ok(git(day.repo, "log", "--format=%s").includes("by a person"));
		assert.equal(mine(day), "mine\n");
		assert.ok(!git(day.repo, "ls-tree", "-r", "--name-only", "HEAD").includes("half.txt"), day.failed);
	},
	"G-13 a cost limit stops the run after the session that passes it, or that does not say what it cost; extended, it goes on": (
		day,
		driver,
	) => {
		assert.match(day.limited.said, driver === "pulled" ? /"status":"stopped"/ : /pawl extend/);
		if (driver !== "pulled") assert.equal(day.limited.code, 4);
		assert.match(day.status, /"status": "completed"/, day.failed + day.last);
	},
	"G-14 out of credit: one session, a reason, and a resume completes the run": ({ credit, agent, status }) => {
		// An agent that comes for its step has an account of its own.
		if (credit === null) return;
		assert.match(credit.all, /Credit balance is too low/);
		assert.equal(agent.of("work").length, 3);
		assert.match(status, /"status": "completed"/);
	},
};

/** Files under a folder that hold a text. */
function holding(folder: string, text: string): string {
	try {
		return git(folder, "grep", "-l", "-a", "--no-index", "-F", text);
	} catch {
		return "";
	}
}

/** What the days show, for the table. */
export const REAL_ROWS: readonly string[] = [...Object.keys(ROWS), ...Object.keys(IN_THE_TREE)];

export function realRows(driver: RealDriver): void {
	let day: Seen | null = null;
	before(async () => {
		const made = await badDay(driver);
		day = {
			...made,
			folder: runFolder(made.repo),
			main: git(made.repo, "ls-tree", "-r", "--name-only", "main").split("\n"),
			journal: JSON.stringify(made.events),
			nth: (type, n) => made.agent.of(type)[n - 1] ?? assert.fail(`there is no session ${n} of ${type}`),
		};
	});
	let tree: TreeDay | null = null;
	before(async () => {
		tree = await treeDay(driver);
	});
	for (const [name, row] of Object.entries(IN_THE_TREE))
		test(`${name} (${driver})`, () => (tree === null ? assert.fail("there was no day") : row(tree, driver)));
	for (const [name, row] of Object.entries(ROWS))
		test(`${name} (${driver})`, () => (day === null ? assert.fail("there was no day") : row(day)));
}
