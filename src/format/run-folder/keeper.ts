// Looks after a run folder around each iteration. Before: writes the files that the role needs. After: puts back what the role was not
// allowed to change, verifies claims, writes transcript and progress, and returns the signal that decides how the loop continues.

import { startedWith } from "../../core/started-with.ts";
import type { AgentAnswer, Amendment, Keeper, StepContext } from "../../format.ts";
import { WorkspaceError } from "../../workspace.ts";
import { lookIntoClaims, NOTHING_CLAIMED, refutedText } from "./claims.ts";
import { folderOf, NOTHING_ASKED, untoldProblems } from "./control.ts";
import { jsonText, type RunFolder } from "./folder.ts";
import { journalFilesOf } from "./journal-files.ts";
import { writePlane } from "./permissions.ts";
import {
	type Before,
	claimsFrom,
	forget,
	hasBegun,
	loopStateWords,
	mendPrd,
	NOTHING,
	notIts,
	putBackFiles,
	putBackTree,
	RESULT,
	remember,
	remembered,
	undoRewrite,
} from "./put-back.ts";
import { weakStories } from "./readiness.ts";
import { keepRecords, setAsideTranscripts, unmask, writeLoopState } from "./records.ts";
import { asksForReview, settleRequest } from "./result-file.ts";
import { keepReview, readReview, reviewRemark } from "./review.ts";
import { settingsIn } from "./settings.ts";
import { type Judged, signalOf } from "./signal.ts";
import { nextStory, type PrdDoc, passedCount, readDoc } from "./stories.ts";
import { field, sentence, type Turn, turnOf } from "./turn.ts";

/** Why the next iteration is steering. */
const STEERS: Readonly<Record<string, string>> = {
	steering_requested: "A review found that the stories of this run no longer fit:",
	steering_due: "Steering is due by its cadence.",
};
/** Signals of a final review that did not accept. */
const REJECTS = ["final_rejected", "steering_requested"];
const PUT_OFF = ["rate_limited", "overloaded"];

export const runFolderKeeper: Keeper = {
	async before(context) {
		const folder = folderOf(context);
		if (folder === null) return;
		const turn = turnOf(context, folder);
		const cut = remembered(context);
		// The iteration began before and was interrupted. A person may have changed files since, so only pawl's own files are put back, and a
		// prd.json that cannot be read.
		if (cut !== null && cut.iteration === turn.iteration)
			for (const what of [...putBackLoopState(turn, cut), ...mendPrd(context, folder, cut)]) context.warn(`put back: ${what}`);
		const read = readDoc(folder.text(folder.own("prd.json")) ?? "");
		if (!read.ok) throw new WorkspaceError(`${folder.own("prd.json")} cannot be read: ${read.problems[0]}`);
		makeReady(turn);
		// Claims that were not verified before the interruption count as claims of this iteration.
		remember(context, folder, turn.iteration, cut?.iteration === turn.iteration ? claimsFrom(cut, folder) : undefined);
	},

	async after(context, said) {
		const folder = folderOf(context);
		return folder === null ? withoutFolder(context, said) : withFolder(turnOf(context, folder), said);
	},
};

function makeReady({ context, folder, who, iteration, letter, mode }: Turn): void {
	// Files of an earlier run do not count in this one. A worker's result is removed by the final review that it asked for, so that a crash
	// in between cannot lose it.
	const first = context.state.input["begins"] === "anew" && !hasBegun(context);
	if (first || letter === "F") folder.remove(folder.own(RESULT));
	if (first && !folder.isBeside) writePlane(folder);
	if (first) setAsideTranscripts(folder);
	if (folder.text(folder.own("control.json")) === null) folder.write(folder.own("control.json"), jsonText(NOTHING_ASKED));
	folder.write(
		folder.own("task.json"),
		jsonText({
			run_id: folder.id,
			role: context.role,
			iteration,
			max_iterations: field(context, "max_iterations"),
			...(mode === undefined ? {} : { review_mode: mode }),
			folder: folder.own(),
			prompt_file: who === "worker" ? folder.own("PROMPT.md") : null,
			attempt: context.attempt,
		}),
	);
	// Workers get only their prompt, so this file tells them what people said to the run and why it continues.
	const red = context.state.input["baseline"];
	const told = [
		...(red === undefined ? [] : [`pawl: these checks failed before the run began; what is delivered has to pass them: ${red.trim()}`]),
		...context.state.steered.map((text) => `A person says: ${text.trim()}`),
		...(context.step.feedback === null || isTold(folder, context.step.feedback) ? [] : [`pawl: ${context.step.feedback.trim()}`]),
		...untoldProblems(context.state.id).map((problem) => `pawl, before iteration ${iteration}: ${problem}`),
	];
	for (const text of told) {
		const entry = `\n- ${text}\n---\n`;
		if (!(folder.text(folder.own("progress.md")) ?? "").includes(entry)) folder.append(folder.own("progress.md"), entry);
	}
	writeLoopState(folder, {
		mode: who === "reviewer" ? "review" : who,
		iteration: iteration - 1,
		...counts(context),
		...(first ? { steering_requested: false, steering_reason: "" } : {}),
	});
}

