// A definition as a Mermaid flowchart: steps as boxes in order, routes that lead elsewhere as labelled arrows.
import type { Definition, PlannedStep, Route, StepType } from "../../core/definition.ts";
import { variants } from "../actions.ts";
import { groupRoutes, isShared, routeWords, sharedRoutes } from "./words.ts";

/** Prefixed, so that a type may have a name that means something in Mermaid, such as `end`. */
const id = (name: string): string => `s_${name.replace(/[^a-z0-9_]/g, (c) => `_${c.charCodeAt(0)}_`)}`;

/** Escapes as Mermaid entities: quotes, brackets and line breaks would end the label. */
export const label = (text: string): string =>
	`"${text.replace(/[^\p{L}\p{N} .,:;+*/=_-]/gu, (c) => (c === "\n" ? " " : `#${c.codePointAt(0)};`))}"`;

export function mermaid(definition: Definition): string {
	const shared = sharedRoutes(definition);
	const types = Object.values(definition.types);
	const lines = ["flowchart TD"];
	const story = new Map(types.flatMap((t) => (t.each ? [[t.name, t.each.steps] as const] : [])));
	const inStory = new Set([...story.values()].flat().map((s) => s.type));
	for (const type of types) if (!inStory.has(type.name) && !type.each) lines.push(`  ${box(type)}`);
	for (const [name, steps] of story) {
		lines.push(`  subgraph ${id(name)}[${label(`${name}: each story`)}]`);
		for (const type of new Set(steps.map((s) => s.type))) lines.push(...one(definition.types[type]).map((t) => `    ${box(t)}`));
		lines.push("  end");
	}
	lines.push("  start([start])", "  finish([done])");
	lines.push(...chain(["start", ...definition.steps.map(ids), "finish"]));
	for (const steps of story.values()) lines.push(...chain(steps.map(ids)));
	if (definition.abort.length > 0) lines.push("  giveup([the run gives up])", ...chain(["giveup", ...definition.abort.map(ids)]));
	for (const type of types) lines.push(...arrows(type, shared));
	const rest = groupRoutes([...shared].filter(([, r]) => r.action !== "next")).map(
		({ signals, route }) => `${signals.join(", ")}: ${routeWords(route)}`,
	);
	rest.forEach((text, i) => {
		lines.push(`  any([any step]) -.-> any${i}[${label(text)}]`);
	});
	return `${lines.join("\n")}\n`;
}

const ids = (step: PlannedStep): string => id(step.type);
const one = (type: StepType | undefined): StepType[] => (type ? [type] : []);

function box(type: StepType): string {
	const text = label(type.name);
	if (type.kind === "gate" || type.kind === "approval") return `${id(type.name)}{${text}}`;
	return type.detour || type.byEngine ? `${id(type.name)}([${text}])` : `${id(type.name)}[${text}]`;
}

const chain = (nodes: readonly string[]): string[] => nodes.slice(1).map((to, i) => `  ${nodes[i]} --> ${to}`);

/** Arrows for a step's own routes; routes shared by all steps are drawn once, at `any step`. */
function arrows(type: StepType, shared: ReadonlyMap<string, Route>): string[] {
	const from = id(type.name);
	return groupRoutes(Object.entries(type.routes).filter(([signal, route]) => !isShared(shared, signal, route))).flatMap(
		({ signals, route }) =>
			variants({ route, path: [] }).flatMap(({ route: r, path }) => {
				const cap = r.max === undefined ? (r.spend === undefined ? "" : `, spends ${r.spend}`) : `, max ${r.max}/${r.per}`;
				const text = label(`${signals.join(", ")}${path.length > 0 ? ` ${path.join(" ")}` : ""}${cap}`);
				return targets(type, r).map((to) => `  ${from} ${r.action === "insert" ? "-.->" : "-->"}|${text}| ${to}`);
			}),
	);
}

const WAITS: Readonly<Record<string, string>> = {
	person: "person([waits for a person])",
	answer: "answer([waits for an answer])",
};

function targets(type: StepType, route: Route): string[] {
	switch (route.action) {
		case "goto":
			return route.target === undefined || route.target === "back" ? ["back([back to the sender])"] : [id(route.target)];
		case "insert":
			return (route.steps ?? []).slice(0, 1).map((s) => id(s.type === "same" ? type.name : s.type));
		case "retry":
		case "reopen":
			return [id(type.name)];
		case "fail":
			return [route.target === "run" ? "failrun([the run fails])" : "failstory([the story fails])"];
		case "wait":
			return [WAITS[route.target ?? ""] ?? "time([waits and tries again])"];
		case "refuse":
			return ["refused([refused])"];
		case "abort":
			return ["giveup([the run gives up])"];
		case "complete":
			return ["complete([complete])"];
		default:
			return [];
	}
}
