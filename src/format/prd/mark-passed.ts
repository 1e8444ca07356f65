// Sets one story's `passes` in the text of a prd.json and changes nothing else, byte for byte: the file is the
// user's, with their indentation, key order, line ends and keys that pawl does not know.
import { readForeignJson } from "../../core/text/foreign-json.ts";
import { partsOf } from "../../text/json-text.ts";
import { listOf } from "../../text/story-list-place.ts";

/** The new text (unchanged if it says so already), or null if the text no longer has such a story. */
export function markPassed(text: string, storyId: string, value = true): string | null {
	const parsed = readForeignJson(text);
	if (!parsed.ok) return null;
	const list = listOf(text, parsed.value);
	if (!list.ok) return null;
	const index = list.stories.findIndex((story) => (story as { readonly id?: unknown } | null)?.id === storyId);
	const story = partsOf(text, list.start)[index];
	if (story === undefined) return null;

	const members = partsOf(text, story.start);
	const passes = members.findLast((member) => member.key === "passes");
	if (passes !== undefined) return `${text.slice(0, passes.start)}${value}${text.slice(passes.end)}`;

	// The story has an id, so there are members whose formatting can be copied.
	const [first, second] = members;
	const last = members.at(-1);
	if (first === undefined || last === undefined) return null;
	const gap =
		second === undefined ? text.slice(story.start + 1, first.from) : text.slice(text.lastIndexOf(",", second.from) + 1, second.from);
	const between = text.slice(first.from, first.start);
	const sign = between.lastIndexOf(":");
	const colon = sign < 0 ? ": " : `${between.slice(between.slice(0, sign).trimEnd().length, sign)}${between.slice(sign)}`;
	return `${text.slice(0, last.end)},${gap}"passes"${colon}${value}${text.slice(last.end)}`;
}
