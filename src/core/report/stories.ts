// The list of stories that a planner gives as JSON after a key: found by its brackets, whatever surrounds it,
// then accepted as a whole or not at all.
import { findCycles, missing } from "../graph.ts";
import type { StorySeed } from "../input.ts";
import { placeOfId, storyIdProblem } from "../story-id.ts";
import { jsonIn } from "../text/json-in.ts";

const DEEPEST = 32;

type Parsed<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly problem: string };

/** A list that may have problems: each is told at once, so that a planner does not need a session for every one of them. */
interface Drafts {
	readonly stories: readonly StorySeed[];
	readonly problems: readonly string[];
	/** What each of them needs, as far as it can be read. */
	readonly needs: readonly { readonly id: string; readonly dependsOn: readonly string[] }[];
}

const MOST_TOLD = 10;

/** What one entry, all of them and their parts are called, in the words of whoever writes the list. */
interface Words {
	readonly one: string;
	readonly all: string;
	readonly id: string;
	readonly title: string;
	readonly criteria: string;
}

const STORY: Words = { one: "story", all: "stories", id: "id", title: "title", criteria: "acceptance criteria" };
const TASK: Words = { one: "task", all: "tasks", id: "`task`", title: "`name`", criteria: "criteria" };

/** A list of tasks is asked for as one: `TASKS_JSON`. */
const wordsOf = (key: string): Words => (/^TASKS?(?:_|$)/i.test(key) ? TASK : STORY);

/** `key`: what the list is called in the report. */
export function readStories(text: string, key: string): Parsed<readonly StorySeed[]> {
	const drafts = draftsIn(text, wordsOf(key));
	return drafts.ok ? whole(drafts.value, []) : drafts;
}

function draftsIn(text: string, words: Words): Parsed<Drafts> {
	const found = jsonIn(text, DEEPEST);
	const json = found.ok ? parsed(found.text) : wrong(NO_JSON[found.why]);
	if (!json.ok) return json;
	if (!Array.isArray(json.value)) return wrong(`the ${words.all} are not a JSON list`);
	if (json.value.length === 0) return wrong(`the list of ${words.all} is empty`);
	const stories: StorySeed[] = [];
	const problems: string[] = [];
	const needs: { id: string; dependsOn: readonly string[] }[] = [];
	const ids = new Set<string>();
	for (const [index, item] of json.value.entries()) {
		const { story, problems: own } = toStory(item, index, words);
		const twice = story.id !== undefined && ids.has(placeOfId(story.id)) ? [`the ${words.id} ${story.id} is used twice`] : [];
		const all = [...own, ...twice];
		if (all.length > 0) problems.push(`${words.one} ${index + 1}: ${all.join("; ")}`);
		if (story.id !== undefined) ids.add(placeOfId(story.id));
		if (story.id !== undefined && story.dependsOn !== undefined) needs.push({ id: story.id, dependsOn: story.dependsOn });
		if (own.length === 0) stories.push(story as StorySeed);
	}
	return { ok: true, value: { stories, problems, needs } };
}

function whole({ stories, problems }: Drafts, more: readonly string[]): Parsed<readonly StorySeed[]> {
	const all = [...problems, ...more];
	if (all.length === 0) return { ok: true, value: stories };
	return wrong(`${all.slice(0, MOST_TOLD).join(". ")}${all.length > MOST_TOLD ? `, and ${all.length - MOST_TOLD} more` : ""}`);
}

/**
 * The list, complete or not at all. `texts` are the texts after each occurrence of the key: the
 * last list counts, because models restate theirs, unless an earlier one has other stories: that would be half a list.
 */
