// Stories as a tree of lines: below each story those that wait for it. A story that waits for several stands below the one that comes last, and names the
// others. Pure.
import type { StorySeed } from "../core/input.ts";

export interface StoryLine {
	/** The branches of the tree, then the id. */
	readonly story: string;
	readonly title: string;
	/** What else it waits for, and what is special about it. */
	readonly note: string;
}

type Node = Pick<StorySeed, "id" | "title" | "dependsOn" | "passes">;

/** `stories` in the order in which they could run. Only for stories without a circle. `noteOf`: more to say about one. */
export function storyGraph(stories: readonly Node[], noteOf: (id: string) => string = () => ""): StoryLine[] {
	const place = new Map(stories.map(({ id }, at) => [id, at]));
	const parentOf = ({ dependsOn }: Node): string | undefined =>
		dependsOn
			.filter((id) => place.has(id))
			.toSorted((a, b) => (place.get(a) ?? 0) - (place.get(b) ?? 0))
			.at(-1);
	const below = Map.groupBy(stories, (story) => parentOf(story) ?? "");
	const lines: StoryLine[] = [];
	// By hand: a chain of ten thousand stories is no reason to run out of stack.
	const open = rootsOf(below.get("") ?? []);
	for (let next = open.pop(); next !== undefined; next = open.pop()) {
		const { story, before, last } = next;
		const branch = before === null ? "" : `${before}${last ? "└ " : "├ "}`;
		const others = story.dependsOn.filter((id) => id !== parentOf(story));
		const notes = [
			...(story.passes ? ["passes already"] : []),
			...(others.length > 0 ? [`also after ${others.join(", ")}`] : []),
			...(noteOf(story.id) === "" ? [] : [noteOf(story.id)]),
		];
		lines.push({ story: `${branch}${story.id}`, title: story.title, note: notes.join("; ") });
		const deeper = before === null ? "" : `${before}${last ? "  " : "│ "}`;
		const children = below.get(story.id) ?? [];
		for (const [at, child] of [...children.entries()].reverse())
			open.push({ story: child, before: deeper, last: at === children.length - 1 });
	}
	return lines;
}

interface Open {
	readonly story: Node;
	/** What stands before its branch; null: it hangs on nothing. */
	readonly before: string | null;
	readonly last: boolean;
}

const rootsOf = (stories: readonly Node[]): Open[] => stories.map((story) => ({ story, before: null, last: true })).reverse();
