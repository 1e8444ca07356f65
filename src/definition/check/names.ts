// Checks that the code a workflow names exists. The caller brings the names, because this folder knows none of that code.
import { type Path, type Report, suggest } from "../problem.ts";
import type { RawWorkflow } from "../schema.ts";

export interface Names {
	readonly readers: readonly string[];
	readonly actions: readonly string[];
	readonly keepers: readonly string[];
	readonly writeRules: readonly string[];
	readonly inboxes: readonly string[];
	readonly projections: readonly string[];
}

export function checkNames(workflow: RawWorkflow, names: Names, report: Report): void {
	const check = (what: string, name: string | undefined, known: readonly string[], path: Path): void => {
		if (name !== undefined && !known.includes(name)) report(path, `there is no ${what} \`${name}\`${suggest(name, known)}`);
	};
	for (const [mode, input] of Object.entries(workflow.inputs)) check("reader", input.reader, names.readers, ["inputs", mode, "reader"]);
	for (const [name, type] of Object.entries(workflow.types)) {
		check("action", type.action, names.actions, ["types", name, "action"]);
		check("keeper", type.keeper, names.keepers, ["types", name, "keeper"]);
		const rule = typeof type.writes === "object" && !Array.isArray(type.writes) ? type.writes.rule : undefined;
		check("write rule", rule, names.writeRules, ["types", name, "writes", "rule"]);
	}
	for (const [i, inbox] of (workflow.inboxes ?? []).entries()) check("inbox", inbox, names.inboxes, ["inboxes", i]);
	for (const [i, file] of (workflow.projections ?? []).entries()) check("projection", file, names.projections, ["projections", i]);
}