export function readWholeList(texts: readonly string[], key: string, most = Number.POSITIVE_INFINITY): Parsed<readonly StorySeed[]> {
	const words = wordsOf(key);
	// "See below" is no list.
	const lists = texts.filter((text) => /[[{]/.test(text)).map((text) => draftsIn(text, words));
	const last = lists.at(-1) ?? wrong("there is no JSON list");
	if (!last.ok) return last;
	const { stories, problems, needs } = last.value;
	const ids = new Set(needs.map((story) => story.id));
	if (lists.some((list) => list.ok && list.value.problems.length === 0 && !list.value.stories.some((story) => ids.has(story.id))))
		return wrong(`there are several lists with other ${words.all} in each: one list is wanted`);
	if (needs.length > most) return wrong(`there are ${needs.length} ${words.all}, and ${most} are the most that a run takes`);
	const unknown = missing(needs).map(({ id, dependency }) => `${id} depends on ${dependency}, which is not in the list`);
	const knots = problems.length + unknown.length > 0 ? [] : findCycles(stories).map((knot) => `${knot.join(", ")} depend on each other`);
	return whole(last.value, [...unknown, ...knots]);
}

const NO_JSON = { none: "there is no JSON list", "too deep": "the JSON is nested too deeply", open: "the JSON does not end" } as const;

function parsed(text: string): Parsed<unknown> {
	try {
		return { ok: true, value: JSON.parse(text) };
	} catch (error) {
		return wrong(`the JSON cannot be read: ${error instanceof Error ? error.message.slice(0, 200) : "unknown"}`);
	}
}

/** The story as far as it can be read, and everything that is wrong with it. */
function toStory(item: unknown, index: number, words: Words): { readonly story: Partial<StorySeed>; readonly problems: readonly string[] } {
	if (typeof item !== "object" || item === null || Array.isArray(item)) return { story: {}, problems: ["it is not an object"] };
	const record = item as Readonly<Record<string, unknown>>;
	const pick = (...names: string[]): unknown => names.filter((name) => Object.hasOwn(record, name)).map((name) => record[name])[0];
	const id = pick("id", "task");
	const title = pick("title", "name");
	const description = pick("description");
	const criteria = pick("acceptanceCriteria", "acceptance_criteria", "criteria");
	const needs = pick("depends_on", "dependsOn");
	const dependsOn = needs ?? [];
	const priority = pick("priority");
	// An agent may not say that a story has already passed, or that it needs no change.
	const story: Partial<StorySeed> = {
		...(typeof id === "string" && isId(id) ? { id } : {}),
		...(typeof title === "string" ? { title } : {}),
		...(typeof description === "string" ? { description } : {}),
		...(isTexts(criteria) ? { criteria } : {}),
		priority: Number.isFinite(priority) ? Number(priority) : index + 1,
		...(isTexts(dependsOn) ? { dependsOn } : {}),
		...(Array.isArray(needs) && needs.length === 0 ? { independent: true as const } : {}),
	};
	const problems = [
		...(typeof id !== "string" ? [`its ${words.id} is not text`] : []),
		...(typeof id === "string" && !isId(id) ? [`the ${words.id} ${JSON.stringify(id.slice(0, 80))} is not allowed`] : []),
		...(story.title?.trim() ? [] : [`it has no ${words.title}`]),
		...(story.description === undefined ? ["it has no description"] : []),
		...criteriaProblem(criteria, words),
		...(story.dependsOn === undefined ? ["what it depends on is not a list of ids"] : []),
	];
	return { story, problems };
}

/** Another one cannot be a branch or a file name. */
const isId = (id: string): boolean => storyIdProblem(id) === null;

function criteriaProblem(criteria: unknown, words: Words): string[] {
	if (criteria === undefined || (Array.isArray(criteria) && criteria.length === 0)) return [`it has no ${words.criteria}`];
	return isTexts(criteria) ? [] : [`its ${words.criteria} are not a list of texts`];
}

function isTexts(value: unknown): value is readonly string[] {
	return Array.isArray(value) && value.every((item) => typeof item === "string" && item.trim() !== "");
}

function wrong(problem: string): { readonly ok: false; readonly problem: string } {
	return { ok: false, problem };
}
