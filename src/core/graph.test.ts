import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { dependentsOf, findCycles, type GraphNode, missing, weightBehind } from "./graph.ts";

const graph = (text: string): GraphNode[] =>
	text.split(" ").map((part) => {
		const [id = "", needs = ""] = part.split(":");
		return { id, dependsOn: needs === "" ? [] : needs.split(",") };
	});

test("D-06 a circle is found once, in the order of its dependencies", () => {
	assert.deepEqual(findCycles(graph("X A:B B:C C:A Y:A")), [["A", "B", "C"]]);
	assert.deepEqual(findCycles(graph("A:C B:A C:B")), [["A", "C", "B"]]);
});

test("D-06 separate circles are separate, a tangle is one group with all its members", () => {
	assert.deepEqual(findCycles(graph("A:B B:A C:D,A D:C")), [
		["A", "B"],
		["C", "D"],
	]);
	assert.deepEqual(findCycles(graph("A:B B:A,C C:B")), [["A", "B", "C"]]);
});

test("D-07 a node that needs itself is a circle; a node that needs an unknown one is not", () => {
	assert.deepEqual(findCycles(graph("A:A B:Z")), [["A"]]);
	assert.deepEqual(missing(graph("A:Q,B B:Z")), [
		{ id: "A", dependency: "Q" },
		{ id: "B", dependency: "Z" },
	]);
});

test("what is behind a node is the heaviest chain of those that depend on it", () => {
	const weights: Record<string, number> = { B: 1, C: 5, D: 1, E: 2 };
	const behind = weightBehind(graph("A B:A C:A D:B E:D F G:G,A Y:Z"), (id) => weights[id] ?? 100);
	assert.deepEqual(
		[...behind],
		[
			["A", 5],
			["B", 3],
			["C", 0],
			["D", 2],
			["E", 0],
			["F", 0],
			["G", 0],
			["Y", 0],
		],
	);
});

test("of two chains the heavier counts, in whatever order they stand; a circle behind which something waits is not walked", () => {
	const weights: Record<string, number> = { B: 1, C: 5, X: 2 };
	for (const order of ["A B:A C:A", "A C:A B:A"]) assert.equal(weightBehind(graph(order), (id) => weights[id] ?? 0).get("A"), 5, order);
	assert.deepEqual(Object.fromEntries(weightBehind(graph("G:H H:G X:G"), (id) => weights[id] ?? 0)), { G: 2, H: 0, X: 0 });
});

test("a chain of 20,000 is walked without a deep stack", () => {
	const chain = Array.from({ length: 20_000 }, (_, i) => ({ id: `n${i}`, dependsOn: [`n${i + 1}`] }));
	assert.deepEqual(findCycles(chain), []);
	assert.equal(dependentsOf("n20000", chain).length, 20_000);
	assert.equal(findCycles([...chain, { id: "n20000", dependsOn: ["n0"] }])[0]?.length, 20_001);
});

const ids = ["a", "b", "c", "d", "e", "f"];
const anyGraph = fc
	.array(fc.subarray([...ids, "unknown"]), { minLength: 0, maxLength: ids.length })
	.map((lists) => lists.map((dependsOn, i): GraphNode => ({ id: ids[i]!, dependsOn })));

/** id → what can be reached from it in one step or more: repeated until nothing is new. */
function closure(nodes: readonly GraphNode[]): Map<string, Set<string>> {
	const reach = new Map(nodes.map((n) => [n.id, new Set(n.dependsOn)]));
	for (let grown = true; grown; ) {
		grown = false;
		for (const set of reach.values()) {
			for (const via of [...set]) {
				for (const far of reach.get(via) ?? []) {
					if (!set.has(far)) grown = true;
					set.add(far);
				}
			}
		}
	}
	return reach;
}

test("findCycles agrees with brute force", () => {
	fc.assert(
		fc.property(anyGraph, (nodes) => {
			const reach = closure(nodes);
			const expected = new Set(
				nodes
					.filter((n) => reach.get(n.id)!.has(n.id))
					.map((n) =>
						nodes
							.filter((m) => m.id === n.id || (reach.get(n.id)!.has(m.id) && reach.get(m.id)!.has(n.id)))
							.map((m) => m.id)
							.join(),
					),
			);
			const found = findCycles(nodes).map((c) => c.toSorted().join());
			assert.equal(new Set(found).size, found.length, "each once");
			assert.deepEqual(found.toSorted(), [...expected].toSorted());
		}),
	);
});

test("dependentsOf agrees with brute force", () => {
	fc.assert(
		fc.property(anyGraph, fc.constantFrom(...ids), (nodes, id) => {
			const reach = closure(nodes);
			assert.deepEqual(
				dependentsOf(id, nodes),
				nodes.filter((n) => n.id !== id && reach.get(n.id)!.has(id)).map((n) => n.id),
			);
		}),
	);
});
