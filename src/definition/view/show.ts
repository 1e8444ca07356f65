// Renders a definition as text for a terminal of 80 columns: the steps in order, their routes, caps and limits.
import { isDeepStrictEqual } from "node:util";
import type { Definition, PlannedStep, Route, StepType } from "../../core/definition.ts";
import { formatDuration } from "../../core/duration.ts";
import { isDefault } from "../defaults.ts";
import { budgetWords, conditionWords, groupRoutes, isShared, routeWords, sharedRoutes } from "./words.ts";

const WIDTH = 80;

export function showDefinition(definition: Definition): string {
	const shared = sharedRoutes(definition);
	const seen = new Set<string>();
	const lines = [
		`${definition.name}: ${definition.title}`,
		...(definition.description === "" ? [] : wrap(definition.description, "", "")),
		"",
	];
	lines.push(
		...pair(
			"inputs",
			Object.entries(definition.inputs)
				.map(([name, i]) => `${name} (${i.workspace})`)
				.join(", "),
		),
	);
	lines.push(...pair("limits", `${definition.limits.steps} steps a story, ${definition.limits.restarts} restarts a step`));
	for (const [name, budget] of Object.entries(definition.budgets)) lines.push(...pair(`budget ${name}`, budgetWords(budget)));
	if (definition.inboxes) lines.push(...pair("inboxes", definition.inboxes.join(", ")));
	if (definition.requires) lines.push(...pair("requires", definition.requires.join(", ")));
	lines.push(...pair("resume", definition.resume), ...pair("hash", definition.hash.slice(0, 12)), "", "Steps");
	lines.push(...steps(definition, definition.steps, shared, seen, "  "));
	if (definition.abort.length > 0) lines.push("", "When the run gives up", ...steps(definition, definition.abort, shared, seen, "  "));
	const others = Object.values(definition.types).filter((t) => !seen.has(t.name));
	if (others.length > 0) lines.push("", "Reached by a route", ...others.flatMap((t) => oneType(definition, t, "-", shared, seen, "  ")));
	const written = [...shared].filter(
		([signal, route]) => !users(definition, signal, route).every((type) => isDefault(type, signal, route)),
	);
	if (written.length > 0) lines.push("", "Routes of every step that does not have its own", ...routeLines(written, "  "));
	lines.push(...defaultLines(definition));
	return `${lines.join("\n")}\n`;
}

function steps(
	definition: Definition,
	list: readonly PlannedStep[],
	shared: ReadonlyMap<string, Route>,
	seen: Set<string>,
	indent: string,
): string[] {
	return list.flatMap((step, i) => {
		const type = definition.types[step.type];
		if (!type) return [];
		return oneType(
			definition,
			step.description === undefined ? type : { ...type, description: step.description },
			`${i + 1}.`,
			shared,
			seen,
			indent,
		);
	});
}

function oneType(
	definition: Definition,
	type: StepType,
	mark: string,
	shared: ReadonlyMap<string, Route>,
	seen: Set<string>,
	indent: string,
): string[] {
	const head = wrap(`${mark} ${type.name}: ${type.description}`, indent);
	if (seen.has(type.name)) return head;
	seen.add(type.name);
	const inner = `${indent}   `;
	const own = Object.entries(type.routes).filter(
		([signal, route]) => !isShared(shared, signal, route) && (leadsBack(route) || !isDefault(type, signal, route)),
	);
	return [
		...head,
		...wrap(facts(type).join(", "), inner),
		...routeLines(own, inner),
		...(type.each ? steps(definition, type.each.steps, shared, seen, inner) : []),
	];
}

function facts(type: StepType): string[] {
	const writes = type.writes === "none" ? "writes nothing" : type.writes === "any" ? null : `writes ${writesWords(type.writes)}`;
	const all = [
		what(type),
		...wishWords(type),
		type.timeoutMs > 0 ? formatDuration(type.timeoutMs) : null,
		type.kind === "each" || type.kind === "approval" ? null : writes,
		type.edits ? "may edit steps" : null,
		type.mandatory ? "mandatory" : null,
		type.last ? "last" : null,
		type.internal ? "internal" : null,
		type.visits ? `${type.visits.max} visits/${type.visits.per}, then ${routeWords(type.visits.exhausted)}` : null,
		type.byEngine ? "by the engine only" : null,
		type.checks.length > 0 ? `checks: ${type.checks.join(" ")}` : null,
		type.keeper === undefined ? null : `keeper: ${type.keeper}`,
		type.leavesWork ? "keeps what is cut off" : null,
		type.spend === undefined ? null : `spends ${type.spend}`,
		type.replaces ? "replaces the stories that are not completed" : null,
		type.judges === undefined ? null : `judges the criteria${type.judges.length > 0 ? ` when ${conditionWords(type.judges)}` : ""}`,
		type.onDemand ? "on demand" : null,
		type.when.length > 0 ? `when ${conditionWords(type.when)}` : null,
	];
	return all.filter((f) => f !== null);
}

