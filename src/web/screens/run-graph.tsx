// The dependency graph: which story waits for which.
import { useMemo } from "preact/hooks";
import type { RunView, StoryView } from "../api/types.ts";
import { flat } from "../plain.ts";
import { goTo, hrefOf } from "../route.ts";
import { about } from "../state/now.ts";
import { attentionOf, storyWord } from "../words/attention.ts";
import { NODE, pathOf, pictureOf } from "../words/graph.ts";
import { statusWord, toneOf } from "../words/words.ts";

export function GraphTab({ run }: { readonly run: RunView }) {
	const shape = JSON.stringify(run.stories.map(({ id, depends_on }) => ({ id, depends_on })));
	const columns = Math.max(1, Math.min(5, Math.floor((document.documentElement.clientWidth - 40) / (NODE.width + 14))));
	const picture = useMemo(() => pictureOf(JSON.parse(shape) as StoryView[], columns), [shape, columns]);
	if (run.stories.length === 0) return <p class="empty">No stories yet.</p>;
	const places = new Map(picture.nodes.map((node) => [node.id, node]));
	return (
		<>
			{picture.arrows.length === 0 && <p class="soft">No story depends on another.</p>}
			{/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
			<section class="graph-box" tabIndex={0} aria-label="Dependencies">
				<svg width={picture.width} height={picture.height} viewBox={`0 0 ${picture.width} ${picture.height}`} role="presentation">
					<defs>
						<marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">
							<path d="M0,0 8,4 0,8z" class="graph-tip" />
						</marker>
					</defs>
					{picture.arrows.map(({ from, to, points }) => (
						<path key={`${from} ${to}`} d={pathOf(points)} class="graph-arrow" marker-end="url(#tip)" />
					))}
					{run.stories.map((story) => {
						const place = places.get(story.id);
						return place && <Node key={story.id} run={run} story={story} x={place.x} y={place.y} />;
					})}
				</svg>
			</section>
		</>
	);
}

function Node({ run, story, x, y }: { readonly run: RunView; readonly story: StoryView; readonly x: number; readonly y: number }) {
	const word = statusWord(storyWord(attentionOf(run, story, about.value), story));
	const to = { screen: "story", run: run.run, story: story.id } as const;
	const open = (event: MouseEvent): void => {
		if (event.ctrlKey || event.metaKey || event.shiftKey) return;
		event.preventDefault();
		goTo(to);
	};
	const title = flat(story.title);
	return (
		<a href={hrefOf(to)} onClick={open} class={`graph-node ${toneOf(word)}`}>
			<g transform={`translate(${x - NODE.width / 2} ${y - NODE.height / 2})`}>
				<rect width={NODE.width} height={NODE.height} rx="6" />
				<rect class="graph-mark" width="4" height={NODE.height} rx="2" />
				<text x="14" y="19" class="graph-id">
					{`${story.id} · ${word}`}
				</text>
				<text x="14" y="36">
					{title.length > 25 ? `${title.slice(0, 24)}…` : title}
				</text>
				{title.length > 25 && <title>{title}</title>}
			</g>
		</a>
	);
}
