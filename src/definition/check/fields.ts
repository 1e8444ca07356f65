// Checks names of values: fields in conditions, schedules and promises, report keys in `set`, variables in prompts.
import type { Role } from "../../core/definition.ts";
import { isMark } from "../../core/mark.ts";
import { PROMPT_VARIABLES, templateNames } from "../../core/template.ts";
import { type RouteAt, variants } from "../actions.ts";
import { type Path, type Problem, type Report, suggest } from "../problem.ts";
import type { RawWorkflow } from "../schema.ts";
import type { TypeDraft } from "../types.ts";

/** Fields that the core itself provides (core/query.ts). */
const ENGINE_FIELDS = ["workspace", "mode", "agents", "stories", "story_trees", "changed", "expects_change"];

/** In `set`: what the report says to later steps, whatever its keys. */
const WHOLE_REPORT = "notes";

/** Fields that a run of this workflow can have. */
export function fieldsOf(workflow: RawWorkflow, routes: Iterable<RouteAt>): Set<string> {
	const declared = Object.values(workflow.inputs).flatMap((i) => i.fields ?? []);
	const given = Object.keys(workflow.fields ?? {});
	const set = [...routes].flatMap(variants).flatMap(({ route }) => Object.keys(route.set ?? {}));
	const called = Object.values(workflow.types).flatMap((type) =>
		Object.values(type.loop?.roles ?? {}).flatMap((r) => (typeof r === "string" ? [] : Object.keys(r.fields ?? {}))),
	);
	const kept = [...Object.values(workflow.roles ?? {}), ...Object.values(workflow.types)].flatMap((r) => Object.keys(r.report?.keep ?? {}));
	return new Set([...ENGINE_FIELDS, ...declared, ...given, ...set, ...kept, ...called]);
}

export function checkFields(
	draft: TypeDraft,
	routes: ReadonlyMap<string, RouteAt>,
	roles: ReadonlyMap<string, Role>,
	fields: ReadonlySet<string>,
	report: Report,
): void {
	const { type, path } = draft;
	for (const c of type.when)
		if (!fields.has(c.field)) report([...path, "when"], `there is no field \`${c.field}\`${suggest(c.field, fields)}`);
	if (type.loop) {
		checkNames(type.loop.schedule, fields, [...path, "loop", "schedule"], report);
		checkNames(type.loop.max, fields, [...path, "loop", "max"], report);
		checkNames(type.loop.delay ?? "", fields, [...path, "loop", "delay"], report);
		for (const [key, text] of Object.entries(type.loop.start ?? {})) checkNames(text, fields, [...path, "loop", "start", key], report);
	}
	const names = [type.role, ...(type.members ?? []).map((m) => m.role), ...Object.values(type.loop?.roles ?? {}).map((r) => r.role)];
	const keys = names.flatMap((name) => (name === undefined ? [] : ((type.report ?? roles.get(name)?.report)?.keys ?? [])));
	// What a delivering action reports about the delivery is pawl's own word.
	for (const at of routes.values())
		for (const { route, path: here } of variants(at))
			for (const field of Object.keys(route.set ?? {}))
				if (isMark(field) && !type.delivers)
					report([...here, "set", field], `\`${field}\` is a field that pawl itself sets: call it something else`, "key");
	// Actions and keepers may report any key.
	if (type.kind === "action" || type.keeper !== undefined) return;
	for (const at of routes.values())
		for (const { route, path: here } of variants(at))
			for (const [field, text] of Object.entries(route.set ?? {}))
				for (const key of templateNames(text))
					if (key !== WHOLE_REPORT && !keys.includes(key))
						report([...here, "set", field], `\`${type.name}\` does not report \`${key}\`${suggest(key, keys)}`);
}

export function checkPromise(role: Role, fields: ReadonlySet<string>, report: Report): void {
	checkNames(role.report.promise ?? "", fields, ["roles", role.name, "report", "promise"], report);
}

function checkNames(text: string, fields: ReadonlySet<string>, path: Path, report: Report): void {
	for (const name of templateNames(text)) if (!fields.has(name)) report(path, `there is no field \`${name}\`${suggest(name, fields)}`);
}

/** Unknown variables of a prompt, with their position in the prompt's file. */
export function checkPromptText(text: string, file: string, frame: boolean, fields: ReadonlySet<string>): Problem[] {
	const known = new Set<string>([...PROMPT_VARIABLES, ...fields]);
	if (!frame) known.delete("instructions");
	const names = templateNames(text);
	const problems = names.flatMap((name): Problem[] => {
		if (known.has(name)) return [];
		const inFrame =
			name === "instructions"
				? ": it belongs in a frame, where it stands for the prompt"
				: suggest(name, known).replace(/; there is .*/s, "; see the list of variables in the documentation");
		return [{ file, ...positionOf(text, name), message: `there is no variable \`{{${name}}}\`${inFrame}` }];
	});
	if (frame && !names.includes("instructions"))
		problems.push({ file, line: 1, column: 1, message: "a frame needs {{instructions}} where the prompt goes" });
	return problems;
}

function positionOf(text: string, name: string): { line: number; column: number } {
	for (let at = text.indexOf("{{"); at >= 0; at = text.indexOf("{{", at + 1)) {
		if (text.slice(at + 2, text.indexOf("}}", at)).trim() !== name) continue;
		const before = text.slice(0, at).split("\n");
		return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
	}
	return { line: 1, column: 1 };
}