const writesWords = (writes: readonly string[] | { readonly rule: string }): string =>
	"rule" in writes ? `by the rule ${writes.rule}` : writes.join(" ");

const wishWords = ({ agent, model, effort }: StepType): string[] => [
	...(agent === undefined ? [] : [`done by ${agent}`]),
	...(model === undefined ? [] : [`model ${model}`]),
	...(effort === undefined ? [] : [`effort ${effort}`]),
];

function what(type: StepType): string {
	switch (type.kind) {
		case "agent":
			return `agent ${type.role}`;
		case "command":
			return `command ${type.command}`;
		case "action":
			return `action ${type.action}`;
		case "approval":
			return "a person approves";
		case "gate":
			return `gate of ${(type.members ?? []).map((m) => `${m.role} (${m.blocking ? "blocking" : "advisory"})`).join(" and ")}`;
		case "each":
			return `for each story (${type.each?.concurrency === 0 ? "as many at once as --agents" : `${type.each?.concurrency ?? 1} at once`}, by ${type.each?.order})`;
		case "loop":
			return `loop ${type.loop?.schedule} of ${Object.entries(type.loop?.roles ?? {})
				.map(([letter, r]) => `${letter} ${r.role}`)
				.join(", ")}, at most ${type.loop?.max} times`;
	}
}

const routeLines = (routes: Iterable<readonly [string, Route]>, indent: string): string[] =>
	groupRoutes(routes).flatMap(({ signals, route }) => wrap(`${signals.join(", ")} → ${routeWords(route)}`, indent, "    "));

const users = (definition: Definition, signal: string, route: Route): StepType[] =>
	Object.values(definition.types).filter((type) => isDeepStrictEqual(type.routes[signal], route));

/** Where a default leads depends on the step, so it is shown there. */
const leadsBack = (route: Route): boolean => route.action === "goto";

/** What pawl does where the workflow says nothing, once for all steps. */
function defaultLines(definition: Definition): string[] {
	const sessions = new Map<string, Route>();
	const others = new Map<string, Route>();
	for (const type of Object.values(definition.types))
		for (const [signal, route] of Object.entries(type.routes))
			if (!leadsBack(route) && isDefault(type, signal, route)) (hasSession(type) ? sessions : others).set(signal, asOwn(route));
	return [
		...(sessions.size === 0
			? []
			: ["", "Where a session has no route (fail: its story; outside the stories, the run)", ...routeLines(sessions, "  ")]),
		...(others.size === 0 ? [] : ["", "Where another step has no route", ...routeLines(others, "  ")]),
	];
}

const hasSession = ({ kind }: StepType): boolean => kind === "agent" || kind === "gate" || kind === "loop";

/** Without what it takes with it, which differs from step to step. */
const asOwn = (route: Route): Route => ({
	...route,
	...(route.action === "fail" && route.target === "story" ? { target: "" } : {}),
	...(route.action === "fail" && route.target === "run" && route.rollback === undefined ? { target: "" } : {}),
	...(route.exhausted ? { exhausted: { ...route.exhausted, target: "" } } : {}),
});

const pair = (name: string, value: string): string[] => wrap(`${name}: ${value}`, "", "  ");

/** Lines of at most 80 columns; a single longer word is cut, as a terminal would. */
function wrap(text: string, indent: string, hanging = "  "): string[] {
	const lines: string[] = [];
	let line = indent;
	let empty = true;
	for (const whole of text.split(/\s+/).filter((w) => w !== "")) {
		for (let word = whole; word !== ""; ) {
			if (!empty && line.length + 1 + word.length > WIDTH) {
				lines.push(line);
				line = indent + hanging;
				empty = true;
			}
			const room = WIDTH - line.length - (empty ? 0 : 1);
			line += (empty ? "" : " ") + word.slice(0, room);
			word = word.slice(room);
			empty = false;
		}
	}
	return empty ? lines : [...lines, line];
}