/** What was wrong with a message is noted when its iteration ends, and is no news to those that follow. */
const isTold = (folder: RunFolder, feedback: string): boolean =>
	/: the message of the \w+: $/m.test((folder.text(folder.own("progress.md")) ?? "").replaceAll(`${feedback.trim()}\n`, "\n"));

const counts = (context: StepContext): Record<string, number> =>
	Object.fromEntries(["story_completions", "last_review_iteration", "last_steering_iteration"].map((name) => [name, field(context, name)]));

function putBackLoopState({ folder, who }: Turn, before: Before): string[] {
	const { touched } = loopStateWords(folder, before, who);
	if (!touched) return [];
	const was = before.files[folder.own("loop_state.json")] ?? null;
	if (was === null) folder.remove(folder.own("loop_state.json"));
	else folder.write(folder.own("loop_state.json"), was);
	return [`${folder.own("loop_state.json")} (${notIts(who)})`];
}

async function withFolder(turn: Turn, said: AgentAnswer): Promise<Amendment> {
	const { context, folder, who, iteration } = turn;
	const before = remembered(context) ?? remember(context, folder, iteration);
	const words = loopStateWords(folder, before, who);
	// First, because it restores HEAD and the branch, whatever the agent did to them.
	const changes = context.point === null ? null : await context.workspace.changes(context.point);
	const rewrote = changes === null ? null : await undoRewrite(context, folder, before, changes);
	const tree = changes === null || rewrote !== null ? NOTHING : await putBackTree(context, folder, before, who, changes);
	const files = putBackFiles(context, folder, before, who);
	const back = [
		...putBackLoopState(turn, before),
		...files.told,
		...tree.told,
		...(journalFilesOf(folder.path(folder.own()))?.putBack() ?? []).map((name) => `${folder.own(name)} (it follows the journal)`),
	];
	const remarks = [...(rewrote === null ? back : [rewrote]).map((what) => `put back: ${what}`), ...unmask(turn, before)];
	const was = before.files[folder.own("prd.json")] ?? "";
	const doc = docOf(folder);
	const settings = settingsIn(folder, doc);
	const completions = field(context, "story_completions");
	const review = who === "reviewer" && said.result === "ok" ? readReview(turn, said, before, words.reason) : null;
	const ends = said.result === "ok" && (review === null ? said.signal === "promise" : review.signal === "final_accepted");
	const claims =
		who === "worker" || ends
			? await lookIntoClaims(context, folder, {
					was: claimsFrom(before, folder),
					redefined: files.redefined ?? new Map(),
					completions,
					every: settings.globalEvery,
					ends,
				})
			: NOTHING_CLAIMED;
	// Interrupted during the verification: the iteration runs again, and its claims are verified then.
	if (context.signal.aborted) return {};
	for (const [story, refuted] of claims.refuted) remarks.push(refutedText(story, refuted));
	const now = docOf(folder);
	if (who === "steering")
		remarks.push(
			...weakStories(now)
				.map((what) => `after steering: ${what}`)
				.slice(0, 10),
		);
	const asked = await asksForReview(turn, before, remarks);
	// Files in the middle of a merge may hold conflict markers and must not be committed.
	const unfinished = tree.told.find((what) => what.startsWith("an unfinished"));
	const left = unfinished === undefined && (await leftWork(context, folder));
	// What was committed of it is undone by a commit, too.
	const undone = [
		...new Set([
			...(await committedSince(turn, before.commit, files.paths)),
			// A pass that does not hold may also have been committed before.
			...(claims.refuted.size === 0 ? [] : await committedSince(turn, startedWith(context.state).startCommit, [folder.own("prd.json")])),
		]),
	];
	const still = who === "worker" ? await standstill(turn, before, was, left) : field(context, "still");
	const rejected = who === "worker" ? await stillRejected(turn, left) : "";
	const seen = signalOf(
		{ turn, said, review, doc: now, settings, words, before, refuted: claims.refuted, complete: asked, still, rejected },
		remarks,
	);
	const judged: Judged =
		said.result !== "ok"
			? seen
			: rewrote !== null
				? { ...seen, signal: "boundary_violation", error: `put back: ${rewrote}` }
				: unfinished !== undefined
					? { ...seen, signal: "boundary_violation", error: `it left ${unfinished}` }
					: // A new list that cannot be used is all of its work: it is asked for once more, with everything that is wrong with it.
						who === "steering" && files.unusable !== undefined
						? { ...seen, signal: "unreadable", error: files.unusable }
						: seen;
	settleRequest(turn, asked, judged.signal, remarks);
	// An iteration that hit a usage limit does not count.
	if (review !== null) {
		keepReview(turn, review, before);
		remarks.unshift(reviewRemark(turn, { ...review, reason: judged.reason }, judged.signal));
	}
	if (!PUT_OFF.includes(said.result))
		keepRecords({ turn, said, before, signal: judged.signal, review, refuted: claims.refuted, undone: rewrote !== null }, remarks);
	const steered = judged.signal === "steering_requested";
	const facts = {
		story_completions: completions + claims.stand,
		last_review_iteration: who === "reviewer" ? iteration : field(context, "last_review_iteration"),
		last_steering_iteration: who === "steering" ? iteration : field(context, "last_steering_iteration"),
	};
	writeLoopState(folder, {
		...facts,
		iteration,
		steering_requested: steered,
		steering_reason: steered ? judged.reason : "",
		...(steered ? { steering_requested_by: "review", mode: "steering" } : {}),
	});
	forget(context);
	return {
		...(judged.signal === said.signal ? {} : { signal: judged.signal }),
		...(judged.error === undefined ? {} : { error: judged.error }),
		checks: claims.checks,
		remarks,
		commit: left || (unfinished === undefined && undone.length > 0),
		leave: folder.books(),
		putBack: [...tree.paths, ...undone],
		facts: {
			...Object.fromEntries(Object.entries(facts).map(([name, value]) => [name, String(value)])),
			still: String(still),
			// What stands in the prompts of the next iteration as its reason is news: see prompt-additions.ts.
			told_feedback: context.step.feedback ?? "",
			ended_iteration: String(iteration),
			// A review that has to be given again has to look at the same work.
			...(review !== null && judged.signal !== "unreadable"
				? { review_from: await context.repository.commitOf(context.workspace.branch) }
				: {}),
			...(STEERS[judged.signal] === undefined
				? {}
				: { steering_why: sentence([judged.steeringWhy ?? STEERS[judged.signal], judged.reason].join(" ").trim()) }),
			...(turn.letter === "F" && REJECTS.includes(judged.signal)
				? { rejected: judged.reason || "it gave no reason", rejected_from: await context.repository.commitOf(context.workspace.branch) }
				: {}),
			...(judged.finalWhy === undefined ? {} : { final_why: judged.finalWhy }),
			story: nextStory(now) ?? "",
			stories_passed: String(passedCount(now)),
			stories_total: String(now.stories.length),
		},
	};
}

