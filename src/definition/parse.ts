// YAML text → checked Definition. Pure: the caller brings the text and a way to read prompts. All problems are reported at once, so
// a failed check does not stop the others.
import type { Definition } from "../core/definition.ts";
import { readYaml } from "../yaml.ts";
import { compile } from "./compile.ts";
import type { ParseOptions } from "./options.ts";
import { orderProblems, type Problem, type Report } from "./problem.ts";
import { readShape } from "./shape.ts";
import type { Notes, Spelled } from "./spelling.ts";

export type Loaded =
	| { readonly ok: true; readonly definition: Definition; readonly warnings: readonly Problem[] }
	| { readonly ok: false; readonly problems: readonly Problem[] };

export function parseDefinition(text: string, options: ParseOptions): Loaded {
	const source = readYaml(text, options.file);
	const problems: Problem[] = [...source.problems];
	const warnings: Problem[] = [];
	const into =
		(target: Problem[]): Report =>
		(path, message, where = "value") =>
			target.push({ file: options.file, ...source.at(path, where), message });
	const notes: Notes = { report: into(problems), warn: into(warnings) };
	const spelled = source.value === undefined && problems.length > 0 ? null : read(source.value, options, notes, problems);
	const definition = spelled && compile(spelled, options, placed(notes, spelled), problems);
	if (problems.length > 0 || !definition) return { ok: false, problems: orderProblems(problems, options.file) };
	return { ok: true, definition, warnings: orderProblems(warnings, options.file) };
}

/** null: too broken to check further. */
function read(value: unknown, options: ParseOptions, notes: Notes, problems: readonly Problem[]): Spelled | null {
	const other = options.spellings?.find((one) => one.matches(value));
	if (other) {
		const spelled = other.read(value, notes);
		return problems.length > 0 ? null : spelled;
	}
	const { workflow, broken } = readShape(value, notes.report);
	return workflow && { workflow, broken, texts: {}, variables: "unchecked", at: (path) => path };
}

/** Reports where the document says it, whatever its spelling. */
const placed = ({ report, warn }: Notes, { at }: Spelled): Notes => ({
	report: (path, message, where) => report(at(path), message, where),
	warn: (path, message, where) => warn(at(path), message, where),
});
