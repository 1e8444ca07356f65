// `pawl run ralph PATH/prompt.md`: a prompt file and the prd.json beside it (or `--prd FILE`), as they are. What pawl itself writes
// goes into a run folder that is named after the file; stories and progress stay where the prompt says that they are.
import { existsSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { readBounded } from "../../files/read.ts";
import type { ReaderInput, ReaderResult } from "../../reader.ts";
import { MAX_BYTES, RALPH, RunFolder, runIdProblem } from "./folder.ts";
import { newRun, refused, withoutFolder } from "./new-run.ts";
import { readDoc, topOf } from "./stories.ts";

/** Absolute; null if the text is not the path of a file. */
export function promptFileOf({ text = "", cwd, tree }: ReaderInput): string | null {
	const path = text.trim();
	if (path === "" || path.length > 1000 || /[\r\n\0]/.test(path)) return null;
	if (runIdProblem(path) === null && new RunFolder(tree, path).exists()) return null;
	const file = resolve(cwd, path);
	return statSync(file, { throwIfNoEntry: false })?.isFile() ? join(realpathSync(dirname(file)), basename(file)) : null;
}

/** The id of the run folder whose PROMPT.md it is; null if it is of none. */
export function folderOfPrompt({ tree, flags }: ReaderInput, file: string): string | null {
	const [ralph, runs, id = null, name, ...more] = relative(realpathSync(tree), file).split(sep);
	return flags["prd"] === undefined && ralph === RALPH && runs === "runs" && name === "PROMPT.md" && more.length === 0 ? id : null;
}

export function readPromptFile(given: ReaderInput, file: string): ReaderResult {
	const tree = realpathSync(given.tree);
	const found = readBounded(file, { max: MAX_BYTES, oneName: true });
	if (!("text" in found)) return refused([`${file}: ${"problem" in found ? found.problem : "it is gone"}`]);
	if (found.text.trim() === "") return refused([`${file} is empty: a prompt is needed`]);
	if (found.text.includes("\uFFFD")) return refused([`${file} is not UTF-8 text: it could not be given on byte for byte`]);
	const prd = prdFileOf(given, file);
	if (prd === null) return withoutFolder(given, found.text, { prompt_file: file, request: found.text });
	const outside = [file, prd].find((path) => isOutside(tree, path));
	if (outside !== undefined) return refused([`${outside} is outside of the repository: prompt and stories of a loop belong to it`]);
	const folder = folderBeside(tree, file, prd);
	const text = folder.text(folder.own("prd.json"));
	if (text === null) return refused([`${prd}: there is no such file, or it cannot be read`]);
	const doc = readDoc(text);
	if (!doc.ok) return refused([`${folder.own("prd.json")} cannot be used:`, ...doc.problems.map((problem) => `  ${problem}`)]);
	const run = newRun(given, folder, doc.doc, "W");
	const branch = topOf(doc.doc, "branchName");
	const there = typeof branch === "string" && branch.trim() !== "" ? { branch: branch.trim() } : {};
	return run.ok ? { ...run, ...there, own: [RALPH, ...["PROMPT.md", "prd.json", "progress.md"].map((name) => folder.own(name))] } : run;
}

/** Absolute; null if there is none. */
function prdFileOf({ flags, cwd }: ReaderInput, file: string): string | null {
	const named = flags["prd"];
	if (typeof named === "string") {
		const path = resolve(cwd, named);
		return existsSync(dirname(path)) ? join(realpathSync(dirname(path)), basename(path)) : path;
	}
	const beside = join(dirname(file), "prd.json");
	return existsSync(beside) ? beside : null;
}

const isOutside = (tree: string, path: string): boolean => {
	const way = relative(tree, path);
	return way.startsWith("..") || isAbsolute(way);
};

function folderBeside(tree: string, file: string, prd: string): RunFolder {
	const name = relative(tree, file);
	const folder = dirname(name);
	const id = name
		.replace(/\.\w+$/, "")
		.replace(/[^A-Za-z0-9_]+/g, "-")
		.replace(/^-+|-+$/g, "")
		.slice(-60);
	const progress = ["progress.md", "progress.txt"].map((one) => join(folder, one));
	return new RunFolder(tree, id.replace(/^[-_]+/, "") || "prompt", {
		"PROMPT.md": name,
		"prd.json": relative(tree, prd),
		// The name that prompts of this kind use, if there is no file yet.
		"progress.md": progress.find((one) => existsSync(join(tree, one))) ?? join(folder, "progress.txt"),
	});
}
