// The reader `task_document`: a Markdown file with phases and tasks → stories and fields of a run; also finds the state of an
// earlier run on it in the tree.
import { existsSync, lstatSync, realpathSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { readGiven } from "../../files/given.ts";
import type { StoriesNow } from "../../format.ts";
import type { Reader, ReaderResult, StateInTree } from "../../reader.ts";
import { adoptionOf } from "./adoption/adoption.ts";
import { OWN_FILES, STATE_FOLDER } from "./names.ts";
import { notPrograms, notProgramText } from "./not-programs.ts";
import { ABOUT, PHASES } from "./phases.ts";
import { type FoundState, findState } from "./state-folder.ts";
import { readTaskDocument, type TaskDocument } from "./task-document.ts";

const MOST_BYTES = 1024 * 1024;

export const taskDocument: Reader = async (given) => {
	const folder = join(given.tree, STATE_FOLDER);
	const found = findState(folder);
	if (found !== null && !found.ok) return { ok: false, problems: [found.problem] };
	const meant = found === null ? undefined : locate(found.state.orchestrator.task_doc, given.tree);
	const wanted = given.resume ? meant : given.text;
	if (wanted === undefined)
		return given.resume
			? null
			: { ok: false, problems: ["which task document? Give the path of a Markdown file; pawl phased init writes a template"] };
	const file = resolve(given.cwd, wanted);
	const read = await readDocument(file, given.resume ? file : wanted);
	if (!read.ok) return read;
	const { document } = read;
	return {
		ok: true,
		title: document.title,
		stories: document.tasks,
		input: { task_doc: file, state_dir: folder, request: document.about },
		fields: { ...planOf(document), supervisor: String(given.flags["supervisor"] ?? true) },
		warnings: [
			...document.unplaced.map(({ line, message }) => `${wanted}:${line}: ${message}`),
			...notPrograms(document, given.tree, process.env["PATH"] ?? "").map((one) => `${wanted}: ${notProgramText(one)}`),
		],
		source: ["task_doc", "state_dir"],
		exclude: OWN_FILES,
		...(found === null ? {} : { standing: standingOf(found, meant ?? "", file, document) }),
	};
};

/** As the document that a run was started from has them now. */
export async function storiesNow(file: string): Promise<StoriesNow> {
	const read = await readDocument(file, basename(file));
	if (!read.ok) return { file, problem: read.problems.join("; ") };
	return { file, stories: read.document.tasks, plan: planOf(read.document) };
}

/** The fields of a run that come from its document, beside its tasks. */
const planOf = ({ phases, about }: TaskDocument): Record<string, string> => ({ [PHASES]: JSON.stringify(phases), [ABOUT]: about });

/** `name`: as the user wrote it. */
export async function readDocument(
	file: string,
	name: string,
): Promise<{ ok: true; document: TaskDocument } | Extract<ReaderResult, { ok: false }>> {
	const found = await readGiven(file, { max: MOST_BYTES });
	if (!("text" in found))
		return { ok: false, problems: [`${name} cannot be read: ${"missing" in found ? "there is no such file" : found.problem}`] };
	const read = readTaskDocument(found.text, basename(file).replace(/\.(md|markdown)$/i, ""));
	if (read.ok) return read;
	return { ok: false, problems: read.problems.map(({ line, message }) => `${name}:${line}: ${message}`) };
}

/** The document of a state from another checkout is at the same relative path in this one; a bare file name decides only if there is nothing else. */
function locate(path: string, tree: string): string {
	const parts = path.split("/").filter((part) => part !== "" && part !== "." && part !== "..");
	const inside = path.startsWith(`${tree}/`);
	const here = parts.map((_, i) => parts.slice(i)).filter((rest) => existsSync(join(tree, ...rest)));
	const [best] = here.filter((rest) => rest.length > 1 || !existsSync(path));
	return inside || best === undefined ? path : join(tree, ...best);
}

function standingOf(found: FoundState, meant: string, file: string, document: TaskDocument): StateInTree {
	const { task_doc, status } = found.state.orchestrator;
	const phases = document.phases;
	return {
		file: found.file,
		unfinished: status !== "completed",
		same: samePath(meant, file) || samePath(task_doc, file),
		about: task_doc,
		isOf: (events) => found.isOf(events),
		adopt: (definition) =>
			adoptionOf(found.text, `${found.file} was there already`, { definition, tasks: document.tasks, phases, whole: true }),
		archive: () => found.archive(),
	};
}

function samePath(a: string, b: string): boolean {
	if (a === b) return true;
	try {
		return lstatSync(a) !== undefined && realpathSync(a) === realpathSync(b);
	} catch {
		return false;
	}
}
