// Which signals a step can end in, and the route of each: the type's own, then the workflow's, then `*`, then the default. A signal without a
// route is reported here, so that the core never meets one (U-06).
import { FAILURES, type ReportGrammar, type Role, type Route, UNCHANGED } from "../core/definition.ts";
import { type RouteAt, type RouteTable, variants } from "./actions.ts";
import { defaultRoute, type Place, settled } from "./defaults.ts";
import { list, type Report, suggest } from "./problem.ts";
import type { TypeDraft } from "./types.ts";

/** Failures of steps without an agent. */
const ENGINE_FAILURES = ["agent_error", "timeout", "lost", "workspace_error"];

/** Signals that any workflow may have a common route for, whether or not one of its steps can end in them. */
export const ENGINE_SIGNALS: readonly string[] = [
	"done",
	"checks_failed",
	"approved",
	"rejected",
	"max_iterations",
	UNCHANGED,
	...FAILURES,
];

export interface Roles {
	readonly roles: ReadonlyMap<string, Role>;
	/** Roles that exist but could not be read. */
	readonly broken: ReadonlySet<string>;
}

export const roleSignals = ({ report }: Pick<Role, "report">): string[] => grammarSignals(report);

function grammarSignals(report: ReportGrammar): string[] {
	const named = [...new Set(report.signals.map((s) => s.signal))];
	return [...(named.length === 0 ? ["done"] : named), ...(report.promise === undefined ? [] : ["promise"])];
}

/** Whether an agent's step ends in `promise` when all is done. */
export const promisesOf = ({ type }: TypeDraft, { roles }: Roles): boolean =>
	type.kind === "agent" && (type.report ?? roles.get(type.role ?? "")?.report)?.promise !== undefined;

/** The signals of a step's reports: by its own grammar, or else by its role's. */
const reported = (draft: TypeDraft, role: Role): string[] => grammarSignals(draft.type.report ?? role.report);

/** The verdicts of a gate from best to worst: as written, or else in the order of its first blocking role's signals. */
export function verdictsOf(draft: TypeDraft, { roles }: Roles): readonly string[] {
	if (draft.type.verdicts) return draft.type.verdicts;
	const first = draft.type.members?.find((m) => m.blocking && roles.has(m.role));
	const role = first && roles.get(first.role);
	return role ? reported(draft, role) : [];
}

/** null: unknown, because a role is missing or broken. */
export function signalsOf(draft: TypeDraft, known: Roles, report: Report): string[] | null {
	const { type } = draft;
	const checked = type.checks.length > 0 ? ["checks_failed"] : [];
	switch (type.kind) {
		case "agent": {
			const role = find(type.role ?? "", [...draft.path, "role"], known, report);
			const idle = type.expectsChange ? [UNCHANGED] : [];
			return role && [...new Set([...reported(draft, role), ...(draft.signals ?? []), ...checked, ...idle, ...FAILURES])];
		}
		case "command":
			return ["done", "checks_failed", ...ENGINE_FAILURES];
		case "action":
			return [...new Set([...(draft.signals ?? ["done"]), ...checked, ...ENGINE_FAILURES])];
		case "approval":
			return ["approved", "rejected"];
		case "each":
			return ["done"];
		case "gate":
			return gateSignals(draft, known, report)?.concat(draft.signals ?? [], checked, FAILURES) ?? null;
		case "loop": {
			const roles = Object.entries(type.loop?.roles ?? {}).map(([letter, r]) =>
				find(r.role, [...draft.path, "loop", "roles", letter], known, report),
			);
			if (roles.includes(null)) return null;
			const all = new Set([
				...Object.values(type.loop?.roles ?? {}).flatMap((r, i) => {
					const by = r.report === undefined ? roles[i] : { report: r.report };
					return by ? roleSignals(by) : [];
				}),
				...(draft.signals ?? []),
				...checked,
				"max_iterations",
				...FAILURES,
			]);
			for (const signal of Object.keys(type.loop?.inject ?? {})) {
				if (!all.delete(signal))
					report(
						[...draft.path, "loop", "inject", signal],
						`no role of \`${type.name}\` ends in \`${signal}\`${suggest(signal, all)}`,
						"key",
					);
			}
			return [...all];
		}
	}
}

