// Reads a prd.json in any of its dialects (docs of the field: `userStories`, `stories`, a bare array; camel or snake case)
// into stories, or reports everything that is wrong with it. Other keys of a dialect are kept without being interpreted.

import { findCycles, missing } from "../core/graph.ts";
import type { StorySeed } from "../core/input.ts";
import { placeOfId, storyIdProblem } from "../core/story-id.ts";
import { readForeignJson } from "../core/text/foreign-json.ts";
import { findJsonError } from "./json-error.ts";
import { partsOf, positionsIn, startOf } from "./json-text.ts";
import type { Problem } from "./problem.ts";
import { listOf } from "./story-list-place.ts";

export interface Prd {
	readonly name: string | null;
	readonly description: string | null;
	readonly branch: string | null;
	readonly stories: readonly StorySeed[];
	/** Story id → the keys that no StorySeed has: notes, size, labels, verification_commands … */
	readonly extras: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
	/** The document's own keys beside its stories: loop_settings, global_verification … */
	readonly rest: Readonly<Record<string, unknown>>;
}

export type PrdResult = { readonly ok: true; readonly prd: Prd } | { readonly ok: false; readonly problems: readonly Problem[] };

type Fields = Record<string, unknown>;

const UNDERSTOOD = new Set([
	...["id", "title", "description", "acceptanceCriteria", "acceptance_criteria", "priority", "passes"],
	...["depends_on", "dependsOn", "expects_change", "expectsChange"],
]);
const LIST_KEYS = new Set(["userStories", "stories"]);

export function readPrd(text: string): PrdResult {
	const parsed = readForeignJson(text);
	const positionOf = positionsIn(text);
	if (!parsed.ok) {
		const error = findJsonError(text) ?? { offset: 0, message: parsed.message };
		return { ok: false, problems: [{ ...positionOf(error.offset), message: `this is not JSON: ${error.message}` }] };
	}
	const list = listOf(text, parsed.value);
	if (!list.ok) return { ok: false, problems: [{ ...positionOf(list.offset), message: list.message }] };

	const whole = startOf(text);
	const problems: Problem[] = doubled(text, whole).map(({ key, from }) => ({
		...positionOf(from),
		message: `the key ${JSON.stringify(key)} appears twice`,
	}));
	const stories: StorySeed[] = [];
	const extras: Record<string, Fields> = {};
	const offsets = new Map<string, number>();
	const parts = partsOf(text, list.start);
	// Where no story has a priority they are equal, and what waits for them decides who goes first.
	const ranked = list.stories.some((value) => isFields(value) && typeof value.priority === "number");
	const places = new Map<string, string>();
	for (const [index, value] of list.stories.entries()) {
		const offset = parts[index]?.start ?? list.start;
		const report = (message: string, key?: string) => {
			const member = key === undefined ? undefined : partsOf(text, offset).findLast((part) => part.key === key);
			problems.push({ ...positionOf(member?.from ?? offset), message });
		};
		if (!isFields(value)) {
			report(`story ${index + 1} is not an object`);
			continue;
		}
		for (const { key, from } of doubled(text, offset))
			problems.push({ ...positionOf(from), message: `story ${index + 1} has the key ${JSON.stringify(key)} twice` });
		const seed = readStory(value, index, ranked ? index + 1 : 1, report);
		stories.push(seed);
		if (seed.id === "") continue;
		const first = offsets.get(seed.id);
		const other = places.get(placeOfId(seed.id)) ?? seed.id;
		places.set(placeOfId(seed.id), other);
		if (first !== undefined) report(`the id ${JSON.stringify(seed.id)} is used twice (first in line ${positionOf(first).line})`, "id");
		else offsets.set(seed.id, offset);
		if (other !== seed.id)
			report(
				`the ids ${JSON.stringify(other)} and ${JSON.stringify(seed.id)} differ only in case, and would share a branch on some systems`,
				"id",
			);
		extras[seed.id] = Object.fromEntries(Object.entries(value).filter(([key]) => !UNDERSTOOD.has(key)));
	}
	problems.push(...graphProblems(stories, (id) => positionOf(offsets.get(id) ?? list.start)));
	if (problems.length > 0) return { ok: false, problems: problems.toSorted((a, b) => a.line - b.line || a.column - b.column) };

	const top: Fields = isFields(parsed.value) ? parsed.value : {};
	const prd: Prd = {
		name: textOf(top.name ?? top.project ?? top.title),
		description: textOf(top.description),
		branch: textOf(top.branchName),
		stories,
		extras,
		rest: Object.fromEntries(Object.entries(top).filter(([key]) => !LIST_KEYS.has(key))),
	};
	return { ok: true, prd };
}

