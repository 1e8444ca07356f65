// The control plane: after an iteration pawl puts back what its role may not change, and reports it.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { commit, quote, say, write } from "../support/fake-agent.ts";
import { exited, pawl, runFolder } from "../support/pawl.ts";
import {
	DIR,
	json,
	LOOP_STATE,
	MOVES,
	on,
	PASSES_ALL,
	passes,
	quickRalph,
	ralphSite,
	reviews,
	SAYS,
	story,
	TAG,
	transcripts,
} from "../support/ralph-site.ts";
import { exists, read } from "../support/scratch.ts";

test("R-36 C-03: a worker's changes of the control plane are put back and reported, its own files are not", async () => {
	const files = { "VISION.md": "Ours.\n", "ralph/config.json": json({}), "ralph/templates/CONTROL_PLANE.md": "Rules.\n" };
	const s = quickRalph(
		[
			on(
				2,
				write(`${DIR}/loop_state.json`, json({ ...LOOP_STATE, steering_requested: true, mode: "mine" })),
				write(`${DIR}/PRD.md`, "mine"),
				write(`${DIR}/PROMPT.md`, "mine"),
				write(`${DIR}/review.md`, "mine"),
				write(`${DIR}/run.json`, "mine"),
				write(`${DIR}/orchestration.json`, "mine"),
				`echo mine >> ${DIR}/events.ndjson`,
				`rm ${DIR}/task.json`,
				write("VISION.md", "mine"),
				write("ralph/config.json", "mine"),
				`echo mine >> ${DIR}/transcripts/0001-worker.md`,
				write(`${DIR}/transcripts/of-mine.md`, "mine"),
				write(`${DIR}/SUMMARY.md`, "mine"),
				...MOVES,
				SAYS,
			),
		],
		{ scheme: "W", files, more: { "loop_state.json": json(LOOP_STATE) } },
	);
	const before = s.file("PROMPT.md");
	await s.run(4, 3);
	assert.equal(s.roles(), "WWW", "no steering on a worker's word");
	assert.deepEqual([s.json("loop_state.json")["steering_requested"], s.json("loop_state.json")["mode"]], [false, "worker"]);
	assert.deepEqual([s.file("PROMPT.md") === before, s.file("PRD.md")], [true, "# PRD\n\nThree files.\n"]);
	assert.deepEqual([read(s.repo, "VISION.md"), read(s.repo, "ralph/config.json")], ["Ours.\n", json({})]);
	assert.deepEqual(
		[exists(s.repo, DIR, "review.md"), s.json("run.json")["iteration"], s.json("orchestration.json")["cursor"]],
		[false, 3, 3],
	);
	assert.doesNotMatch(s.file("events.ndjson"), /^mine$/m);
	assert.doesNotMatch(s.file("transcripts/0001-worker.md"), /mine/);
	assert.equal(s.file("SUMMARY.md"), "mine");
	assert.match(s.file("transcripts/of-mine.md"), /^mine\n# Iteration 2: worker\n/, "pawl adds to a transcript that the agent wrote");
	const told = await s.history();
	for (const name of [
		"loop_state.json",
		"PRD.md",
		"PROMPT.md",
		"review.md",
		"run.json",
		"orchestration.json",
		"events.ndjson",
		"VISION.md",
		"ralph/config.json",
		"0001-worker.md",
	])
		assert.match(told, new RegExp(`put back: \\S*${name.replace(".", "\\.")}`), name);
	assert.match(s.file("progress.md"), /put back: \S*loop_state\.json/);
	assert.equal(read(runFolder(s.repo), "put_back/2", DIR, "PROMPT.md"), "mine", "what is put back is kept");
});

test("R-36 C-16: of prd.json a worker may change passes and notes; keys that nobody knows stay as they are", async () => {
	const theirs = json({
		run_id: "demo",
		title: "Other",
		loop_settings: { no_progress_iterations: 1 },
		global_verification: ["false"],
		stories: [
			{ ...story(1, { passes: true, notes: "done by me", extra: { kept: 1 } }), title: "Another title" },
			story(9, { passes: true }),
		],
	});
	const s = ralphSite([on(1, write(`${DIR}/prd.json`, theirs), "git push origin HEAD || true", ...MOVES, SAYS)], {
		scheme: "W",
		stories: [story(1, { extra: { kept: 1 } }), story(2)],
		prd: { repo_context: "x" },
	});
	await s.run(4, 1);
	assert.deepEqual(s.json("prd.json"), {
		run_id: "demo",
		title: "A demo",
		repo_context: "x",
		stories: [story(1, { passes: true, notes: "done by me", extra: { kept: 1 } }), story(2)],
	});
	assert.match(await s.history(), /put back: \S*prd\.json: the list of stories, `title`|put back: \S*prd\.json: .*the list of stories/);
	assert.match(s.file("progress.md"), /^- pawl, after iteration 1: what the worker may not do was refused: git push$/m);
});

test("C-16: the other dialects of prd.json loop as well, and keep their form", async () => {
	const stories = [{ id: "US-001", title: "One", passes: false, acceptanceCriteria: ["`true` exits 0"], priority: 1, odd: [1] }];
	const s = quickRalph([on(1, `sed -i 's/"passes": *false/"passes": true/' ${DIR}/prd.json`, ...MOVES, SAYS)], {
		more: { "prd.json": `{"project":"x","userStories":${JSON.stringify(stories)}}\n` },
	});
	await s.run(0, 5);
	assert.equal(s.roles(), "WR");
	assert.deepEqual(s.json("prd.json"), { project: "x", userStories: [{ ...stories[0], passes: true }] });
});

test("R-23: a reviewer takes a pass back but gives none, and touches no code, committed or not", async () => {
	const s = ralphSite(
		[
			on(1, passes("S1"), "echo code > code.txt", ...MOVES, SAYS),
			on(
				2,
				passes("S1", false),
				passes("S2"),
				"echo bad > code.txt",
				"echo new > new.txt",
				commit("a feature"),
				"echo more > more.txt",
				`echo no > ${DIR}/steering.md`,
				...reviews("no"),
			),
		],
		{ scheme: "W1R" },
	);
	await s.run(4, 3);
	assert.deepEqual(s.passes(), [false, false, false]);
	assert.deepEqual(
		[read(s.repo, "code.txt"), exists(s.repo, "new.txt"), exists(s.repo, "more.txt"), exists(s.repo, DIR, "steering.md")],
		["code\n", false, false, false],
	);
	const told = await s.history();
	for (const what of ["code.txt", "new.txt", "more.txt", "steering.md"]) assert.match(told, new RegExp(`put back: \\S*${what}`));
	assert.match(told, /`passes` of S2 \(a reviewer may not change it\)/);
	assert.match(s.file("review.md"), /STEERING_NEEDED/);
	assert.equal(s.git("show", "HEAD:code.txt"), "code");
	assert.match(told, /reviewer says reviewed/);
});

test("R-36: a reviewer asks for steering by loop_state.json, and changes nothing else in it", async () => {
	const asks = (state: Record<string, unknown>) => on(2, write(`${DIR}/loop_state.json`, json(state)), ...reviews("no"));
	const s = quickRalph([asks({ ...LOOP_STATE, mode: "review", iteration: 1, steering_requested: true, steering_reason: "drift" })], {
		scheme: "W1R",
	});
	await s.run(4, 3);
	assert.equal(s.roles(), "WRS");
	assert.doesNotMatch(await s.history(), /put back: \S*loop_state/);
	const more = quickRalph([asks({ ...LOOP_STATE, mode: "mine", story_completions: 77, steering_requested: true })], { scheme: "W1R" });
	await more.run(4, 3);
	assert.deepEqual([more.roles(), more.json("loop_state.json")["story_completions"]], ["WRS", 0]);
	assert.match(await more.history(), /put back: \S*loop_state/);
});

test("R-35: steering restructures the list; a story that passes stays, none passes by its word, and it touches no code", async () => {
	const restructured = json({
		run_id: "demo",
		title: "A demo",
		loop_settings: { no_progress_iterations: 1 },
		stories: [story(20, { size: "M" }), story(2, { title: "Smaller" }), story(21, { passes: true })],
	});
	const s = quickRalph(
		[
			on(1, passes("S1"), ...MOVES, SAYS),
			on(2, ...reviews("yes")),
			on(
				3,
				write(`${DIR}/prd.json`, restructured),
				write(`${DIR}/PRD.md`, "# Other\n"),
				`echo "# S" > ${DIR}/steering.md`,
				"echo x > code.txt",
				say("Done."),
			),
		],
		{ scheme: "W1R" },
	);
	await s.run(4, 4);
	assert.equal(s.roles(), "WRSW");
	const stories = s.json("prd.json")["stories"] as { id: string; title: string; passes: boolean }[];
	assert.deepEqual(
		stories.map((x) => `${x.id} ${x.passes}`),
		["S1 true", "S20 false", "S2 false", "S21 false"],
	);
	assert.deepEqual(
		[stories[2]?.title, "loop_settings" in s.json("prd.json"), s.file("PRD.md"), exists(s.repo, "code.txt")],
		["Smaller", false, "# Other\n", false],
	);
	const told = await s.history();
	assert.match(told, /story S1, which passes and was removed/);
	assert.match(told, /after steering: story S20 has the size M/);
});

test("X-29: a prd.json that is broken in the middle of a run is found, and the last good copy is back", async () => {
	const s = quickRalph(
		[
			on(2, passes("S1"), ...MOVES, SAYS),
			on(3, `echo '{ "stories": [' > ${DIR}/prd.json`, ...MOVES, SAYS),
			on(4, `rm ${DIR}/prd.json`, ...MOVES, SAYS),
		],
		{ scheme: "W" },
	);
	await s.run(4, 5);
	assert.deepEqual(s.passes(), [true, false, false]);
	assert.equal(s.file("events.ndjson").match(/prd\.json could not be read any more/g)?.length, 2);
});

test("R-22 R-23: a claim is looked into by the commands of the story and of the run; a false one is open again, with the reason in progress.md", async () => {
	const s = quickRalph(
		[
			on(1, passes("S1"), passes("S2"), ...MOVES, SAYS),
			on(2, "touch s1.txt", passes("S1"), ...MOVES, SAYS),
			on(3, "touch all.txt", passes("S1"), ...MOVES, say(TAG)),
		],
		{
			scheme: "W",
			stories: [
				story(1, { verification_commands: ["true", "test -f s1.txt || { echo seen-there; exit 4; }"] }),
				story(2, { verification_commands: ["touch left-behind.txt; false"] }),
			],
			prd: { global_verification: ["test -f all.txt"] },
		},
	);
	await s.run(0, 4);
	assert.deepEqual(s.passes(), [true, false]);
	const told = s.file("progress.md");
	assert.match(told, /S1 does not pass.*test -f s1\.txt .*exited 4:\n\n```\nseen-there\n```/);
	assert.match(told, /S1 does not pass.*`test -f all\.txt` exited 1/);
	assert.match(await s.history(), /S1 was said to pass and does not/);
	assert.match(await s.history(), /the promise was given with 1 of 2 stories open \(S2\): a final review decides/);
	assert.equal(exists(s.repo, "left-behind.txt"), false, "what commands leave is not the worker's");
});

test("R-23 R-07: a promise with a claim that is not true does not end the run; global verification can be had with every so many stories", async () => {
	const s = quickRalph([on(1, PASSES_ALL, ...MOVES, say(TAG))], { scheme: "W", stories: [story(1, { verification_commands: ["false"] })] });
	await s.run(4, 2);
	assert.equal(s.roles(), "WW");
	assert.match(await s.history(), /the promise does not count/);
	const every = quickRalph([on(1, passes("S1"), ...MOVES, SAYS), on(2, passes("S2"), ...MOVES, SAYS)], {
		scheme: "W",
		settings: { global_verify_every_n_stories: 2 },
		prd: { global_verification: [`echo x >> ${quote("/dev/stderr")}; false`] },
	});
	await every.run(4, 2);
	assert.deepEqual(every.passes(), [true, false, false]);
});

test("links in the run folder lead nowhere: nothing outside is written, and the loop goes on", async () => {
	const s = quickRalph(
		[
			on(
				1,
				`rm -rf ${DIR}/transcripts; mkdir -p "$home/outside"; ln -s "$home/outside" ${DIR}/transcripts; ln -sf "$home/stolen" ${DIR}/progress.md`,
				SAYS,
			),
		],
		{ scheme: "W" },
	);
	await s.run(4, 2);
	assert.deepEqual([exists(s.agent.flag("stolen")), readdirSync(s.agent.flag("outside"))], [false, []]);
	assert.match(s.file("transcripts/0002-worker.md"), /Worked on it/);
	assert.match(s.file("progress.md"), /Iteration/);
});

test("R-36: a worker that removes the whole run folder finds it again", async () => {
	const s = quickRalph([on(2, passes("S1"), ...MOVES, SAYS), on(3, `rm -rf ${DIR}`, "echo 3 > three.txt", SAYS)], { scheme: "W" });
	await s.run(4, 4);
	assert.deepEqual([s.passes(), s.json("run.json")["iteration"], s.json("orchestration.json")["cursor"]], [[true, false, false], 4, 4]);
	assert.equal(s.agent.calls()[3]?.prompt, s.file("PROMPT.md"));
	assert.match(s.file("progress.md"), /Iteration 2/);
	assert.deepEqual(transcripts(s), ["0001-worker.md", "0002-worker.md", "0003-worker.md", "0004-worker.md"]);
});

test("a worker that works on a branch of its own has worked on the run's branch all the same", async () => {
	const s = ralphSite([on(1, "git checkout -q -b mine", "echo 1 > one.txt", commit("on mine"), SAYS)], { scheme: "W" });
	await s.run(4, 2);
	assert.deepEqual([s.git("rev-parse", "--abbrev-ref", "HEAD"), s.git("show", "main:one.txt")], ["main", "1"]);
	assert.match(await s.history(), /put back: HEAD \(was mine\)/);
	assert.equal(s.git("status", "--porcelain", "--", ":!ralph"), "");
});

test("G-22 R-20: a worker that rewrites commits of others is put back as a whole, and the next one is told to add commits only", async () => {
	const s = ralphSite(
		[
			on(1, ...MOVES, SAYS),
			on(2, "echo x > x.txt; git add x.txt; git commit -q --amend -m amended", SAYS),
			on(3, "git reset -q --hard HEAD~1; echo y > y.txt; git add y.txt; git commit -q -m over", SAYS),
		],
		{ scheme: "W" },
	);
	await s.run(4, 4);
	assert.deepEqual(s.git("log", "--format=%s", "--reverse").split("\n"), ["start", "work", "work"]);
	assert.deepEqual([exists(s.repo, "x.txt"), exists(s.repo, "y.txt"), read(s.repo, "work.txt")], [false, false, "1\n4\n"]);
	const told = s.file("progress.md");
	assert.match(told, /pawl: worker: it rewrote commits of branch main that were there before it began .*: only add commits/);
	for (const n of [2, 3])
		assert.match(told, new RegExp(`after iteration ${n}: put back: all that this iteration did, because it rewrote commits`));
	assert.doesNotMatch(told, /task\.json|left no entry/);
	assert.match(told, /- Result: boundary_violation; its entry was put back with the rest, this one is pawl's/);
	const diff = readFileSync(/it is kept as (\S+\/2\/rewritten\.diff)/.exec(told)?.[1] ?? "", "utf8");
	assert.match(diff, /^diff --git a\/x\.txt b\/x\.txt$/m);
	assert.doesNotMatch(diff, /progress\.md|loop_state\.json|run\.json|events\.ndjson/);
	assert.equal(transcripts(s).length, 4);
});

test("a merge that a worker leaves half done is an error of that iteration, and is not committed", async () => {
	const conflict = [
		"echo a > both.txt",
		commit("a"),
		"git checkout -q -b b HEAD~1",
		"echo b > both.txt",
		commit("b"),
		"git checkout -q main",
		"git merge b",
	];
	const s = ralphSite([on(1, ...conflict, SAYS), on(2, "git checkout -q HEAD -- both.txt", ...MOVES, SAYS)], { scheme: "W" });
	await s.run(4, 2);
	assert.match(await s.history(), /boundary_violation/);
	assert.equal(s.git("show", "main:both.txt"), "a");
});

test("a run folder that git ignores is kept all the same", async () => {
	const s = ralphSite(
		[on(1, write(`${DIR}/PROMPT.md`, "mine"), passes("S1"), ...MOVES, SAYS), on(2, ...reviews("no"), "echo x > code.txt")],
		{ scheme: "WR", files: { ".gitignore": "ralph/\n" } },
	);
	await s.run(4, 3);
	assert.deepEqual(
		[s.roles(), s.passes()[0], s.file("PROMPT.md").startsWith("# demo"), exists(s.repo, "code.txt")],
		["WRW", true, true, false],
	);
	assert.equal(s.json("run.json")["iteration"], 3);
});

test("in a linked worktree the run folder is that worktree's", async () => {
	const s = ralphSite([], { scheme: "W" });
	const linked = `${s.agent.home}/linked`;
	s.git("worktree", "add", "-q", "-b", "other", linked);
	exited(await pawl(["run", "ralph", "demo", "--max-iterations", "2", "--agent-command", s.agent.command], { cwd: linked }), 4);
	assert.deepEqual([exists(s.repo, DIR, "run.json"), exists(linked, DIR, "run.json"), s.agent.calls()[1]?.cwd], [false, true, linked]);
});
