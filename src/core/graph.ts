// The dependency graph: cycles, dependents, missing dependencies. All walks are iterative and linear in nodes and edges, so a chain of
// ten thousand stories is fine.

export interface GraphNode {
	readonly id: string;
	readonly dependsOn: readonly string[];
}

/** Nodes with the same id count as one; dependencies on unknown ids are left out (`missing` reports those). */
function edges(nodes: readonly GraphNode[]): Map<string, string[]> {
	const result = new Map<string, string[]>(nodes.map((node) => [node.id, []]));
	for (const node of nodes) {
		const own = result.get(node.id);
		if (own !== undefined) for (const id of node.dependsOn) if (result.has(id)) own.push(id);
	}
	return result;
}

/**
 * Every group of nodes that depend on each other, once, with all its members; a node that depends on itself is a group of one.
 * Members are in dependency order, starting with the one that is first in the list; groups are in list order.
 * Groups rather than single cycles: a tangle has exponentially many cycles, and cutting one would not be enough.
 */
export function findCycles(nodes: readonly GraphNode[]): string[][] {
	const next = edges(nodes);
	const groupOf = groups(next);
	const seen = new Set<number>();
	const cycles: string[][] = [];
	for (const id of next.keys()) {
		const group = groupOf.get(id);
		if (group === undefined || seen.has(group)) continue;
		seen.add(group);
		const members = reach(id, (from) => (next.get(from) ?? []).filter((to) => groupOf.get(to) === group));
		if (members.length > 1 || next.get(id)?.includes(id)) cycles.push(members);
	}
	return cycles;
}

/** All nodes that depend on `id`, directly or not, in list order, without `id` itself. */
export function dependentsOf(id: string, nodes: readonly GraphNode[]): string[] {
	const back = new Map<string, string[]>();
	for (const node of nodes) {
		for (const needed of node.dependsOn) {
			const list = back.get(needed);
			if (list === undefined) back.set(needed, [node.id]);
			else list.push(node.id);
		}
	}
	const found = new Set(reach(id, (from) => back.get(from) ?? []));
	found.delete(id);
	return [...new Set(nodes.map((node) => node.id))].filter((other) => found.has(other));
}

/** For every node: the greatest sum of weights along a chain of nodes that depend on it, without its own weight. A node that is part of a
 * circle, and what only such nodes lead to, counts as nothing. */
export function weightBehind(nodes: readonly GraphNode[], weightOf: (id: string) => number): Map<string, number> {
	const needs = edges(nodes);
	const behind = new Map<string, number>([...needs.keys()].map((id) => [id, 0]));
	const dependents = new Map<string, number>();
	for (const list of needs.values()) for (const id of list) dependents.set(id, (dependents.get(id) ?? 0) + 1);
	const open = [...needs.keys()].filter((id) => !dependents.has(id));
	for (let id = open.pop(); id !== undefined; id = open.pop()) {
		const chain = (behind.get(id) ?? 0) + weightOf(id);
		for (const needed of needs.get(id) ?? []) {
			behind.set(needed, Math.max(behind.get(needed) ?? 0, chain));
			const left = (dependents.get(needed) ?? 0) - 1;
			dependents.set(needed, left);
			if (left === 0) open.push(needed);
		}
	}
	return behind;
}

/** Every dependency on an unknown id, in list order. */
export function missing(nodes: readonly GraphNode[]): { readonly id: string; readonly dependency: string }[] {
	const known = new Set(nodes.map((node) => node.id));
	return nodes.flatMap((node) => node.dependsOn.filter((id) => !known.has(id)).map((dependency) => ({ id: node.id, dependency })));
}

/** All nodes reachable from a node, depth first, the node itself first. */
function reach(start: string, next: (id: string) => readonly string[]): string[] {
	const found = new Set<string>();
	const open = [start];
	for (let id = open.pop(); id !== undefined; id = open.pop()) {
		if (found.has(id)) continue;
		found.add(id);
		// Not spread into arguments: there may be more of them than a call can take.
		for (const to of next(id).toReversed()) open.push(to);
	}
	return [...found];
}

/** Node → number of its strongly connected group (Tarjan, with the call stack as a list). */
function groups(next: ReadonlyMap<string, readonly string[]>): Map<string, number> {
	const order = new Map<string, number>();
	const low = new Map<string, number>();
	const groupOf = new Map<string, number>();
	const open: string[] = [];
	let count = 0;
	const lower = (id: string, value: number) => low.set(id, Math.min(low.get(id) ?? value, value));
	const enter = (id: string) => {
		order.set(id, order.size);
		lower(id, order.size - 1);
		open.push(id);
		return { id, targets: (next.get(id) ?? []).values() };
	};
	for (const root of next.keys()) {
		if (order.has(root)) continue;
		const path = [enter(root)];
		for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
			const target = top.targets.next();
			if (!target.done) {
				const reached = order.get(target.value);
				if (reached === undefined) path.push(enter(target.value));
				else if (!groupOf.has(target.value)) lower(top.id, reached);
				continue;
			}
			path.pop();
			const lowest = low.get(top.id) ?? 0;
			const parent = path.at(-1);
			if (parent !== undefined) lower(parent.id, lowest);
			if (lowest !== order.get(top.id)) continue;
			for (let id = open.pop(); id !== undefined; id = open.pop()) {
				groupOf.set(id, count);
				if (id === top.id) break;
			}
			count++;
		}
	}
	return groupOf;
}