function readStory(value: Fields, index: number, priority: number, report: (message: string, key?: string) => void): StorySeed {
	const id = typeof value.id === "string" ? value.id : "";
	const name = id === "" ? `story ${index + 1}` : `story ${JSON.stringify(id)}`;
	const wrong = (key: string, message: string) => report(`${name}: ${message}`, key);

	const idProblem = id === "" ? null : storyIdProblem(id);
	if (id === "") wrong("id", value.id === undefined ? "it has no `id`" : "`id` must be a text that is not empty");
	else if (idProblem !== null) wrong("id", idProblem);
	const title = typeof value.title === "string" ? value.title : "";
	if (title.trim() === "") wrong("title", value.title === undefined ? "it has no `title`" : "`title` must be a text that is not empty");

	const optional = <T>(key: string, what: string, check: (found: unknown) => found is T): T | null => {
		const found = value[key] ?? null;
		if (found === null || check(found)) return found;
		wrong(key, `\`${key}\` must be ${what}`);
		return null;
	};
	const texts = (key: string) => optional(key, "a list of texts", isTexts);
	const flag = (key: string) => optional(key, "true or false", (found) => typeof found === "boolean");
	const criteria = [texts("acceptanceCriteria"), texts("acceptance_criteria")];
	const dependsOn = [...(texts("depends_on") ?? []), ...(texts("dependsOn") ?? [])];
	const change = [flag("expects_change"), flag("expectsChange")];
	const expectsChange = change[0] ?? change[1];
	return {
		id,
		title,
		description: optional("description", "a text", (found) => typeof found === "string") ?? "",
		criteria: criteria[0] ?? criteria[1] ?? [],
		priority: optional("priority", "a number", (found) => typeof found === "number") ?? priority,
		dependsOn: [...new Set(dependsOn)],
		...(expectsChange === null || expectsChange === undefined ? {} : { expectsChange }),
		...(flag("passes") === true ? { passes: true } : {}),
	};
}

function graphProblems(
	stories: readonly StorySeed[],
	positionById: (id: string) => { readonly line: number; readonly column: number },
): Problem[] {
	const nodes = stories.filter((story) => story.id !== "");
	const unknown = missing(nodes).map(({ id, dependency }) => ({
		...positionById(id),
		message: `story ${JSON.stringify(id)} depends on ${JSON.stringify(dependency)}, which is not there`,
	}));
	const circles = findCycles(nodes).map((members) => ({
		...positionById(members[0] ?? ""),
		message:
			members.length === 1
				? `story ${JSON.stringify(members[0])} depends on itself`
				: `these stories depend on each other in a cycle: ${members.join(", ")}`,
	}));
	return [...unknown, ...circles];
}

const isFields = (value: unknown): value is Fields => typeof value === "object" && value !== null && !Array.isArray(value);
const isTexts = (value: unknown): value is string[] => Array.isArray(value) && value.every((item) => typeof item === "string");
const textOf = (value: unknown): string | null => (typeof value === "string" ? value : null);

/** JSON.parse takes the last of them, and nobody knows which one was meant. */
function doubled(text: string, start: number): { readonly key: string; readonly from: number }[] {
	const last = new Map<string, number>();
	const twice = new Set<string>();
	for (const { key, from } of partsOf(text, start)) {
		if (key === null) continue;
		if (last.has(key)) twice.add(key);
		last.set(key, from);
	}
	return [...twice].map((key) => ({ key, from: last.get(key) ?? start }));
}
