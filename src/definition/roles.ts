// Compiles roles, budgets and inputs from YAML to the core's form.
import type { Wish } from "../core/assign/assignment.ts";
import { type Budget, FAILURES, type InputMode, type ReportGrammar, type Role, type SignalRule } from "../core/definition.ts";
import { take } from "./actions.ts";
import { parseAmount, parseShare } from "./notation.ts";
import type { Path, Report } from "./problem.ts";
import type { RawBudget, RawRole, RawWorkflow } from "./schema.ts";

/** The engine's own signals, which a report grammar must not use. */
const RESERVED: readonly string[] = [...FAILURES, "cancelled", "checks_failed", "promise"];
const KEY = /^[A-Z][A-Z0-9_]*$/;

export function compileRoles(raw: RawWorkflow["roles"], report: Report): Map<string, Role> {
	return new Map(Object.entries(raw ?? {}).map(([name, role]) => [name, compileRole(name, role, report)]));
}

function compileRole(name: string, raw: RawRole, report: Report): Role {
	return {
		name,
		description: raw.description ?? "",
		report: compileGrammar(raw.report ?? {}, ["roles", name, "report"], report),
		can: raw.can ?? [],
		...(raw.can === undefined || raw.bounded === false ? {} : { bounded: true }),
		...(raw.files === undefined ? {} : { files: raw.files }),
		...(raw.frame === undefined ? {} : { frame: raw.frame }),
		...wishOf(raw),
	};
}

/** Who should do it, as far as the workflow says so. */
export const wishOf = ({ agent, model, effort }: { readonly [K in keyof Wish]?: Wish[K] | undefined }): Wish => ({
	...(agent === undefined ? {} : { agent }),
	...(model === undefined ? {} : { model }),
	...(effort === undefined ? {} : { effort }),
});

export function compileGrammar(raw: NonNullable<RawRole["report"]>, path: Path, report: Report): ReportGrammar {
	const signals = Object.entries(raw.signals ?? {}).flatMap(([signal, rules]): SignalRule[] => {
		const at = [...path, "signals", signal];
		if (RESERVED.includes(signal)) report(at, `\`${signal}\` is a signal of the engine's own: call it something else`, "key");
		return (Array.isArray(rules) ? rules : [rules]).map(({ finding, only, unasked, ...when }, i) => {
			const here = Array.isArray(rules) ? [...at, i] : at;
			if (finding === undefined && only === undefined && Object.keys(when).length === 0)
				report(here, `say what makes a report \`${signal}\`, as {STATUS: done}`);
			for (const key of ["finding", "only"])
				if ((key === "only" ? only : finding) !== undefined && raw.findings === undefined)
					report([...here, key], `\`${key}\` needs \`findings\`: the key that holds them`, "key");
			for (const key of Object.keys(when)) checkKey(key, [...here, key], report, "key");
			return {
				signal,
				when,
				...(finding === undefined ? {} : { finding }),
				...(only === undefined ? {} : { only }),
				...(unasked === undefined ? {} : { unasked: true }),
			};
		});
	});
	(raw.keys ?? []).forEach((key, i) => checkKey(key, [...path, "keys", i], report));
	(raw.required ?? []).forEach((key, i) => checkKey(key, [...path, "required", i], report));
	if (raw.findings !== undefined) checkKey(raw.findings, [...path, "findings"], report);
	if (raw.earlier !== undefined) checkKey(raw.earlier, [...path, "earlier"], report);
	if (raw.stories !== undefined) checkKey(raw.stories, [...path, "stories"], report);
	for (const key of ["feedback", "needs"] as const)
		for (const [i, one] of (raw[key] ?? []).entries()) checkKey(one, [...path, key, i], report);
	for (const key of Object.keys(raw.denies ?? {})) checkKey(key, [...path, "denies", key], report, "key");
	for (const [signal, keys] of Object.entries(raw.wants ?? {}))
		for (const [i, key] of keys.entries()) checkKey(key, [...path, "wants", signal, i], report);
	for (const [name, key] of Object.entries(raw.keep ?? {})) checkKey(key, [...path, "keep", name], report);
	// An open report reads every key anyway: it declares only those that it lists.
	const named = raw.open ? [] : [raw.findings, raw.earlier, raw.stories, ...Object.values(raw.keep ?? {})].filter((k) => k !== undefined);
	return {
		notes: raw.notes ?? "text",
		keys: [...new Set([...signals.flatMap((s) => Object.keys(s.when)), ...(raw.keys ?? []), ...(raw.required ?? []), ...named])],
		signals,
		...(raw.findings === undefined ? {} : { findings: raw.findings }),
		...(raw.earlier === undefined ? {} : { earlier: raw.earlier }),
		...(raw.promise === undefined ? {} : { promise: raw.promise }),
		...(raw.required === undefined ? {} : { required: raw.required }),
		...(raw.stories === undefined ? {} : { stories: raw.stories }),
		...(raw.keep === undefined ? {} : { keep: raw.keep }),
		...(raw.max_stories === undefined ? {} : { maxStories: raw.max_stories }),
		...(raw.open ? { open: true } : {}),
		...(raw.expects === undefined ? {} : { expects: raw.expects }),
		...(raw.feedback === undefined ? {} : { feedback: raw.feedback }),
		...(raw.denies === undefined ? {} : { denies: raw.denies }),
		...(raw.wants === undefined ? {} : { wants: raw.wants }),
		...(raw.needs === undefined ? {} : { needs: raw.needs }),
	};
}

function checkKey(key: string, path: Path, report: Report, where: "key" | "value" = "value"): void {
	if (!KEY.test(key)) report(path, `\`${key}\` is not a key of a report: those are in capitals, as STATUS`, where);
}

export function compileBudgets(raw: RawWorkflow["budgets"], report: Report): Record<string, Budget> {
	return Object.fromEntries(
		Object.entries(raw ?? {}).flatMap(([name, budget]) => compileBudget(budget, ["budgets", name], report).map((b) => [name, b])),
	);
}

function compileBudget(raw: RawBudget, path: Path, report: Report): Budget[] {
	const amount = typeof raw === "string" ? take(parseAmount(raw), path, report) : take(parseAmount(raw.limit), [...path, "limit"], report);
	const shares = (typeof raw === "string" ? [] : (raw.warn ?? [])).map((text, i) => take(parseShare(text), [...path, "warn", i], report));
	return amount === null ? [] : [{ ...amount, warnAt: shares.filter((s) => s !== null) }];
}

export function compileInputs(raw: RawWorkflow["inputs"]): Record<string, InputMode> {
	return Object.fromEntries(Object.entries(raw).map(([name, { reader, workspace }]) => [name, { reader, workspace }]));
}
