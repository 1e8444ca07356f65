// What `pawl run` was given → a run over a run folder (one word: its id), over a prompt file, or over a bare prompt (anything longer).
import type { Reader } from "../../reader.ts";
import { RunFolder, runIdProblem } from "./folder.ts";
import { newRun, refused, withoutFolder } from "./new-run.ts";
import { folderOfPrompt, promptFileOf, readPromptFile } from "./prompt-file.ts";
import { readiness } from "./readiness.ts";

export const runFolder: Reader = async (given) => {
	const file = promptFileOf(given);
	const own = file === null ? null : folderOfPrompt(given, file);
	if (file !== null && own === null) return readPromptFile(given, file);
	if (given.flags["prd"] !== undefined) return refused(["--prd goes with a prompt file: pawl run ralph PATH/prompt.md --prd FILE"]);
	const word = (own ?? given.text)
		?.trim()
		.replace(/^(?:\.\/)?ralph\/runs\//, "")
		.replace(/\/$/, "");
	if (word === undefined || word === "")
		return refused(['which run folder? pawl run ralph RUN_ID, or pawl run ralph "PROMPT" --promise TEXT']);
	if (/\s/.test(word)) return null;
	const problem = runIdProblem(word);
	if (problem !== null) return refused([problem]);
	const folder = new RunFolder(given.tree, word);
	if (!folder.exists())
		return refused([
			`there is no run folder ${folder.own()}: pawl ralph init ${word} makes one (a prompt has more than one word, or is a file)`,
		]);
	const { missing, doc } = readiness(folder);
	if (missing.length > 0 || doc === null)
		return refused([`${folder.own()} is not ready (see pawl ralph check ${word}):`, ...missing.map((m) => `  ${m}`)]);
	return newRun(given, folder, doc);
};

/** Without a folder: only workers, with the same prompt until the promise or the maximum. */
export const barePrompt: Reader = async (given) => {
	const text = given.text ?? "";
	return /\S\s+\S/.test(text) ? withoutFolder(given, text, { prompt: text, request: text }) : null;
};
