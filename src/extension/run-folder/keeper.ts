// Looks after a run folder around each iteration: before it, the files that the role needs; after it, what the role may not have changed is
// put back, claims are looked into, transcript and progress are kept, and the signal says how the loop goes on.

import { grammarOf } from "../../core/query.ts";
import { readReport } from "../../core/report.ts";
import type { Amendment, Keeper, Place, Said } from "../../extension.ts";
import { WorkspaceError } from "../../workspace.ts";
import { lookIntoClaims } from "./claims.ts";
import { folderOf, NOTHING_ASKED } from "./control.ts";
import { countIn, jsonText, objectIn, RALPH, type RunFolder } from "./folder.ts";
import { journalFilesOf, modeOf } from "./journal-files.ts";
import type { Who } from "./permissions.ts";
import { type Before, claimsFrom, forget, loopStateWords, mendPrd, putBackFiles, putBackTree, remember, remembered } from "./put-back.ts";
import { weakStories } from "./readiness.ts";
import { type Settings, settingsIn } from "./settings.ts";
import { nextStory, type PrdDoc, passedCount, readDoc } from "./stories.ts";

const RESULT = "output/worker_result.json";
const PUT_OFF = ["rate_limited", "overloaded"];

/** What is known of the iteration. */
interface Turn {
	readonly place: Place;
	readonly folder: RunFolder;
	readonly who: Who;
	readonly iteration: number;
	readonly letter: string;
	readonly mode: string | undefined;
}

function turnOf(place: Place, folder: RunFolder): Turn {
	const letter = place.step.running.find((a) => a.number === place.attempt)?.letter ?? "";
	const who: Who = place.role === "reviewer" || place.role === "steering" ? place.role : "worker";
	return { place, folder, who, iteration: place.step.iteration + 1, letter, mode: modeOf(place.state, letter) };
}

export const runFolderKeeper: Keeper = {
	async before(place) {
		const folder = folderOf(place);
		if (folder === null) return;
		const turn = turnOf(place, folder);
		const cut = remembered(place);
		// The iteration was begun before and cut off. Since then a person may have changed things: only what is ours alone goes back, and
		// a prd.json that nobody can read.
		if (cut !== null && cut.iteration === turn.iteration)
			for (const what of [...putBackLoopState(turn, cut), ...mendPrd(place, folder, cut)]) place.warn(`put back: ${what}`);
		const read = readDoc(folder.text(folder.own("prd.json")) ?? "");
		if (!read.ok) throw new WorkspaceError(`${folder.own("prd.json")} cannot be read: ${read.problems[0]}`);
		makeReady(turn);
		// What was claimed and not looked into before the cut is a claim of this iteration.
		remember(place, folder, turn.iteration, cut?.iteration === turn.iteration ? claimsFrom(cut, folder) : undefined);
	},

	async after(place, said) {
		const folder = folderOf(place);
		return folder === null ? withoutFolder(place, said) : withFolder(turnOf(place, folder), said);
	},
};

const field = (place: Place, name: string): number => countIn(Number(place.state.root.fields[name] ?? 0)) ?? 0;

function makeReady({ place, folder, who, iteration, letter, mode }: Turn): void {
	// A worker's result is used up by the final review that it asked for, so that no crash in between loses it.
	if (letter === "F" || (iteration === 1 && place.state.input["begins"] === "anew" && place.attempt === 1))
		folder.remove(folder.own(RESULT));
	if (folder.text(folder.own("control.json")) === null) folder.write(folder.own("control.json"), jsonText(NOTHING_ASKED));
	folder.write(
		folder.own("task.json"),
		jsonText({
			run_id: folder.id,
			role: place.role,
			iteration,
			max_iterations: field(place, "max_iterations"),
			...(mode === undefined ? {} : { review_mode: mode }),
			folder: folder.own(),
			prompt_file: who === "worker" ? folder.own("PROMPT.md") : null,
			attempt: place.attempt,
		}),
	);
	// Workers get nothing but their prompt: what a person says to the run reaches them here.
	for (const text of place.state.steered) {
		const entry = `\n- A person says: ${text.trim()}\n---\n`;
		if (!(folder.text(folder.own("progress.md")) ?? "").includes(entry)) folder.append(folder.own("progress.md"), entry);
	}
	writeLoopState(folder, { mode: who === "reviewer" ? "review" : who, iteration: iteration - 1, ...counts(place) });
}

