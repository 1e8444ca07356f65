// A few seconds of the fuzzing, the same in every run: every text and shape of the corpus, and some changed texts for every target. `npm run fuzz` goes on from
// here for as long as it is given.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { corpusOf, corpusTargets } from "./corpus.ts";
import { FuzzTarget } from "./fuzz-target.ts";
import { scaled, shapesOf, textOf } from "./shapes.ts";
import { TARGETS } from "./targets.ts";

const CASES = 40;
const SEED = 1;
/** Many times the limit, so that a slow machine does not matter: a text that takes long by its shape takes longer still. */
const LIMIT_MS = 1000;
const SMALL = 2048;
/** Of the kept shapes: a quarter of a megabyte is enough to see that something takes ever longer. */
const SHARE = 0.25;

after(async () => {
	for (const target of TARGETS) await target.close?.();
});

for (const target of TARGETS)
	test(`I16 ${target.name}: takes its corpus, ${CASES} changed texts and small shapes without a crash`, async () => {
		const { texts, shapes } = corpusOf(target.corpus ?? target.name);
		assert.ok(texts.length > 0, "it has a corpus");
		const one = new FuzzTarget(target, SEED);
		for (const text of texts) assert.equal(await one.tryText(text), null, text.slice(0, 500));
		for (const shape of shapes) assert.equal(await one.tryShape(scaled(shape, SHARE), LIMIT_MS, false), null);
		for (const shape of shapesOf(target, texts.slice(0, 1), SMALL).filter((_, n) => n % 17 === 0))
			assert.equal(await one.tryText(textOf(shape)), null, shape.name);
		await one.mutations(Number.POSITIVE_INFINITY, CASES);
		assert.deepEqual(one.violations, []);
	});

test("every folder of the corpus belongs to a target", () => {
	const known = new Set(TARGETS.map((target) => target.corpus ?? target.name));
	assert.deepEqual(
		corpusTargets().filter((name) => !known.has(name)),
		[],
	);
	assert.equal(new Set(TARGETS.map(({ name }) => name)).size, TARGETS.length);
});

test("a reader that throws, and one that is slow, are found, with the same text from the same seed", async () => {
	const broken = {
		name: "prd",
		words: [],
		run: (text: string) => {
			if (text.includes("\\")) throw new RangeError("broken");
		},
	};
	const found = async (): Promise<FuzzTarget> => {
		const one = new FuzzTarget(broken, 7);
		await one.mutations(Number.POSITIVE_INFINITY, 400);
		return one;
	};
	const [first, second] = [await found(), await found()];
	assert.match(first.violations[0]?.message ?? "", /RangeError: broken/);
	assert.deepEqual(first.violations[0], second.violations[0]);
	assert.equal(first.violations[0]?.input, "\\", "it is as small as it can be");
	const slow = { name: "prd", words: [], run: (text: string) => void text.replace(/\s+$/, "") };
	const shape = { name: "spaces", parts: [{ text: " ", times: 30_000 }, { text: "x" }] };
	assert.match((await new FuzzTarget(slow, 7).tryShape(shape, 5)) ?? "", /ms for 30001 characters/);
});
