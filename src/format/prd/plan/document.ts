// The PRD that a planner wrote, as the text of a file: a new one, or the PRD of a user with changes. In a user's file what pawl does not know stays, and
// stories that have passed stay as they are. Pure.
import type { StorySeed } from "../../../core/input.ts";
import { readForeignJson } from "../../../core/text/foreign-json.ts";
import { jsonIn } from "../../../core/text/json-in.ts";
import { partsOf } from "../../../text/json-text.ts";
import { readPrd } from "../../../text/story-list.ts";
import { listOf } from "../../../text/story-list-place.ts";

export interface PlanChanges {
	readonly added: readonly string[];
	readonly changed: readonly string[];
	readonly dropped: readonly string[];
}

export type Planned =
	| { readonly ok: true; readonly text: string; readonly stories: readonly StorySeed[]; readonly changes: PlanChanges }
	| { readonly ok: false; readonly problems: readonly string[] };

/** More is no plan that a person reads, and nobody knows so much beforehand. */
export const MOST_STORIES = 50;

type Fields = Readonly<Record<string, unknown>>;

/** `answer`: what the planner wrote, with the JSON somewhere in it. `current`: the file that it revises; null for a new one. */
export function planned(answer: string, current: string | null): Planned {
	const found = jsonIn(answer);
	if (!found.ok) return { ok: false, problems: ["there is no JSON object in it, or its brackets are not closed"] };
	const json = found.text;
	const passed = current === null ? [] : storiesOf(current).filter(({ passes }) => passes === true);
	const read = readPrd(withKept(json, current, passed));
	if (!read.ok) return { ok: false, problems: read.problems.map(({ line, column, message }) => `${line}:${column}: ${message}`) };
	const said = read.prd.stories;
	const wrong = [...lacking(said, passed), ...touching(said, passed)];
	if (wrong.length > 0) return { ok: false, problems: wrong };
	const fresh = notIn(said, passed);
	if (fresh.length === 0) return { ok: false, problems: ["it has no story that is to be done"] };
	return current === null ? made(json, fresh) : revised(json, fresh, current);
}

/** With the stories that have passed at the end of its list, if it leaves them out: others may depend on them. Places in the text stay as they are. */
function withKept(json: string, current: string | null, passed: readonly StorySeed[]): string {
	const [own, kept] = [rawIn(json), current === null ? null : rawIn(current)];
	const last = own === null ? undefined : partsOf(json, own.start).at(-1);
	if (own === null || kept === null || last === undefined) return json;
	const said = new Set(own.stories.map(({ id }) => id));
	const more = kept.stories.filter(({ id }) => !said.has(id) && passed.some((one) => one.id === id));
	return `${json.slice(0, last.end)}${more.map((one) => `,${JSON.stringify(one)}`).join("")}${json.slice(last.end)}`;
}

/** The stories as they are written; null if there are none. */
function rawIn(text: string): { readonly stories: readonly Fields[]; readonly start: number; readonly value: unknown } | null {
	const read = readForeignJson(text);
	const list = read.ok ? listOf(text, read.value) : null;
	if (!read.ok || !list?.ok) return null;
	const isStory = (one: unknown): one is Fields => typeof one === "object" && one !== null && !Array.isArray(one);
	return { stories: list.stories.filter(isStory), start: list.start, value: read.value };
}

const texts = (value: unknown): readonly string[] => (Array.isArray(value) ? value.filter((one) => typeof one === "string") : []);

const storiesOf = (text: string): readonly StorySeed[] => {
	const read = readPrd(text);
	return read.ok ? read.prd.stories : [];
};

const notIn = (stories: readonly StorySeed[], others: readonly StorySeed[]): readonly StorySeed[] =>
	stories.filter(({ id }) => !others.some((one) => one.id === id));

/** What `pawl run` would take, and nobody could work with. */
function lacking(stories: readonly StorySeed[], passed: readonly StorySeed[]): string[] {
	const fresh = notIn(stories, passed);
	return [
		...(stories.length > MOST_STORIES ? [`there are ${stories.length} stories, and ${MOST_STORIES} are the most`] : []),
		...fresh.flatMap(({ id, description, criteria, passes }) => [
			...(description.trim() === "" ? [`${id} has no \`description\``] : []),
			...(criteria.length === 0 || criteria.some((one) => one.trim() === "")
				? [`${id} has no \`acceptanceCriteria\`, or an empty one`]
				: []),
			...(passes === true ? [`${id} says that it passes: that is for pawl to say, once it is delivered`] : []),
		]),
	];
}

/** Nothing that was delivered is rewritten. */
const touching = (stories: readonly StorySeed[], passed: readonly StorySeed[]): string[] =>
	stories.flatMap((story) => {
		const before = passed.find(({ id }) => id === story.id);
		return before === undefined || isSame(before, story)
			? []
			: [`${story.id} has passed and stays as it is: leave it out, and put what is to change into a new story with an id of its own`];
	});