const counts = (place: Place): Record<string, number> =>
	Object.fromEntries(["story_completions", "last_review_iteration", "last_steering_iteration"].map((name) => [name, field(place, name)]));

/** As others know it; what is not ours in it stays. */
function writeLoopState(
	folder: RunFolder,
	facts: Readonly<Record<string, unknown>>,
	from = folder.text(folder.own("loop_state.json")),
): void {
	const known = {
		mode: "worker",
		steering_requested: false,
		steering_reason: "",
		steering_requested_by: "review",
		iteration: 0,
		story_completions: 0,
		last_review_iteration: 0,
		last_steering_iteration: 0,
		min_iterations_between_steering: 0,
		review_every_n_iterations: 0,
		steering_force_every_n_iterations: 0,
		...objectIn(from),
	};
	folder.write(folder.own("loop_state.json"), jsonText({ ...known, ...facts }));
}

function putBackLoopState({ folder, who }: Turn, before: Before): string[] {
	const { touched } = loopStateWords(folder, before, who);
	if (!touched) return [];
	const was = before.files[folder.own("loop_state.json")] ?? null;
	if (was === null) folder.remove(folder.own("loop_state.json"));
	else folder.write(folder.own("loop_state.json"), was);
	return [`${folder.own("loop_state.json")} (a ${who} may not change it)`];
}

async function withFolder(turn: Turn, said: Said): Promise<Amendment> {
	const { place, folder, who, iteration } = turn;
	const before = remembered(place) ?? remember(place, folder, iteration);
	const words = loopStateWords(folder, before, who);
	const back = [
		...putBackLoopState(turn, before),
		...putBackFiles(place, folder, before, who),
		...(await putBackTree(place, folder, before, who)),
		...(journalFilesOf(folder.path(folder.own()))?.putBack() ?? []).map((name) => `${folder.own(name)} (it follows the journal)`),
	];
	const remarks = back.map((what) => `put back: ${what}`);
	const was = before.files[folder.own("prd.json")] ?? "";
	const doc = docOf(folder);
	const settings = settingsIn(folder, doc);
	const completions = field(place, "story_completions");
	const claims =
		who === "worker"
			? await lookIntoClaims(place, folder, claimsFrom(before, folder), completions, settings.globalEvery)
			: { checks: [], refuted: new Map<string, string>(), stand: 0 };
	// Cut off while pawl looked: the iteration is done again, and its claims are looked into then.
	if (place.signal.aborted) return {};
	for (const [story, why] of claims.refuted) remarks.push(`${story} was said to pass and does not, \`passes\` is false again: ${why}`);
	const now = docOf(folder);
	if (who === "steering")
		remarks.push(
			...weakStories(now)
				.map((what) => `after steering: ${what}`)
				.slice(0, 10),
		);
	const asked = askedFor(turn, remarks);
	const commit = await leftWork(place);
	const still = who === "worker" ? await standstill(turn, before, was, commit) : field(place, "still");
	const judged = signalOf({ turn, said, doc: now, settings, words, before, refuted: claims.refuted.size, complete: asked, still }, remarks);
	if (judged.signal === "promise") folder.remove(folder.own(RESULT));
	// An agent at a limit has not had its turn.
	if (!PUT_OFF.includes(said.result)) keepRecords(turn, said, before, judged.signal, remarks, claims.refuted);
	const steered = judged.signal === "steering_requested";
	const facts = {
		story_completions: completions + claims.stand,
		last_review_iteration: who === "reviewer" ? iteration : field(place, "last_review_iteration"),
		last_steering_iteration: who === "steering" ? iteration : field(place, "last_steering_iteration"),
	};
	writeLoopState(folder, {
		...facts,
		iteration,
		steering_requested: steered,
		steering_reason: steered ? judged.reason : "",
		...(steered ? { steering_requested_by: "review", mode: "steering" } : {}),
	});
	forget(place);
	return {
		...(judged.signal === said.signal ? {} : { signal: judged.signal }),
		...(judged.error === undefined ? {} : { error: judged.error }),
		checks: claims.checks,
		remarks,
		commit,
		facts: {
			...Object.fromEntries(Object.entries(facts).map(([name, value]) => [name, String(value)])),
			still: String(still),
			story: nextStory(now) ?? "",
			stories_passed: String(passedCount(now)),
			stories_total: String(now.stories.length),
		},
	};
}

