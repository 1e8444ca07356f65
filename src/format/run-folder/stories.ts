// The stories of a run folder's prd.json: which pass, what each role may change, and what remains of a change that goes too far.
import { isDeepStrictEqual } from "node:util";
import { foreignValue } from "../../core/text/foreign-json.ts";
import { memberOf, partsOf, startOf } from "../../text/json-text.ts";
import { readPrd } from "../../text/story-list.ts";

type Fields = Record<string, unknown>;

export interface PrdDoc {
	readonly text: string;
	readonly value: unknown;
	/** null: the document is the list itself. */
	readonly key: "stories" | "userStories" | null;
	readonly stories: readonly Fields[];
}

export type PrdRead = { readonly ok: true; readonly doc: PrdDoc } | { readonly ok: false; readonly problems: readonly string[] };

/** Valid as a PRD, and every story says whether it passes. */
export function readDoc(text: string): PrdRead {
	const read = readPrd(text);
	if (!read.ok) return { ok: false, problems: read.problems.map((p) => `line ${p.line}: ${p.message}`) };
	const doc = parsed(text);
	const silent = doc.stories.filter((s) => typeof s["passes"] !== "boolean");
	if (silent.length > 0)
		return { ok: false, problems: silent.map((s) => `story ${JSON.stringify(s["id"])} has no \`passes\`: it must be true or false`) };
	return { ok: true, doc };
}

/** Whatever the stories say; without any if it is not JSON. */
function parsed(text: string): PrdDoc {
	const value = foreignValue(text);
	const key = Array.isArray(value) ? null : isFields(value) && Array.isArray(value["userStories"]) ? "userStories" : "stories";
	const list: unknown = key === null ? value : isFields(value) ? value[key] : [];
	return { text, value, key, stories: Array.isArray(list) ? list.filter(isFields) : [] };
}

/** Steering may have removed a story that passes and that others depend on: the list is valid once that story is back. */
export function readSteered(before: PrdDoc, text: string): PrdRead {
	const read = readDoc(text);
	if (read.ok) return read;
	const doc = parsed(text);
	return doc.stories.length > 0 && readDoc(restructured(before, doc).doc.text).ok ? { ok: true, doc } : read;
}

const isFields = (value: unknown): value is Fields => typeof value === "object" && value !== null && !Array.isArray(value);
/** A value as text; String() throws for an object whose `toString` is no function. */
export const wordOf = (value: unknown): string => (typeof value === "string" ? value : value === null ? "" : (JSON.stringify(value) ?? ""));
export const idOf = (story: Fields): string => wordOf(story["id"]);
export const passes = (story: Fields): boolean => story["passes"] === true;
export const nextStory = (doc: PrdDoc): string | null => {
	const story = doc.stories.find((s) => !passes(s));
	return story ? idOf(story) : null;
};
export const passedCount = (doc: PrdDoc): number => doc.stories.filter(passes).length;
export const textsIn = (value: unknown): readonly string[] =>
	Array.isArray(value) ? value.filter((v): v is string => typeof v === "string" && v.trim() !== "") : [];

/** A key of the document; undefined if the document is only a list. */
export const topOf = (doc: PrdDoc, key: string): unknown => (isFields(doc.value) ? doc.value[key] : undefined);
export const settingsOf = (doc: PrdDoc): Fields => {
	const settings = topOf(doc, "loop_settings");
	return isFields(settings) ? settings : {};
};

