// In which order the stories of a PRD run, and how they are shown.
import type { CommandContext } from "../../command.ts";
import { weightBehind } from "../../core/graph.ts";
import type { StorySeed } from "../../core/input.ts";
import { storyGraph } from "../../text/story-graph.ts";

/** Below each story those that wait for it. */
export const graphOf = (c: Pick<CommandContext, "table">, stories: readonly StorySeed[], noteOf?: (id: string) => string): string =>
	`${c.table(storyGraph(runnableOrder(stories), noteOf).map(({ story, title, note }) => [story, title, note]))}\n`;

/** In the order in which one agent would take them: first those that already pass, then always the most urgent one whose dependencies are
 * done; of equal ones that with the longest chain behind it. */
export function runnableOrder(stories: readonly StorySeed[]): StorySeed[] {
	const order = stories.filter((s) => s.passes);
	const done = new Set(order.map((s) => s.id));
	const left = new Set(stories.filter((s) => !s.passes));
	const behind = weightBehind([...left], () => 1);
	const isBefore = (one: StorySeed, other: StorySeed): boolean =>
		one.priority < other.priority || (one.priority === other.priority && (behind.get(one.id) ?? 0) > (behind.get(other.id) ?? 0));
	while (left.size > 0) {
		let next: StorySeed | null = null;
		for (const story of left) if (story.dependsOn.every((id) => done.has(id)) && (next === null || isBefore(story, next))) next = story;
		if (next === null) break;
		left.delete(next);
		done.add(next.id);
		order.push(next);
	}
	return [...order, ...left];
}