/** It was valid when the iteration began, and what is not was put back. */
function docOf(folder: RunFolder): PrdDoc {
	const read = readDoc(folder.text(folder.own("prd.json")) ?? "");
	return read.ok ? read.doc : { text: "{}", value: {}, key: "stories", stories: [] };
}

/** A worker's `output/worker_result.json` asks for a final review. */
function askedFor({ folder, who }: Turn, remarks: string[]): boolean {
	const path = folder.own(RESULT);
	const asks = who === "worker" && objectIn(folder.text(path))?.["complete"] === true;
	if (asks) remarks.push(`${path} asks for a final review`);
	return asks;
}

/** Something outside of the run folders is not committed. */
async function leftWork(place: Place): Promise<boolean> {
	const dirty = await place.repository.dirty();
	return dirty.some((path) => !path.startsWith(`${RALPH}/`));
}

/** How many iterations of workers in a row have moved nothing. */
async function standstill({ place, folder }: Turn, before: Before, was: string, left: boolean): Promise<number> {
	const head = await place.repository.commitOf(place.workspace.branch);
	const moved = left || head !== before.commit || folder.text(folder.own("prd.json")) !== was;
	return moved ? 0 : field(place, "still") + 1;
}

interface Seen {
	readonly turn: Turn;
	readonly said: Said;
	readonly doc: PrdDoc;
	readonly settings: Settings;
	readonly words: { readonly asked: boolean; readonly reason: string };
	readonly before: Before;
	readonly refuted: number;
	readonly complete: boolean;
	readonly still: number;
}

interface Judged {
	readonly signal: string;
	readonly reason: string;
	readonly error?: string;
}

function signalOf(seen: Seen, remarks: string[]): Judged {
	const { turn, said, settings } = seen;
	const signal = turn.who === "reviewer" ? reviewSignal(seen, remarks) : said.signal;
	const reason = said.fields["REASON"] ?? seen.words.reason;
	const as = (other: string, error?: string): Judged => ({ signal: other, reason, ...(error === undefined ? {} : { error }) });
	if (said.result !== "ok") return as(signal);
	const { place, iteration } = turn;
	const since = iteration - field(place, "last_steering_iteration");
	if (signal === "steering_requested") {
		const waits = settings.betweenSteering > 0 && field(place, "last_steering_iteration") > 0 && since < settings.betweenSteering;
		if (!waits) return as(signal);
		remarks.push(`steering is asked for, and was ${since} iterations ago: not before ${settings.betweenSteering}`);
		return as("reviewed");
	}
	const forced = settings.forceSteering > 0 && since >= settings.forceSteering;
	if (turn.who !== "worker") return turn.who === "reviewer" && signal === "reviewed" && forced ? as("steering_due") : as(signal);
	return workerSignal(seen, remarks, forced, as);
}

