// The list of stories that a planner gives as JSON after a key: found by its brackets, whatever surrounds it,
// then accepted as a whole or not at all.
import { findCycles, missing } from "../graph.ts";
import type { StorySeed } from "../input.ts";

const DEEPEST = 32;
const ID = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

type Parsed<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly problem: string };

export function readStories(text: string): Parsed<readonly StorySeed[]> {
	const json = jsonIn(text);
	if (!json.ok) return json;
	if (!Array.isArray(json.value)) return wrong("the stories are not a JSON list");
	if (json.value.length === 0) return wrong("the list of stories is empty");
	const stories: StorySeed[] = [];
	const ids = new Set<string>();
	for (const [index, item] of json.value.entries()) {
		const story = toStory(item, index);
		if (!story.ok) return wrong(`story ${index + 1}: ${story.problem}`);
		if (ids.has(story.value.id)) return wrong(`story ${index + 1}: the id ${story.value.id} is used twice`);
		ids.add(story.value.id);
		stories.push(story.value);
	}
	return { ok: true, value: stories };
}

/**
 * The list, complete or not at all. `texts` are the texts after each occurrence of the key: the
 * last list counts, because models restate theirs, unless an earlier one has other stories: that would be half a list.
 */
export function readWholeList(texts: readonly string[], most = Number.POSITIVE_INFINITY): Parsed<readonly StorySeed[]> {
	const lists = texts.map(readStories).filter((list, at) => list.ok || texts.length === 1 || /[[{]/.test(texts[at] ?? ""));
	const last = lists.at(-1) ?? wrong("there is no JSON list");
	if (!last.ok) return last;
	const ids = new Set(last.value.map((story) => story.id));
	if (lists.some((list) => list.ok && !list.value.some((story) => ids.has(story.id))))
		return wrong("there are several lists with other stories in each: one list is wanted");
	if (last.value.length > most) return wrong(`there are ${last.value.length} stories, and ${most} are the most that a run takes`);
	const [unknown] = missing(last.value);
	if (unknown) return wrong(`${unknown.id} depends on ${unknown.dependency}, which is not in the list`);
	const [knot] = findCycles(last.value);
	if (knot) return wrong(`${knot.join(", ")} depend on each other`);
	return last;
}

/** The first JSON list or object in the text, by counting brackets outside of strings. */
function jsonIn(text: string): Parsed<unknown> {
	const start = text.search(/[[{]/);
	if (start < 0) return wrong("there is no JSON list");
	let depth = 0;
	let quoted = false;
	for (let at = start; at < text.length; at++) {
		const char = text[at];
		if (quoted) {
			if (char === "\\") at++;
			else if (char === '"') quoted = false;
		} else if (char === '"') quoted = true;
		else if (char === "[" || char === "{") {
			if (++depth > DEEPEST) return wrong("the JSON is nested too deeply");
		} else if ((char === "]" || char === "}") && --depth === 0) return parsed(text.slice(start, at + 1));
	}
	return wrong("the JSON does not end");
}

function parsed(text: string): Parsed<unknown> {
	try {
		return { ok: true, value: JSON.parse(text) };
	} catch (error) {
		return wrong(`the JSON cannot be read: ${error instanceof Error ? error.message.slice(0, 200) : "unknown"}`);
	}
}

function toStory(item: unknown, index: number): Parsed<StorySeed> {
	if (typeof item !== "object" || item === null || Array.isArray(item)) return wrong("it is not an object");
	const record = item as Readonly<Record<string, unknown>>;
	const pick = (...names: string[]): unknown => names.filter((name) => Object.hasOwn(record, name)).map((name) => record[name])[0];
	const id = pick("id", "task");
	const title = pick("title", "name");
	const description = pick("description");
	const criteria = pick("acceptanceCriteria", "acceptance_criteria", "criteria");
	const dependsOn = pick("depends_on", "dependsOn") ?? [];
	const priority = pick("priority");
	if (typeof id !== "string") return wrong("its id is not text");
	// An id that is refused here cannot be a branch or a file name.
	if (!ID.test(id) || /\.\.|\.$|\.lock$/.test(id)) return wrong(`the id ${JSON.stringify(id.slice(0, 80))} is not allowed`);
	if (typeof title !== "string" || title.trim() === "") return wrong("it has no title");
	if (typeof description !== "string") return wrong("it has no description");
	if (!isTexts(criteria) || criteria.length === 0) return wrong("its acceptance criteria are not a list of texts");
	if (!isTexts(dependsOn)) return wrong("what it depends on is not a list of ids");
	// An agent may not say that a story has already passed, or that it needs no change.
	return {
		ok: true,
		value: { id, title, description, criteria, priority: Number.isFinite(priority) ? Number(priority) : index + 1, dependsOn },
	};
}

function isTexts(value: unknown): value is readonly string[] {
	return Array.isArray(value) && value.every((item) => typeof item === "string" && item.trim() !== "");
}

function wrong(problem: string): { readonly ok: false; readonly problem: string } {
	return { ok: false, problem };
}