/** Valid: an invalid one was put back when the iteration began. */
function docOf(folder: RunFolder): PrdDoc {
	const read = readDoc(folder.text(folder.own("prd.json")) ?? "");
	return read.ok ? read.doc : { text: "{}", value: {}, key: "stories", stories: [] };
}

/** Whether some work is uncommitted. */
async function leftWork(context: StepContext, folder: RunFolder): Promise<boolean> {
	return (await context.repository.dirty()).some((path) => folder.isWork(path));
}

/** Why the last final review did not accept the work, if nothing of it was changed since; empty otherwise. */
async function stillRejected({ context, folder }: Turn, left: boolean): Promise<string> {
	const { rejected = "", rejected_from: from = "" } = context.state.root.fields;
	if (left || rejected === "" || from === "") return "";
	const changed = await context.repository.changedPaths(from, await context.repository.commitOf(context.workspace.branch));
	return changed.some((path) => folder.isWork(path)) ? "" : rejected;
}

/** Those of the paths that commits since this one changed. */
async function committedSince({ context }: Turn, commit: string, paths: readonly string[]): Promise<readonly string[]> {
	if (paths.length === 0 || commit === "") return [];
	const changed = await context.repository.changedPaths(commit, await context.repository.commitOf(context.workspace.branch));
	return paths.filter((path) => changed.includes(path));
}

/** How many consecutive worker iterations changed nothing. */
async function standstill({ context, folder }: Turn, before: Before, was: string, left: boolean): Promise<number> {
	const head = await context.repository.commitOf(context.workspace.branch);
	const moved = left || head !== before.commit || folder.text(folder.own("prd.json")) !== was;
	return moved ? 0 : field(context, "still") + 1;
}

/** A bare prompt has no folder, but it also ends when nothing changes any more. */
async function withoutFolder(context: StepContext, said: AgentAnswer): Promise<Amendment> {
	const left = (await context.repository.dirty()).length > 0;
	const head = await context.repository.commitOf(context.workspace.branch);
	const still = left || head !== context.point?.commit ? 0 : field(context, "still") + 1;
	const facts = { still: String(still) };
	if (said.result !== "ok" || said.signal !== "done" || still < 5) return { facts };
	return {
		facts,
		signal: "no_progress",
		error: `no progress in ${still} iterations: no new commit since ${head.slice(0, 8)}, no file changed`,
	};
}