function workerSignal(seen: Seen, remarks: string[], forced: boolean, as: (signal: string, error?: string) => Judged): Judged {
	const { turn, said, doc, settings, still } = seen;
	const open = doc.stories.length - passedCount(doc);
	if (said.signal === "promise") {
		if (seen.refuted > 0) remarks.push("the promise does not count: a story that was said to pass does not");
		else if (settings.finalReview) return as("final_requested");
		else {
			if (open > 0) remarks.push(`the promise was made with ${open} of ${doc.stories.length} stories open`);
			return as("promise");
		}
		return as("done");
	}
	if (still >= settings.noProgress) {
		const story = nextStory(doc) ?? "none";
		return as(
			"no_progress",
			`no progress in ${still} iterations of workers: the same story (${story}), no new commit since ${seen.before.commit.slice(0, 8)}, no change of ${turn.folder.own("prd.json")}`,
		);
	}
	if (seen.complete || (open === 0 && doc.stories.length > 0)) return as("final_requested");
	return as(forced ? "steering_due" : "done");
}

/** The message decides; where it says nothing that can be read, review.md does, if it was written just now. */
function reviewSignal({ turn, said, words, before }: Seen, remarks: string[]): string {
	const { folder, place, letter } = turn;
	let signal = said.signal;
	const review = folder.text(folder.own("review.md"));
	if (signal === "unreadable" && review !== null && review !== before.files[folder.own("review.md")]) {
		const { definition } = place.state;
		const own = Object.values(definition.types).flatMap((type) => type.loop?.roles[letter]?.report ?? [])[0];
		signal = readReport(own ?? grammarOf(definition, place.step, place.role), review).signal;
	}
	if (signal === "unreadable") remarks.push("the review does not say STEERING_NEEDED: yes or no (and ACCEPTED in a final one)");
	if (words.asked && (signal === "reviewed" || signal === "unreadable" || signal === "final_rejected")) return "steering_requested";
	return signal;
}

function keepRecords(
	turn: Turn,
	said: Said,
	before: Before,
	signal: string,
	remarks: string[],
	refuted: ReadonlyMap<string, string>,
): void {
	const { place, folder, iteration, mode } = turn;
	const progress = folder.own("progress.md");
	const was = before.files[progress] ?? null;
	// Memory that is wiped out helps nobody; what is only rewritten may have been put in order.
	if (was !== null && was.trim() !== "" && (folder.text(progress) ?? "").trim() === "") {
		folder.write(progress, was);
		remarks.push(`put back: ${progress} was emptied`);
	}
	const forgot = folder.text(progress) === was;
	if (forgot) remarks.push(`iteration ${iteration} (${place.role}) left no entry in ${progress}`);
	const number = String(iteration).padStart(4, "0");
	const ended = new Date(place.now()).toISOString();
	folder.append(
		folder.own(`transcripts/${number}-${place.role}.md`),
		[
			`# Iteration ${iteration}: ${place.role}${mode === undefined ? "" : ` (${mode})`}`,
			"",
			`- ended: ${ended}`,
			`- result: ${said.result}, ${signal}`,
			...remarks.map((text) => `- ${text.split("\n", 1)[0]}`),
			"",
			said.text.trimEnd(),
			"",
			"",
		].join("\n"),
	);
	if (forgot)
		folder.append(
			progress,
			`\n- Iteration: ${iteration} (${place.role}), ${ended}\n- Result: ${signal}; no entry was written, this one is pawl's\n---\n`,
		);
	for (const [story, why] of refuted)
		folder.append(progress, `\n- Iteration: ${iteration}, pawl\n- ${story} does not pass, \`passes\` is false again: ${why}\n---\n`);
	for (const text of remarks.filter((r) => r.startsWith("put back: ")))
		folder.append(progress, `\n- Iteration: ${iteration}, pawl\n- ${text}\n---\n`);
}

/** A bare prompt has no folder; standing still ends it all the same. */
async function withoutFolder(place: Place, said: Said): Promise<Amendment> {
	const left = (await place.repository.dirty()).length > 0;
	const head = await place.repository.commitOf(place.workspace.branch);
	const still = left || head !== place.point?.commit ? 0 : field(place, "still") + 1;
	const facts = { still: String(still) };
	if (said.result !== "ok" || said.signal !== "done" || still < 5) return { facts };
	return {
		facts,
		signal: "no_progress",
		error: `no progress in ${still} iterations: no new commit since ${head.slice(0, 8)}, no file changed`,
	};
}
