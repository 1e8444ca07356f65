// One round of the soak in company: two runs side by side, each killed at random moments; an agent that moves refs that are not its own; a person who
// commits by hand to base and takes some of it back, once also a merged story, which they bring back when the run asks for it; and a second start with a
// story id that a run already works on.
import { globSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { journal, marked, runsOf } from "./crash-checks.ts";
import { killGroup, makeWorld, prdText, until, type World } from "./crash-world.ts";
import type { Chance } from "./soak-chance.ts";

const MOVE_REFS = [
	'. "$W/do/any.coding"',
	"if once refs; then",
	"git branch -q -D wip; git tag -d v1 > /dev/null; git stash drop -q; git branch evil",
	'git update-ref refs/heads/main "$(git commit-tree "HEAD^{tree}" -p main -m evil)"',
	"fi",
].join("\n");

export interface CompanyFigures {
	kills: number;
	stories: number;
}

export async function inCompany(luck: Chance, figures: CompanyFigures, made: (world: World) => void): Promise<string[]> {
	const ids = Array.from({ length: luck.between(2, 4) }, (_, i) => `US-${i + 1}`);
	const others = Array.from({ length: luck.between(1, 3) }, (_, i) => `B-${i + 1}`);
	const world = makeWorld({
		stories: ids.map((id) => ({ id })),
		agent: { [`${ids[luck.between(0, ids.length - 1)]}.coding`]: MOVE_REFS, "any.rebase_resolve": "git merge -q -X ours main -m merge" },
		user: (w) => {
			w.git(["branch", "wip"]);
			w.git(["tag", "v1"]);
			w.write("README.md", "put away\n");
			w.git(["stash", "-q"]);
		},
	});
	made(world);
	const file = (name: string, list: readonly string[]): void => writeFileSync(join(world.root, name), prdText(list.map((id) => ({ id }))));
	file("other.json", others);
	// The one that is done last: a run gives up its claim on a story that was merged.
	file("second.json", [ids.at(-1) ?? ""]);
	const stash = world.git(["rev-parse", "stash@{0}"]);
	const person = new Person(world, luck);
	const wrong: string[] = [];
	let over = false;
	const runs = Promise.all([
		drive(world, "prd.json", luck, figures, person, wrong),
		wait(luck.between(0, 1500)).then(() => drive(world, "other.json", luck, figures, person, wrong)),
	]).finally(() => {
		over = true;
	});
	const beside = (async () => {
		let tried = false;
		while (!over) {
			await wait(luck.between(300, 2000));
			if (over) return;
			person.act();
			if (!tried && runOn(world, "prd.json") !== null) {
				tried = true;
				wrong.push(...(await secondStart(world)));
				if (runOn(world, "second.json") !== null) await drive(world, "second.json", luck, figures, person, wrong);
			}
		}
	})();
	await Promise.all([runs, beside]);
	// A run that had completed before does not ask for it.
	person.bringBack();
	figures.stories += ids.length + others.length;
	// A second start that came when the first run had merged its last story is a run like any other, and does that story once more.
	const twice = runOn(world, "second.json") === null ? [] : ids.slice(-1);
	return [...wrong, ...ofBase(world, [...ids, ...others, ...twice], person.commits), ...ofRefs(world, stash), ...ofRuns(world)];
}

const args = (world: World, prd: string): string[] => [
	...["run", "dynamic", "--prd", prd, "--base", "main"],
	...["--agent-command", `${join(world.folder, "agent.sh")} ${world.folder}`],
];

/** The run that was started on this file. */
const runOn = (world: World, prd: string): string | null =>
	runsOf(world).find((run) => journal(world, run)?.state.input["prd"]?.endsWith(prd)) ?? null;

/** Starts a run, kills it now and then, and goes on with it until it is completed. */
async function drive(world: World, prd: string, luck: Chance, figures: CompanyFigures, person: Person, wrong: string[]): Promise<void> {
	const deaths = luck.between(0, 3);
	for (let round = 0; round < 40; round++) {
		const run = runOn(world, prd);
		const found = run === null ? null : journal(world, run);
		const status = found?.state.status;
		// One that was killed at its very end still has something to clear up, and `pawl status` says so.
		if (status === "completed" && found?.open === 0) return;
		const pawl = world.start(run === null ? args(world, prd) : [status === "failed" ? "retry" : "resume", run]);
		if (round < deaths) {
			await Promise.race([pawl.ended, wait(luck.between(300, 4000))]);
			if (pawl.child.exitCode === null && pawl.child.signalCode === null) {
				figures.kills++;
				if (luck.happens(0.5)) process.kill(pawl.pid, "SIGKILL");
				else killGroup(pawl.pid);
			}
		}
		const text = (): string => pawl.text().slice(-800);
		await Promise.race([pawl.ended, until(`the run of ${prd} ends; it said ${text()}`, () => false, 5 * 60_000)]);
		const ended = await pawl.ended;
		if (ended.code === 0 || ended.signal !== null) continue;
		// G-24: another run has its place, and it says which one.
		if (ended.code === 2 && pawl.text().includes("let it end")) {
			await wait(500);
			continue;
		}
		// G-23: it says which merged story is gone from base.
		if (ended.code === 1 && person.taken !== null && pawl.text().includes(person.taken.story)) {
			person.bringBack();
			continue;
		}
		wrong.push(`the run of ${prd} ended with ${ended.code}: ${text()}`);
		return;
	}
	wrong.push(`the run of ${prd} did not come to its end`);
}

/** G-24: refused, and the first run is not harmed, which the rest of the checks shows. */
async function secondStart(world: World): Promise<string[]> {
	const before = runsOf(world).length;
	const ended = await world.pawl(args(world, "second.json"));
	const first = runOn(world, "prd.json");
	const stories = first === null ? [] : (journal(world, first)?.state.stories ?? []);
	// A run gives up its claim on a story that was merged.
	if (first === null || stories.at(-1)?.status === "completed") return [];
	if (ended.code === 2 && runOn(world, "second.json") === null && runsOf(world).length <= before + 1) return [];
	return [`G-24: a second start with the id of a story that a run works on ended with ${ended.code}: ${ended.err.slice(-500)}`];
}

/** Works on base in the main checkout, as far as a merge lets them. */
class Person {
	readonly commits: string[] = [];
	/** The merged story that they took off base. */
	taken: { readonly story: string; readonly commit: string } | null = null;
	private hasTaken = false;
	/** They moved base, and pawl had the index then. */
	private behind = false;
	private readonly world: World;
	private readonly luck: Chance;
	private count = 0;

	constructor(world: World, luck: Chance) {
		this.world = world;
		this.luck = luck;
	}

	act(): void {
		try {
			if (this.behind) this.follow();
			if (!this.hasTaken && this.luck.happens(0.3)) this.rewindStory();
			else if (this.commits.length > 0 && this.luck.happens(0.3)) this.rewind();
			else this.commit();
		} catch {
			// pawl has the index, or was faster: a person tries again later.
		}
	}

	private commit(): void {
		const path = `users/${this.count++}.txt`;
		this.world.write(path, "of the user\n");
		this.world.git(["add", path]);
		this.world.git(["commit", "-qm", `of the user ${this.count}`, "--", path]);
		// The one that added it: somebody may have taken it away since.
		this.commits.push(this.world.git(["log", "-1", "--diff-filter=A", "--format=%H", "--reflog", "--", path]));
	}

	/** Takes back the newest commit, if it is still the newest of base. */
	private rewind(): void {
		const last = this.commits.at(-1) ?? "";
		this.world.git(["update-ref", "-m", "rewound", "refs/heads/main", `${last}~1`, last]);
		this.commits.pop();
		this.follow();
	}

	/** Takes a merged story off base, if it is the newest of base. */
	private rewindStory(): void {
		const format = "--format=%H %(trailers:key=Pawl-Story,valueonly,separator=)";
		const [commit = "", story = ""] = this.world.git(["log", "-1", format, "refs/heads/main"]).split(" ");
		if (story === "") return;
		this.world.git(["update-ref", "-m", "rewound", "refs/heads/main", `${commit}~1`, commit]);
		this.hasTaken = true;
		this.taken = { story, commit };
		this.follow();
	}

	private follow(): void {
		this.behind = true;
		this.world.git(["reset", "-q", "--hard"]);
		this.behind = false;
	}

	/** As pawl advises: without a checkout, because a run may be merging. */
	bringBack(): void {
		for (let turn = 0; this.taken !== null && turn < 50; turn++) {
			const { commit } = this.taken;
			const tip = this.world.git(["rev-parse", "refs/heads/main"]);
			// For git before 2.40, which finds the common ancestor by itself only.
			const ours = this.world.git(["commit-tree", `${tip}^{tree}`, "-p", `${commit}~1`, "-m", "ours"]);
			const tree = this.world.git(["merge-tree", "--write-tree", ours, commit]);
			const message = this.world.git(["log", "-1", "--format=%B", commit]);
			const picked = this.world.git(["commit-tree", tree, "-p", tip, "-m", message]);
			try {
				this.world.git(["update-ref", "-m", "brought back", "refs/heads/main", picked, tip]);
				this.taken = null;
				this.follow();
			} catch {
				// Somebody was faster.
			}
		}
	}
}

/** G-03, G-23: base holds each story as often as it is in the list, every commit of the person, and nothing of a session's own making. */
function ofBase(world: World, ids: readonly string[], commits: readonly string[]): string[] {
	const log = (format: string): string[] => world.git(["log", `--format=${format}`, `${world.first}..refs/heads/main`]).split("\n");
	const landed = log("%(trailers:key=Pawl-Story,valueonly,separator=)");
	const [shas, subjects] = [new Set(log("%H")), log("%s")];
	return [
		...ids.flatMap((id) => {
			const [times, wanted] = [landed, ids].map((list) => list.filter((one) => one === id).length);
			return times === wanted ? [] : [`G-23: ${id} is on base ${times} times, not ${wanted}`];
		}),
		...ids
			.filter((id) => !world.git(["ls-tree", "--name-only", "main"]).split("\n").includes(`${id}.txt`))
			.map((id) => `G-23: ${id}.txt is not on base`),
		...ids.flatMap((id) => strangersIn(world, id)),
		...commits.filter((sha) => !shas.has(sha)).map((sha) => `G-03: commit ${sha} of the person is not on base`),
		// Under a commit of the person it stays in the history, and one more commit undoes it.
		...(subjects.includes("evil") && !subjects.some((subject) => subject.startsWith("pawl: take out"))
			? ["G-22: what a session put on base is there"]
			: []),
	];
}

/** A story's commit holds what the story did, and nothing that came with the commit that it started from. */
function strangersIn(world: World, id: string): string[] {
	const log = world.git(["log", "--format=%H", "--grep", `^Pawl-Story: ${id}$`, `${world.first}..refs/heads/main`]);
	if (log === "") return [];
	const paths = world.git(["show", "--format=", "--name-only", ...log.split("\n")]).split("\n");
	const strange = paths.filter((path) => path !== "" && !path.replace("more/", "").startsWith(`${id}.`));
	return strange.length === 0 ? [] : [`G-23: the commit of ${id} holds ${strange.join(", ")}`];
}

function ofRefs(world: World, stash: string): string[] {
	const refs = world.git(["for-each-ref", "--format=%(refname) %(objectname)", "refs/heads", "refs/tags", "refs/stash"]).split("\n");
	const wanted = [`refs/heads/wip ${world.first}`, `refs/tags/v1 ${world.first}`, `refs/stash ${stash}`];
	return [
		...wanted.filter((line) => !refs.includes(line)).map((line) => `G-22: ${line} is gone`),
		...refs.filter((line) => /^refs\/heads\/(?!main |wip )/.test(line)).map((line) => `G-22 G-24: ${line} was left`),
	];
}

const diffsIn = (sharedDir: string): number => globSync("failures/*.diff", { cwd: sharedDir }).length;

function ofRuns(world: World): string[] {
	return runsOf(world).flatMap((run) => {
		const found = journal(world, run);
		if (found === null) return [`${run} has no journal`];
		const kept = found.events.filter((event) => event.event === "route_taken" && event.signal === "boundary_violation").length;
		const diffs = diffsIn(found.sharedDir);
		const why = found.events.flatMap((event) => (event.event === "story_failed" ? [`${event.scope}: ${event.error}`] : [])).join("; ");
		return [
			...(found.state.status === "completed" ? [] : [`run ${run} is ${found.state.status} (${found.state.reason}) ${why}`]),
			...(kept > diffs ? [`G-04: ${kept} attempts of ${run} crossed a boundary, ${diffs} diffs are kept`] : []),
			...marked(run).map((line) => `still alive: ${line}`),
		];
	});
}
