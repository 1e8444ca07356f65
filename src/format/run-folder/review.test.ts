// Final reviews of a promise, and where the words of a review go: whole runs in this process.
import assert from "node:assert/strict";
import { test } from "node:test";
import { recorded } from "../../core/recorded.ts";
import { inOrder, type Part } from "../../engine/testing/cast.suite.ts";
import type { Harness } from "../../engine/testing/harness.suite.ts";
import { FOLDER, ralph, read, remarks, roles, started } from "./ralph-runs.suite.ts";

const TAG = "<promise>ALL STORIES PASS</promise>";

/** Does something, so that the loop is not standing still. */
const moves: Part = ({ files, checkout, nth }) => {
	files.write(`work/${nth}.txt`, "work\n");
	checkout.commitAll(`work ${nth}`);
	return "Worked on it.";
};
const promises: Part = (turn) => {
	if (typeof moves === "function") moves(turn);
	return `Nothing left to do.\n\n${TAG}`;
};

test("T-40 a promise with open stories brings a final review that knows why, and a rejected one brings the workers back", async (t) => {
	const h = await started(t, {
		worker: inOrder(promises, ralph.cast["worker"]!, ralph.cast["worker"]!, promises),
		reviewer: inOrder("STEERING_NEEDED: no\nREASON: S1 and S2 are open\nACCEPTED: no", ralph.cast["reviewer"]!),
	});
	assert.equal((await h.toHalt()).status, "completed");
	assert.match(roles(h), /^WRW/);
	assert.match(h.prompts[1]?.prompt ?? "", /gave the promise that ends the run, although prd\.json has 2 of 2 stories open \(S1, S2\)/);
	assert.match(read(h, "progress.md"), /the promise was given with 2 of 2 stories open \(S1, S2\): a final review decides/);
	assert.match(read(h, "progress.md"), /REASON: S1 and S2 are open/);
	assert.match(read(h, "prd.json"), /"passes": true[\s\S]*"passes": true/);
});

test("T-40 workers that only promise and never work end as no progress, whatever the reviews say", async (t) => {
	const settings = { loop_settings: { no_progress_iterations: 2 } };
	const prd = JSON.stringify({ ...(JSON.parse(ralph.files?.[`${FOLDER}/prd.json`] ?? "{}") as object), ...settings });
	const cast = { worker: TAG, reviewer: "STEERING_NEEDED: no\nREASON: nothing is there\nACCEPTED: no" };
	const h = await started(t, cast, { [`${FOLDER}/prd.json`]: prd });
	const { status, reason } = await h.toHalt();
	assert.deepEqual([status, roles(h)], ["failed", "WRW"]);
	assert.match(reason ?? "", /no progress in 2 iterations of workers/);
});

const PASSES_BOTH = { [`${FOLDER}/prd.json`]: (ralph.files?.[`${FOLDER}/prd.json`] ?? "").replaceAll('"passes": false', '"passes": true') };

test("R-31 a worker does not overrule a final review: one that leaves nothing open brings steering, and a promise over unchanged work brings the next one", async (t) => {
	const rejects = "ACCEPTED: no\nSTEERING_NEEDED: no\nREASON: the README says nothing of it, why-3\nSUGGESTED_ACTIONS: none";
	const accepts = ralph.cast["reviewer"]!;
	const only = (text: string): Part => text;
	const h = await started(
		t,
		{ worker: inOrder(only("Nothing left."), only(TAG), promises), reviewer: inOrder(rejects, rejects, accepts) },
		PASSES_BOTH,
	);
	assert.equal((await h.toHalt()).status, "completed");
	assert.equal(roles(h), "WRSWRSW");
	const prompts = h.prompts.map((p) => p.prompt);
	assert.match(
		prompts[2] ?? "",
		/A final review rejected the work, and every story passes.*The review said: the README says nothing of it, why-3\./,
	);
	assert.match(
		prompts[4] ?? "",
		/nothing of the work was changed since the last final review, which did not accept it: the README says nothing of it, why-3\./,
	);
	assert.match(read(h, "progress.md"), /the promise does not count: nothing was changed since a final review rejected the work/);
});