const isSame = (one: StorySeed, other: StorySeed): boolean =>
	one.title === other.title &&
	one.description === other.description &&
	JSON.stringify(one.criteria) === JSON.stringify(other.criteria) &&
	JSON.stringify(one.dependsOn) === JSON.stringify(other.dependsOn);

function made(json: string, stories: readonly StorySeed[]): Planned {
	const document = { ...headOf(json), userStories: stories.map((story) => entryOf({}, story, {})) };
	const changes = { added: stories.map(({ id }) => id), changed: [], dropped: [] };
	return checked(`${JSON.stringify(document, null, 2)}\n`, changes);
}

/** What the planner says about the whole; other keys are not its business. */
function headOf(json: string): Fields {
	const value = JSON.parse(json) as Fields;
	const { name, description, assumptions } = Array.isArray(value) ? ({} as Fields) : value;
	return {
		...(typeof name === "string" ? { name } : {}),
		...(typeof description === "string" ? { description } : {}),
		...(texts(assumptions).length > 0 ? { assumptions: texts(assumptions) } : {}),
	};
}

function revised(json: string, fresh: readonly StorySeed[], current: string): Planned {
	const was = rawIn(current);
	const before = storiesOf(current);
	if (was === null || before.length === 0) return { ok: false, problems: ["the file that is revised is no longer a PRD"] };
	const { value } = was;
	const said = new Map(rawIn(json)?.stories.map((one) => [String(one["id"]), one]));
	const raw = new Map(was.stories.map((one) => [String(one["id"]), one]));
	const old = new Map(before.map((story) => [story.id, story]));
	const changed = fresh.filter((story) => {
		const earlier = old.get(story.id);
		return earlier !== undefined && !isSame(earlier, story);
	});
	const stories = [
		...before.filter(({ passes }) => passes === true).map(({ id }) => raw.get(id)),
		...fresh.map((story) => {
			const earlier = old.get(story.id);
			return earlier !== undefined && isSame(earlier, story)
				? raw.get(story.id)
				: entryOf(raw.get(story.id) ?? {}, story, said.get(story.id) ?? {});
		}),
	];
	const changes = {
		added: fresh.filter(({ id }) => !old.has(id)).map(({ id }) => id),
		changed: changed.map(({ id }) => id),
		dropped: before.filter(({ id, passes }) => passes !== true && !fresh.some((one) => one.id === id)).map(({ id }) => id),
	};
	const document = Array.isArray(value)
		? stories
		: Object.fromEntries(
				Object.entries({ ...(value as Fields), ...headOf(json) }).map(([key, one]) => [
					key,
					key === "userStories" || key === "stories" ? stories : one,
				]),
			);
	return checked(inMannerOf(current, document), changes);
}

/** A story as the file has it, in the spelling of the keys that it has already. */
function entryOf(before: Fields, { id, title, description, criteria, dependsOn }: StorySeed, said: Fields): Fields {
	const priority = said["priority"] ?? before["priority"];
	const criteriaKey = Object.hasOwn(before, "acceptance_criteria") ? "acceptance_criteria" : "acceptanceCriteria";
	const needsKey = Object.hasOwn(before, "dependsOn") ? "dependsOn" : "depends_on";
	return {
		id,
		title,
		description,
		[criteriaKey]: criteria,
		...(dependsOn.length > 0 || Object.hasOwn(before, needsKey) ? { [needsKey]: dependsOn } : {}),
		...(typeof priority === "number" ? { priority } : {}),
		passes: false,
		...Object.fromEntries(Object.entries(before).filter(([key]) => !REWRITTEN.has(key))),
	};
}

const REWRITTEN = new Set([
	...["id", "title", "description", "acceptanceCriteria", "acceptance_criteria", "depends_on", "dependsOn", "priority", "passes"],
]);

/** The indentation, the line ends and the last line of the user's file. */
function inMannerOf(current: string, document: unknown): string {
	const indent = /^[[{]\r?\n([ \t]+)/.exec(current.replace(/^\uFEFF/, ""))?.[1] ?? (current.includes("\n") ? 2 : 0);
	const text = `${JSON.stringify(document, null, indent)}${/\n$/.test(current) ? "\n" : ""}`;
	return `${current.startsWith("\uFEFF") ? "\uFEFF" : ""}${current.includes("\r\n") ? text.replaceAll("\n", "\r\n") : text}`;
}

/** What is written is what `pawl run` will read. */
function checked(text: string, changes: PlanChanges): Planned {
	const read = readPrd(text);
	if (read.ok) return { ok: true, text, stories: read.prd.stories, changes };
	return { ok: false, problems: read.problems.map(({ message }) => message) };
}