/** The same document with other stories, in its original formatting. */
export function withStories(doc: PrdDoc, stories: readonly Fields[]): PrdDoc {
	const edited = inPlace(doc, stories);
	if (edited !== null) return edited;
	const value = doc.key === null ? stories : { ...(doc.value as Fields), [doc.key]: stories };
	const indent = /^[[{]\s*?\n([ \t]+)/.exec(doc.text.replace(/^\uFEFF/, ""))?.[1] ?? (doc.text.trim().includes("\n") ? "  " : "");
	const end = doc.text.slice(doc.text.trimEnd().length);
	return { text: `${JSON.stringify(value, null, indent)}${end}`, value, key: doc.key, stories };
}

/** Changes single values in the text, so that its layout stays; null if more than values of existing keys of stories differs. */
function inPlace(doc: PrdDoc, stories: readonly Fields[]): PrdDoc | null {
	if (stories.length !== doc.stories.length) return null;
	const { text, key } = doc;
	const list = key === null ? startOf(text) : memberOf(text, startOf(text), key)?.start;
	const items = list === undefined ? [] : partsOf(text, list);
	if (items.length !== stories.length) return null;
	const edits: { readonly start: number; readonly end: number; readonly text: string }[] = [];
	for (const [i, story] of stories.entries()) {
		const was = doc.stories[i] ?? {};
		if (!isDeepStrictEqual(Object.keys(was).sort(), Object.keys(story).sort())) return null;
		for (const name of Object.keys(story)) {
			if (isDeepStrictEqual(story[name], was[name])) continue;
			const part = memberOf(text, items[i]?.start ?? 0, name);
			if (part === undefined) return null;
			edits.push({ start: part.start, end: part.end, text: JSON.stringify(story[name]) ?? "null" });
		}
	}
	const made = edits.toSorted((a, b) => b.start - a.start).reduce((all, e) => all.slice(0, e.start) + e.text + all.slice(e.end), text);
	const read = parsed(made);
	// The value of the document may have been changed apart from its text.
	return isDeepStrictEqual(read.value, key === null ? stories : { ...(doc.value as Fields), [key]: stories }) ? read : null;
}

export interface Permitted {
	readonly doc: PrdDoc;
	/** Remarks about what was put back. */
	readonly refused: readonly string[];
	/** Story → the fields that say what it has to meet, and that a role changed which may not. */
	readonly redefined?: ReadonlyMap<string, readonly string[]>;
}

/** What a story is measured by. */
const MEASURES = ["description", "acceptance_criteria", "acceptanceCriteria", "verification_commands"];

/** The document after undoing what the role may not change. */
export function permitted(role: string, before: PrdDoc, after: PrdDoc): Permitted {
	const made = role === "steering" ? restructured(before, after) : kept(role, before, after);
	return isDeepStrictEqual(made.doc.value, after.value) ? { doc: after, refused: made.refused } : made;
}

/** The list stays: only `passes` and notes of stories change. A reviewer may revoke a pass but not give one. */
function kept(role: string, before: PrdDoc, after: PrdDoc): Permitted {
	const refused: string[] = [];
	const redefined = new Map<string, readonly string[]>();
	const now = new Map(after.stories.map((s) => [idOf(s), s]));
	const stories = before.stories.map((story) => {
		const said = now.get(idOf(story));
		if (!said) return story;
		const claims = passes(said) && !passes(story) && role !== "worker";
		if (claims) refused.push(`\`passes\` of ${idOf(story)}`);
		const measures = MEASURES.filter((name) => name in story && !isDeepStrictEqual(story[name], said[name]));
		if (measures.length > 0) redefined.set(idOf(story), measures);
		return { ...story, ...(claims ? {} : { passes: passes(said) }), ...("notes" in said ? { notes: said["notes"] } : {}) };
	});
	const doc = withStories(before, stories);
	if (
		!isDeepStrictEqual(
			before.stories.map(idOf),
			after.stories.map((s) => idOf(s)),
		)
	)
		refused.push("the list of stories");
	else
		for (const [i, story] of stories.entries()) {
			const { passes: _, ...said } = after.stories[i] ?? {};
			const { passes: __, ...own } = story;
			if (!isDeepStrictEqual(own, said)) refused.push(`story ${idOf(story)}${changedIn(own, said)}`);
		}
	return { doc, refused: [...refused, ...topRefused(before, after, topKeys(before, after))], redefined };
}

function changedIn(own: Fields, said: Fields): string {
	const names = [...new Set([...Object.keys(own), ...Object.keys(said)])].filter((name) => !isDeepStrictEqual(own[name], said[name]));
	return names.length === 0 ? "" : ` (${names.slice(0, 6).join(", ")})`;
}

/** Only people may change the commands and cadences that the engine goes by. */
const PERSONS = ["run_id", "loop_settings", "global_verification"];

/** A new list, in which exactly the stories that passed before are there and pass. */
function restructured(before: PrdDoc, after: PrdDoc): Permitted {
	const refused: string[] = [];
	const passed = new Map(before.stories.filter(passes).map((s) => [idOf(s), s]));
	const stories = after.stories.map((story) => {
		const done = passed.get(idOf(story));
		if (done) {
			const same = { ...done, ...("notes" in story ? { notes: story["notes"] } : {}) };
			if (!isDeepStrictEqual(same, story)) refused.push(`story ${idOf(story)}, which passes`);
			return same;
		}
		if (!passes(story)) return story;
		refused.push(`\`passes\` of ${idOf(story)}`);
		return { ...story, passes: false };
	});
	const there = new Set(stories.map(idOf));
	for (const [i, story] of before.stories.entries())
		if (passes(story) && !there.has(idOf(story))) {
			stories.splice(Math.min(i, stories.length), 0, story);
			refused.push(`story ${idOf(story)}, which passes and was removed`);
		}
	const mine = isFields(before.value) ? before.value : {};
	const theirs = isFields(after.value) && after.key === before.key ? after.value : mine;
	const top = Object.fromEntries([
		...Object.entries(theirs).filter(([key]) => !PERSONS.includes(key)),
		...PERSONS.filter((key) => key in mine).map((key) => [key, mine[key]] as const),
	]);
	return { doc: withStories({ ...before, value: top }, stories), refused: [...refused, ...topRefused(before, after, PERSONS)] };
}

const topKeys = (before: PrdDoc, after: PrdDoc): string[] =>
	[...new Set([before, after].flatMap((doc) => (isFields(doc.value) ? Object.keys(doc.value) : [])))].filter(
		(key) => key !== before.key && key !== after.key,
	);

function topRefused(before: PrdDoc, after: PrdDoc, keys: readonly string[]): string[] {
	return keys.filter((key) => !isDeepStrictEqual(topOf(before, key), topOf(after, key))).map((key) => `\`${key}\``);
}
