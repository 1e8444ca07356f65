// The short form of `npm run soak`: random stories, random kills, everything checked. The seed is in the failure's text.
import assert from "node:assert/strict";
import { randomInt } from "node:crypto";
import { test } from "node:test";
import { line, soak } from "../support/soak.ts";

test("X-03 D-107 random kills of random runs leave every story landed once and nothing broken", async () => {
	const figures = await soak({
		seed: randomInt(1_000_000),
		kills: 4,
		ms: 10_000,
		patienceMs: 300_000,
		say: () => {},
		keep: false,
		company: false,
	});
	assert.deepEqual(figures.violations, [], line(figures));
	assert.ok(figures.kills > 0 && figures.stories > 0, line(figures));
});
