// A document as a raw workflow: read in its spelling, laid over the workflow that it extends, with the position of every part.
import { readYaml } from "../../yaml.ts";
import type { FolderReaders, ParseOptions } from "../options.ts";
import type { Path, Problem, Report } from "../problem.ts";
import type { WrittenWorkflow } from "../schema.ts";
import type { Notes, Spelled } from "../spelling.ts";
import { extend } from "./extend.ts";
import { readShape } from "./shape.ts";
import { fillIn } from "./short.ts";

export interface Document {
	readonly spelled: Spelled;
	readonly readers: FolderReaders;
	/** Where a part of the raw workflow is written: in this document, or in the one that it extends. */
	place(path: Path, where: "key" | "value"): Omit<Problem, "message">;
}

interface Notices {
	readonly problems: Problem[];
	readonly warnings: Problem[];
}

/** null: too broken to check further. `chain`: the documents that extend this one, the outermost first. */
export function readDocument(text: string, options: ParseOptions, notices: Notices, chain: readonly string[] = []): Document | null {
	const { file } = options;
	const before = notices.problems.length;
	const source = readYaml(text, file);
	notices.problems.push(...source.problems);
	const into =
		(target: Problem[]): Report =>
		(path, message, where = "value") =>
			target.push({ file, ...source.at(path, where), message });
	const notes: Notes = { report: into(notices.problems), warn: into(notices.warnings) };
	if (source.value === undefined && source.problems.length > 0) return null;
	const place =
		(at: Spelled["at"]): Document["place"] =>
		(path, where) => ({ file, ...source.at(at(path), where) });
	const readers: FolderReaders = {
		readPrompt: options.readPrompt,
		...(options.promptFile ? { promptFile: options.promptFile } : {}),
		...(options.readAgentFile ? { readAgentFile: options.readAgentFile } : {}),
	};
	const other = options.spellings?.find((one) => one.matches(source.value));
	if (other) {
		const spelled = other.read(source.value, notes);
		return notices.problems.length > before ? null : { spelled, readers, place: place(spelled.at) };
	}
	const { workflow, broken } = readShape(source.value, notes.report);
	if (!workflow) return null;
	if (workflow.extends === undefined && !broken.has("extends")) {
		const spelled = fillIn(workflow, broken, notes.report);
		return { spelled, readers, place: place(spelled.at) };
	}
	const parent = readParent(workflow, options, notices, notes, chain);
	if (!parent) return null;
	const spelled = extend(parent.spelled, workflow, broken, notes.report);
	return { spelled, readers: withParent(readers, parent.readers), place: nearer(place(spelled.at), source.value, parent) };
}

function readParent(
	{ extends: name }: WrittenWorkflow,
	options: ParseOptions,
	notices: Notices,
	notes: Notes,
	chain: readonly string[],
): Document | null {
	if (name === undefined) return null;
	const way = [...chain, options.file];
	const parent = options.parent?.(name, way) ?? { problem: "a workflow that extends another cannot be read from here" };
	if ("problem" in parent) {
		notes.report(["extends"], parent.problem);
		return null;
	}
	const document = readDocument(parent.text, { ...options, ...parent }, { ...notices, warnings: [] }, way);
	if (!document) notes.report(["extends"], `\`${name}\` has mistakes of its own`);
	return document;
}

/** A prompt is read from the own folder first, so that a file there replaces one of the parent. */
function withParent(own: FolderReaders, parent: FolderReaders): FolderReaders {
	const isMissing = (name: string): boolean => {
		const read = own.readPrompt(name);
		return "problem" in read && read.missing === true;
	};
	return {
		readPrompt: (name) => {
			if (!isMissing(name)) return own.readPrompt(name);
			const read = parent.readPrompt(name);
			return "problem" in read && read.missing ? own.readPrompt(name) : read;
		},
		promptFile: (name) => (isMissing(name) ? parent : own).promptFile?.(name) ?? name,
		readAgentFile: (name) => {
			const read = own.readAgentFile?.(name);
			return read && "text" in read ? read : (parent.readAgentFile?.(name) ?? { problem: `\`${name}\` cannot be read from here` });
		},
	};
}

/** In the own document if it says as much of the path as the parent does. */
const nearer =
	(own: Document["place"], value: unknown, parent: Document): Document["place"] =>
	(path, where) =>
		depthOf(value, path) >= depthOf(parent.spelled.workflow, path) ? own(path, where) : parent.place(path, where);

/** How many parts of the path are there. */
function depthOf(value: unknown, path: Path): number {
	let at = value;
	for (const [depth, part] of path.entries()) {
		if (typeof at !== "object" || at === null || !Object.hasOwn(at, part)) return depth;
		at = (at as Record<string | number, unknown>)[part];
	}
	return path.length;
}