function gateSignals(draft: TypeDraft, known: Roles, report: Report): string[] | null {
	const path = [...draft.path, "gate", "members"];
	const members = draft.type.members ?? [];
	const verdicts = verdictsOf(draft, known);
	let complete = members.some((m) => m.blocking);
	if (!complete) report(path, "a gate needs at least one `blocking` member: only those can hold the work up", "key");
	for (const member of members) {
		const role = find(member.role, [...path, member.role], known, report, "key");
		if (!role) complete = false;
		else if (member.blocking)
			for (const signal of reported(draft, role))
				if (!verdicts.includes(signal))
					report(
						[...path, member.role],
						`\`${member.role}\` can end in \`${signal}\`, which is not among the gate's \`verdicts\`${suggest(signal, verdicts)}`,
						"key",
					);
	}
	return complete ? [...verdicts] : null;
}

function find(
	name: string,
	path: readonly (string | number)[],
	{ roles, broken }: Roles,
	report: Report,
	where: "key" | "value" = "value",
): Role | null {
	const role = roles.get(name);
	if (!role && !broken.has(name)) report(path, `there is no role \`${name}\`${suggest(name, roles.keys())}`, where);
	return role ?? null;
}

/** The route of every signal. Named routes win over `*`, the type's own over the workflow's, all of them over the default. The workflow's `*` covers
 * failures only: otherwise it would hide a route that somebody forgot. */
export function resolve(
	draft: TypeDraft,
	signals: readonly string[],
	defaults: RouteTable,
	place: Place,
	report: Report,
): Map<string, RouteAt> {
	const { own, type } = draft;
	const routes = new Map<string, RouteAt>();
	const missing: string[] = [];
	for (const signal of signals) {
		// `*` never covers `unreadable`, because few people think of it when they write `*`.
		const general = failures.has(signal) ? defaults.rest : null;
		const at =
			own.named.get(signal) ??
			asShared(defaults.named.get(signal), place) ??
			(signal === "out_of_credit" ? asShared(unpaid(own, defaults), place) : null) ??
			(signal === "unreadable" || signal === "out_of_credit" ? null : (own.rest ?? asShared(general, place))) ??
			byDefault(signal, place);
		if (at) routes.set(signal, at);
		else missing.push(signal);
	}
	if (missing.length > 0) {
		const star = defaults.rest ? " (the workflow's `*` covers failures only)" : "";
		report(
			draft.path,
			`\`${type.name}\` can end in ${list(missing)} and has no route for ${missing.length > 1 ? "them" : "it"}: add ${missing.length > 1 ? "them" : "it"} under \`on\`, its own or the workflow's${star}`,
			"key",
		);
	}
	for (const [signal, at] of own.named)
		if (!signals.includes(signal)) report(at.path, `\`${type.name}\` cannot end in \`${signal}\`${suggest(signal, signals)}`, "key");
	return routes;
}

/** What the workflow says for all of its steps holds outside the stories too. */
const asShared = (at: RouteAt | null | undefined, { fails }: Place): RouteAt | null =>
	at ? { ...at, route: at.route && settled(at.route, fails, true) } : null;

function byDefault(signal: string, place: Place): RouteAt | null {
	const route = defaultRoute(signal, place);
	return route && { route, path: [] };
}

/** For a workflow without such a route: the route of `auth`, which ends the run as well; else its `*` if that ends the run; else the default. If story after story failed instead, a person would have to retry each of them. */
function unpaid(own: RouteTable, defaults: RouteTable): RouteAt | null {
	const auth = own.named.get("auth") ?? defaults.named.get("auth");
	const rest = own.rest ?? defaults.rest;
	const ends = rest?.route?.action === "abort" || (rest?.route?.action === "fail" && rest.route.target === "run");
	return auth ?? (rest && ends ? rest : null);
}

const failures: ReadonlySet<string> = new Set([...FAILURES, "checks_failed", UNCHANGED]);

/** Checks that an unreadable report never passes, whichever variant of its route is taken. */
export function checkUnreadable(draft: TypeDraft, at: RouteAt, later: readonly string[], report: Report): void {
	for (const { route, path } of variants(at)) {
		const why = passes(route, draft.type.name, later);
		if (why !== null) report(path, `\`unreadable\` is never a pass: ${why} would take the step for done; retry it, or fail`);
	}
}

function passes(route: Route, self: string, later: readonly string[]): string | null {
	if (route.action === "next" || route.action === "complete" || route.action === "skip") return `\`${route.action}\``;
	if (route.action === "goto" && route.target !== undefined && later.includes(route.target)) return `\`goto ${route.target}\``;
	if (route.action === "insert") {
		const again = route.steps?.some((s) => s.type === "same" || s.type === self) || route.reopen?.includes(self);
		return again ? null : "`insert` without the step itself";
	}
	return null;
}