test("R-31 a worker that does what a final review asked for ends the run with its promise, as before", async (t) => {
	const takesBack: Part = ({ files }) => {
		files.write(`${FOLDER}/prd.json`, (files.read(`${FOLDER}/prd.json`) ?? "").replace('"passes": true', '"passes": false'));
		return "ACCEPTED: no\nSTEERING_NEEDED: no\nREASON: S1 is not there";
	};
	const finishes: Part = async (turn) => {
		const works = ralph.cast["worker"];
		if (typeof works === "function") await works(turn);
		return TAG;
	};
	const h = await started(t, { worker: inOrder("Nothing left.", finishes), reviewer: takesBack }, PASSES_BOTH);
	assert.equal((await h.toHalt()).status, "completed");
	assert.equal(roles(h), "WRW");
});

test("R-31 T-41 a final review that accepts open stories without a REASON is asked again, and no reason is made up from its lines", async (t) => {
	const silent = "ACCEPTED: yes\nSTEERING_NEEDED: no";
	const h = await started(t, {
		worker: promises,
		reviewer: inOrder(silent, `${silent}\nREASON: S1 and S2 are no longer needed, why-4`),
	});
	const ended = await h.toHalt();
	assert.deepEqual(
		[ended.status, recorded(ended)],
		["completed", [{ name: "accepted_although_open", scope: "@run", text: "S1, S2: S1 and S2 are no longer needed, why-4" }]],
	);
	assert.equal(roles(h), "WRR");
	assert.match(
		h.prompts[2]?.prompt ?? "",
		/it accepts with S1, S2 open and has no REASON: say of each open story why.*, or answer ACCEPTED: no/,
	);
	assert.doesNotMatch(`${read(h, "progress.md")}\n${read(h, "review.md")}`, /REASON: ACCEPTED/);
	assert.match(await remarks(h), /final review \(undecided\)\n[\s\S]*final review \(accepted\): S1 and S2 are no longer needed, why-4/);
});

test("T-41 steering is told why the list has to change, also where REASON speaks of something else", async (t) => {
	const asks: Part = ({ files }) => {
		const state = JSON.parse(files.read(`${FOLDER}/loop_state.json`) ?? "{}") as Record<string, unknown>;
		files.write(
			`${FOLDER}/loop_state.json`,
			`${JSON.stringify({ ...state, steering_requested: true, steering_reason: "S2 is too large" }, null, 2)}\n`,
		);
		return "STEERING_NEEDED: no\nREASON: S1 is fine now";
	};
	const h = await started(
		t,
		{ reviewer: inOrder(asks, ralph.cast["reviewer"]!) },
		{ [`${FOLDER}/orchestration.json`]: '{"scheme": "W1R"}\n' },
	);
	await h.toHalt();
	assert.match(roles(h), /^WRS/);
	assert.match(h.prompts[2]?.prompt ?? "", /no longer fit: S2 is too large\. S1 is fine now\./);
});

