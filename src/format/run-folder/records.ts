// What an iteration leaves in its run folder for later ones: transcript, progress, loop_state.json.
import { headOf } from "../../core/cut.ts";
import type { AgentAnswer } from "../../format.ts";
import type { Refuted } from "./claims.ts";
import { jsonText, objectIn, type RunFolder } from "./folder.ts";
import type { Before } from "./put-back.ts";
import { progressLines, type Review } from "./review.ts";
import type { Turn } from "./turn.ts";

/** In the format of other tools, whose keys are kept. */
export function writeLoopState(
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

export interface Ended {
	readonly turn: Turn;
	readonly said: AgentAnswer;
	readonly before: Before;
	readonly signal: string;
	readonly review: Review | null;
	/** Story → why it does not pass. */
	readonly refuted: ReadonlyMap<string, Refuted>;
	/** All that the iteration did was put back, its entry too. */
	readonly undone: boolean;
}

/** `remarks`: collects remarks about the records themselves. */
export function keepRecords(ended: Ended, remarks: string[]): void {
	const { turn, before } = ended;
	const { context, folder, iteration } = turn;
	const progress = folder.own("progress.md");
	const was = before.files[progress] ?? null;
	// A progress file that was emptied is restored; one that was rewritten may have been tidied up.
	if (was !== null && was.trim() !== "" && (folder.text(progress) ?? "").trim() === "") {
		folder.write(progress, was);
		remarks.push(`put back: ${progress} was emptied`);
	}
	const forgot = folder.text(progress) === was;
	if (forgot && !ended.undone) remarks.push(`iteration ${iteration} (${context.role}) left no entry in ${progress}`);
	const at = new Date(context.now()).toISOString();
	writeTranscript(ended, at, remarks);
	for (const entry of progressEntries(ended, forgot, at, remarks)) folder.append(progress, `\n${entry.join("\n")}\n---\n`);
}

/** Lines that only pawl writes: what a person said, and what pawl itself found. */
const IN_THE_NAME_OF_OTHERS = /^[\s>*_-]*(?:A person says|pawl(?:, (?:after|before) iteration \d+)?):/i;

/** Workers believe progress.md, so that nobody may speak there as somebody else. Says who wrote such a line, and returns remarks. */
export function unmask({ context, folder }: Turn, before: Before): string[] {
	const path = folder.own("progress.md");
	const known = new Set((before.files[path] ?? "").split("\n"));
	const remarks: string[] = [];
	const lines = (folder.text(path) ?? "").split("\n").map((line) => {
		if (known.has(line) || !IN_THE_NAME_OF_OTHERS.test(line)) return line;
		const words = line.replace(/^[\s>*_-]*/, "");
		remarks.push(`put back: a line of ${path} in the name of somebody else: ${headOf(words, 200)}`);
		return `- The ${context.role} wrote: ${words}`;
	});
	if (remarks.length > 0) folder.write(path, lines.join("\n"));
	return remarks;
}

/** Prompts number their iteration by the files in `transcripts/`, so each iteration has one: the agent's own, if it wrote one. */
function transcriptOf({ turn, before }: Ended): string {
	const { context, folder, iteration } = turn;
	const [own] = folder
		.names(folder.own("transcripts"))
		.filter((name) => !before.transcripts.includes(name) && /^\w.*\.(?:md|txt)$/.test(name));
	return folder.own(`transcripts/${own ?? `${String(iteration).padStart(4, "0")}-${context.role}.md`}`);
}

/** The transcripts of an earlier run of the folder would be counted with those of this one. */
export function setAsideTranscripts(folder: RunFolder): void {
	if (!folder.names(folder.own("transcripts")).some((name) => !name.startsWith("."))) return;
	const nth = folder.names(folder.own("transcripts_before")).length + 1;
	folder.move(folder.own("transcripts"), folder.own(`transcripts_before/${nth}`));
}

function writeTranscript(ended: Ended, at: string, remarks: readonly string[]): void {
	const { turn, said, signal } = ended;
	const { context, folder, iteration, mode } = turn;
	const file = transcriptOf(ended);
	const there = folder.text(file) ?? "";
	folder.append(
		file,
		[
			...(there === "" || there.endsWith("\n") ? [] : [""]),
			`# Iteration ${iteration}: ${context.role}${mode === undefined ? "" : ` (${mode})`}`,
			"",
			`- ended: ${at}`,
			`- result: ${said.result}, ${signal}`,
			...remarks.map((text) => `- ${text.split("\n", 1)[0]}`),
			"",
			said.text.trimEnd(),
			"",
			"",
		].join("\n"),
	);
}

/**
 * What pawl adds to progress.md. Prompts count the lines that begin with `- Iteration:` to number their iteration, so there is one for an
 * iteration, and only where the agent wrote no entry.
 */
function progressEntries(
	{ turn, said: answer, before, signal, review, refuted, undone }: Ended,
	forgot: boolean,
	at: string,
	remarks: readonly string[],
): string[][] {
	const { context, folder, iteration } = turn;
	const said = review === null ? [] : progressLines(folder, review, before);
	const after = `- pawl, after iteration ${iteration}`;
	const entry = `- Iteration: ${iteration} (${context.role}), `;
	// A review that has to be given again belongs to the same iteration.
	const numbered = (folder.text(folder.own("progress.md")) ?? "").includes(`\n${entry}`);
	return [
		...(forgot && !numbered
			? [
					[
						`${entry}${at}`,
						`- Result: ${signal}; ${undone ? "its entry was put back with the rest" : "no entry was written"}, this one is pawl's`,
						...said,
						...ownWords(answer, review),
					],
				]
			: said.length > 0
				? [[`${after}: the ${context.role} said`, ...said]]
				: []),
		// The next worker gets only its prompt, and can read it here.
		...(answer.problem === null || isSettled(review) ? [] : [[`${after}: the message of the ${context.role}: ${answer.problem}`]]),
		...[...refuted].map(([story, { why, output, before: passed }]) => [
			`${after}: ${story} ${passed ? "passed before and no longer does" : "does not pass"}, \`passes\` is false again: ${why}${output === "" ? "" : ":"}`,
			...(output === "" ? [] : ["", fenceFor(output), output, fenceFor(output)]),
		]),
		...remarks.filter((text) => TOLD.test(text)).map((text) => [`${after}: ${text}`]),
		...((answer.refused ?? []).length === 0
			? []
			: [[`${after}: what the ${context.role} may not do was refused: ${answer.refused?.join(", ")}`]]),
	];
}

/** Longer than any fence in the text. */
const fenceFor = (text: string): string => "`".repeat(Math.max(3, ...[...text.matchAll(/`+/g)].map(([run]) => run.length + 1)));

/** What was wrong with the message no longer matters if review.md decides. */
const isSettled = (review: Review | null): boolean => review !== null && review.signal !== "unreadable";

/** Whoever forgot its entry has said in its final message what it did. */
function ownWords({ text }: AgentAnswer, review: Review | null): string[] {
	const words = headOf(
		text
			.replace(/<\/?promise>/g, "")
			.replace(/\s+/g, " ")
			.trim(),
		WORDS_BYTES,
	);
	return review !== null || words === "" ? [] : [`- It said: ${words}`];
}
const WORDS_BYTES = 600;

/** Remarks that the next iteration has to know. */
const TOLD = /^put back: |^the promise |^the acceptance |^the request for a final review | asks for nothing: /;
