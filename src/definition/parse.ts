// YAML text → checked Definition. Pure: the caller brings the text and a way to read prompts. All problems are reported at once, so
// a failed check does not stop the others.
import type { Definition } from "../core/definition.ts";
import { compile } from "./compile.ts";
import type { ParseOptions } from "./options.ts";
import { orderProblems, type Problem, type Report } from "./problem.ts";
import { type Document, readDocument } from "./read/document.ts";

export type Loaded =
	| { readonly ok: true; readonly definition: Definition; readonly warnings: readonly Problem[] }
	| { readonly ok: false; readonly problems: readonly Problem[] };

export function parseDefinition(text: string, options: ParseOptions): Loaded {
	const problems: Problem[] = [];
	const warnings: Problem[] = [];
	const document = readDocument(text, options, { problems, warnings });
	const definition =
		document &&
		compile(
			document.spelled,
			{ ...options, ...document.readers },
			{ report: into(problems, document), warn: into(warnings, document) },
			problems,
		);
	if (problems.length > 0 || !definition) return { ok: false, problems: orderProblems(problems, options.file) };
	// What the parent of a workflow leaves unused is not its author's concern.
	const own = warnings.filter(({ file }) => file === options.file);
	return { ok: true, definition, warnings: orderProblems(own, options.file) };
}

/** Reports where the document says it, whatever its spelling. */
const into =
	(target: Problem[], { place }: Document): Report =>
	(path, message, where = "value") =>
		target.push({ ...place(path, where), message });