test("G-15 T-41 why a review has to be given again is said to that one, and to no later review", async (t) => {
	const h = await started(
		t,
		{
			worker: inOrder(moves, moves, moves, promises),
			reviewer: inOrder("Looks fine.", "Looks fine.", "STEERING_NEEDED: no\nREASON: fine\nACCEPTED: yes"),
		},
		{ [`${FOLDER}/orchestration.json`]: '{"scheme": "WRW9"}\n' },
	);
	assert.equal((await h.toHalt()).status, "completed");
	assert.equal(roles(h), "WRRWWWR");
	const [, first = "", again = "", , , , final = ""] = h.prompts.map((p) => p.prompt);
	assert.match(again, /^## Why this step runs again[\s\S]*STEERING_NEEDED[\s\S]*What was said then is in `ralph\/runs\/demo\/review\.md`/);
	for (const prompt of [first, final]) assert.doesNotMatch(prompt, /Why this step runs again/);
});

test("G-15 R-28 a review is not sent to an empty range of commits, and knows that somebody asked for it", async (t) => {
	const asks: Part = ({ files }) => {
		files.write(`${FOLDER}/control.json`, '{"review_next": true}\n');
		return "Nothing done.";
	};
	const h = await started(t, { worker: inOrder(asks, TAG), reviewer: "STEERING_NEEDED: no\nREASON: fine\nACCEPTED: yes" });
	await h.toHalt();
	const adhoc = h.prompts.find((p) => p.role === "reviewer")?.prompt ?? "";
	assert.match(adhoc, /Nothing was committed since this run began: look at the code as it is/);
	assert.match(adhoc, /Somebody asked for this review in `control\.json`\. You look at the whole/);
	assert.doesNotMatch(adhoc, /git log -p/);
});

test("G-15 the prompts of reviewers and steering say what to do first, and why", async (t) => {
	const asks = "STEERING_NEEDED: yes\nREASON: S2 is two stories\nSUGGESTED_ACTIONS: split it";
	const cast = { worker: inOrder(moves, moves, promises), reviewer: inOrder(asks, "STEERING_NEEDED: no\nREASON: fine\nACCEPTED: yes") };
	const h = await started(t, cast);
	assert.equal((await h.toHalt()).status, "completed");
	assert.equal(roles(h), "WWRSWR");
	const [, , review = "", steering = "", , final = ""] = h.prompts.map((p) => p.prompt);
	assert.match(steering, /^# Change the list of stories.*\n\nA review found that the stories of this run no longer fit: S2 is two stories/);
	assert.match(review, /^# Review the last iterations/);
	assert.match(review, /everything that was committed since this run began/);
	assert.doesNotMatch(review, /what the last review found/);
	assert.match(final, /^# Decide whether this run is over\n\nA worker gave the promise/);
	for (const prompt of [review, steering, final]) {
		assert.doesNotMatch(prompt, /\{\{|undefined/);
		assert.ok(prompt.length < 6000, `${prompt.length} characters`);
		assert.match(prompt, /You have nothing to commit/);
		assert.doesNotMatch(prompt, /Commit what belongs to the work/);
	}
});

test("T-41 the message and review.md decide together, and nobody is told of a line that the other one has", async (t) => {
	const inFile =
		(written: string, says: string): Part =>
		({ files }) => {
			files.write(`${FOLDER}/review.md`, `# Review\n\n${written}\nREASON: why-7\n`);
			return says;
		};
	for (const [written, says, ends] of [
		["STEERING_NEEDED: no", "Not yet.\n\nACCEPTED: no", "not accepted"],
		["STEERING_NEEDED: no\nACCEPTED: yes", "Not yet.\n\nACCEPTED: no", "not accepted"],
		["STEERING_NEEDED: no\nACCEPTED: no", "See review.md.", "not accepted"],
		["STEERING_NEEDED: no", "ACCEPTED: yes\nACCEPTED: no", "undecided"],
	] as const) {
		const h = await started(t, {
			worker: inOrder(promises, ralph.cast["worker"]!),
			reviewer: inOrder(inFile(written, says), ralph.cast["reviewer"]!),
		});
		await h.toHalt();
		const what = `${written} / ${says}`;
		assert.match(await remarks(h), new RegExp(`final review \\(${ends}\\): .*why-7`), what);
		if (ends === "undecided") assert.match(roles(h), /^WRR/, what);
		else {
			assert.match(roles(h), /^WRW/, what);
			assert.doesNotMatch(read(h, "progress.md"), /STEERING_NEEDED|the message of the reviewer/, what);
		}
	}
});

test("T-41 a review that is asked for again is one iteration in progress.md, and its mistake stands there once", async (t) => {
	const h = await started(t, {
		worker: inOrder(promises, ralph.cast["worker"]!),
		reviewer: inOrder("I looked at it.", "STEERING_NEEDED: no\nREASON: S1 is open, why-8\nACCEPTED: no", ralph.cast["reviewer"]!),
	});
	await h.toHalt();
	assert.match(roles(h), /^WRRW/);
	const progress = read(h, "progress.md");
	assert.equal(progress.match(/^- Iteration: 2 /gm)?.length, 1, progress);
	assert.equal(progress.match(/^- pawl.*STEERING_NEEDED/gm)?.length, 1, progress);
	assert.match(progress, /why-8/);
});

test("R-21 who writes no entry is quoted in the one that pawl adds", async (t) => {
	const h = await started(t, { worker: inOrder(moves, ralph.cast["worker"]!) });
	await h.toHalt();
	assert.match(read(h, "progress.md"), /^- Iteration: 1 \(worker\).*\n- Result: done.*\n- It said: Worked on it\.$/m);
});

test("T-41 the reason of a review reaches review.md, progress.md and the journal, whichever of its places has it", async (t) => {
	const places: readonly (readonly [string, Part])[] = [
		["the message", "STEERING_NEEDED: no\nREASON: the export is missing, why-1\nSUGGESTED_ACTIONS: write it, do-1\nACCEPTED: yes"],
		[
			"review.md",
			({ files }) => {
				files.write(`${FOLDER}/review.md`, "# Review\n\nSTEERING_NEEDED: no\nREASON: see why-1\nSUGGESTED_ACTIONS: do-1\nACCEPTED: yes\n");
				return "I wrote my review to review.md.";
			},
		],
		[
			"both, in part",
			({ files }) => {
				files.write(`${FOLDER}/review.md`, "# Review\n\nAll is well.\n");
				files.write(`${FOLDER}/progress.md`, `${files.read(`${FOLDER}/progress.md`) ?? ""}\n- Iteration: 3\n- Review\n---\n`);
				return "**STEERING_NEEDED:** no\n**REASON:** because\nof why-1\n**SUGGESTED_ACTIONS:**\n1. do-1\nACCEPTED: yes";
			},
		],
		[
			"loop_state.json",
			({ files }) => {
				const state = JSON.parse(files.read(`${FOLDER}/loop_state.json`) ?? "{}") as Record<string, unknown>;
				const asks = { ...state, steering_requested: true, steering_reason: "too large, why-1" };
				files.write(`${FOLDER}/loop_state.json`, `${JSON.stringify(asks, null, 2)}\n`);
				return "STEERING_NEEDED: yes\nSUGGESTED_ACTIONS: do-1\nACCEPTED: no";
			},
		],
	];
	for (const [where, reviewer] of places) {
		const h = await started(
			t,
			{ reviewer: inOrder(reviewer, ralph.cast["reviewer"]!) },
			{ [`${FOLDER}/orchestration.json`]: '{"scheme": "W1R"}\n' },
		);
		await h.toHalt();
		assert.match(roles(h), /^WR/, where);
		const transcript = read(h, "transcripts/0002-reviewer.md");
		for (const [file, text] of [
			["review.md", keptReview(h)],
			["progress.md", read(h, "progress.md")],
			["the transcript", transcript],
		] as const)
			assert.match(text, /why-1/, `${where}: ${file}`);
		assert.match(read(h, "progress.md"), /do-1/, where);
		assert.match(await remarks(h), /periodic review \((no )?steering needed\).*why-1/, where);
		// Prompts number their iteration by these lines.
		const numbered = read(h, "progress.md").match(/^- Iteration:/gm)?.length ?? 0;
		assert.ok(numbered <= h.prompts.length, `${where}: ${numbered} entries of ${h.prompts.length} iterations`);
	}

	/** review.md as it was after the first review: a later one replaces it. */
	function keptReview(h: Harness): string {
		return roles(h).match(/R/g)?.length === 1
			? read(h, "review.md")
			: `${read(h, "review.md")}\n${read(h, "transcripts/0002-reviewer.md")}`;
	}
});

test("G-15 a review that has to be given again looks at the same commits", async (t) => {
	const works = ralph.cast["worker"]!;
	const h = await started(
		t,
		{ worker: works, reviewer: inOrder("It looks good.", ralph.cast["reviewer"]!) },
		{ [`${FOLDER}/orchestration.json`]: '{"scheme": "WR"}\n' },
	);
	await h.toHalt();
	assert.match(roles(h), /^WRR/);
	const [first, again] = h.prompts.slice(1, 3).map(({ prompt }) => /Review `git log -p [^`]*`: [^.]*\./.exec(prompt)?.[0]);
	assert.match(first ?? "", /everything that was committed since this run began/);
	assert.equal(again, first);
});
