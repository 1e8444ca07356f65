// What an iteration leaves in its run folder for later ones: transcript, progress, loop_state.json.
import type { AgentAnswer } from "../../format.ts";
import { jsonText, objectIn, type RunFolder } from "./folder.ts";
import type { Before } from "./put-back.ts";
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

/** `remarks`: collects remarks about the records themselves. */
export function keepRecords(
	turn: Turn,
	said: AgentAnswer,
	before: Before,
	signal: string,
	remarks: string[],
	refuted: ReadonlyMap<string, string>,
): void {
	const { context, folder, iteration, mode } = turn;
	const progress = folder.own("progress.md");
	const was = before.files[progress] ?? null;
	// A progress file that was emptied is restored; one that was rewritten may have been tidied up.
	if (was !== null && was.trim() !== "" && (folder.text(progress) ?? "").trim() === "") {
		folder.write(progress, was);
		remarks.push(`put back: ${progress} was emptied`);
	}
	const forgot = folder.text(progress) === was;
	if (forgot) remarks.push(`iteration ${iteration} (${context.role}) left no entry in ${progress}`);
	const number = String(iteration).padStart(4, "0");
	const ended = new Date(context.now()).toISOString();
	folder.append(
		folder.own(`transcripts/${number}-${context.role}.md`),
		[
			`# Iteration ${iteration}: ${context.role}${mode === undefined ? "" : ` (${mode})`}`,
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
			`\n- Iteration: ${iteration} (${context.role}), ${ended}\n- Result: ${signal}; no entry was written, this one is pawl's\n---\n`,
		);
	// The next worker gets only its prompt, and can read it here.
	if (said.problem !== null)
		folder.append(progress, `\n- Iteration: ${iteration}, pawl\n- the message of the ${context.role}: ${said.problem}\n---\n`);
	for (const [story, why] of refuted)
		folder.append(progress, `\n- Iteration: ${iteration}, pawl\n- ${story} does not pass, \`passes\` is false again: ${why}\n---\n`);
	for (const text of remarks.filter((r) => r.startsWith("put back: ")))
		folder.append(progress, `\n- Iteration: ${iteration}, pawl\n- ${text}\n---\n`);
}
