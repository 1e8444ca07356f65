// Where the stories stand in the picture of their dependencies: those that depend on others by layers, the rest in a grid below.
import { Graph, layout } from "@dagrejs/dagre";

export const NODE = { width: 200, height: 46 } as const;
const GAP = 14;
const MARGIN = 8;

export interface Placed {
	readonly id: string;
	readonly x: number;
	readonly y: number;
}

export interface Arrow {
	readonly from: string;
	readonly to: string;
	readonly points: readonly { readonly x: number; readonly y: number }[];
}

export interface Picture {
	readonly width: number;
	readonly height: number;
	readonly nodes: readonly Placed[];
	readonly arrows: readonly Arrow[];
}

interface Node {
	readonly id: string;
	readonly depends_on: readonly string[];
}

/** `columns`: how many stand side by side in the grid. */
export function pictureOf(stories: readonly Node[], columns: number): Picture {
	const known = new Set(stories.map(({ id }) => id));
	const edges = stories.flatMap(({ id, depends_on }) =>
		depends_on.filter((on) => known.has(on) && on !== id).map((on) => ({ from: on, to: id })),
	);
	const tied = new Set(edges.flatMap(({ from, to }) => [from, to]));
	const layered = layers(
		stories.filter(({ id }) => tied.has(id)),
		edges,
	);
	const free = stories.filter(({ id }) => !tied.has(id));
	const top = layered.height === 0 ? 0 : layered.height + GAP;
	const grid = free.map(({ id }, index) => ({
		id,
		x: MARGIN + (index % columns) * (NODE.width + GAP) + NODE.width / 2,
		y: top + MARGIN + Math.floor(index / columns) * (NODE.height + GAP) + NODE.height / 2,
	}));
	const rows = Math.ceil(free.length / columns);
	const gridWidth = free.length === 0 ? 0 : Math.min(columns, free.length) * (NODE.width + GAP) - GAP + 2 * MARGIN;
	return {
		width: Math.max(layered.width, gridWidth),
		height: rows === 0 ? layered.height : top + rows * (NODE.height + GAP) - GAP + 2 * MARGIN,
		nodes: [...layered.nodes, ...grid],
		arrows: layered.arrows,
	};
}

function layers(stories: readonly Node[], edges: readonly { readonly from: string; readonly to: string }[]): Picture {
	if (stories.length === 0) return { width: 0, height: 0, nodes: [], arrows: [] };
	const graph = new Graph();
	graph.setGraph({ rankdir: "LR", nodesep: GAP, ranksep: 48, marginx: MARGIN, marginy: MARGIN });
	graph.setDefaultEdgeLabel(() => ({}));
	for (const { id } of stories) graph.setNode(id, { ...NODE });
	for (const { from, to } of edges) graph.setEdge(from, to);
	layout(graph);
	const { width = 0, height = 0 } = graph.graph() as { readonly width?: number; readonly height?: number };
	const place = (id: string): Placed => {
		const { x, y } = graph.node(id) as unknown as Placed;
		return { id, x, y };
	};
	// From the middle of one side to the middle of the other; dagre would begin at a corner.
	const arrow = (from: string, to: string): Arrow => {
		const { points } = graph.edge(from, to) as unknown as Arrow;
		const [start, end] = [place(from), place(to)];
		const side = NODE.width / 2;
		return { from, to, points: [{ x: start.x + side, y: start.y }, ...points.slice(1, -1), { x: end.x - side, y: end.y }] };
	};
	return { width, height, nodes: stories.map(({ id }) => place(id)), arrows: edges.map(({ from, to }) => arrow(from, to)) };
}

/** A line with soft corners through the points. */
export function pathOf(points: Arrow["points"]): string {
	const [first, ...rest] = points;
	if (first === undefined) return "";
	let path = `M${first.x},${first.y}`;
	for (const [index, point] of rest.entries()) {
		const next = rest[index + 1];
		const end = next === undefined ? point : { x: (point.x + next.x) / 2, y: (point.y + next.y) / 2 };
		path += `Q${point.x},${point.y} ${end.x},${end.y}`;
	}
	return path;
}
