// Where the list of stories is in a prd.json, in any of its dialects. Shared, so that the reader and the code that marks stories agree.
import { memberOf, startOf } from "./json-text.ts";

export type PrdList =
	| { readonly ok: true; readonly stories: readonly unknown[] /** Offset of the list in the text. */; readonly start: number }
	| { readonly ok: false; readonly offset: number; readonly message: string };

/** `value` is what JSON.parse made of `text`. */
export function listOf(text: string, value: unknown): PrdList {
	const start = startOf(text);
	if (Array.isArray(value)) return found(value, start);
	if (typeof value !== "object" || value === null)
		return { ok: false, offset: start, message: "a PRD is an object with a list of stories, or that list" };
	const lists = (["userStories", "stories"] as const).flatMap((key) => {
		const member = memberOf(text, start, key);
		return member === undefined ? [] : [{ key, stories: (value as Record<string, unknown>)[key], member }];
	});
	const [list, other] = lists;
	if (list === undefined)
		return { ok: false, offset: start, message: "there are no stories: the file has neither `userStories` nor `stories`" };
	if (other !== undefined)
		return { ok: false, offset: other.member.from, message: "the file has both `userStories` and `stories`; keep one" };
	if (!Array.isArray(list.stories)) return { ok: false, offset: list.member.from, message: `\`${list.key}\` must be a list` };
	return found(list.stories, list.member.start);
}

function found(stories: readonly unknown[], start: number): PrdList {
	if (stories.length === 0) return { ok: false, offset: start, message: "the list of stories is empty" };
	return { ok: true, stories, start };
}
