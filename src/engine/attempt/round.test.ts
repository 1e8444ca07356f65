import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { Round } from "./round.ts";

test("O-03 nobody of a round begins before all are there, and one that leaves is not waited for", async () => {
	const round = new Round(3);
	const [a, b, c] = [round.seat(), round.seat(), round.seat()];
	const seen: string[] = [];
	// The one that is named first begins first, whoever was ready first.
	const waits = [b.ready().then(() => seen.push("b")), a.ready().then(() => seen.push("a")), a.ready()];
	await turn();
	assert.deepEqual(seen, [], "asking twice is being there once");
	c.leave();
	c.leave();
	await Promise.all(waits);
	assert.deepEqual(seen, ["a", "b"]);
});

test("O-03 the ends of a round come one after the other, whatever becomes of them", async () => {
	const round = new Round(2);
	const seen: string[] = [];
	const first = round.seat().inTurn(async () => {
		seen.push("first begins");
		await turn();
		seen.push("first ends");
		throw new Error("no");
	});
	const second = round.seat().inTurn(async () => seen.push("second"));
	await assert.rejects(first, /no/);
	await second;
	assert.deepEqual(seen, ["first begins", "first ends", "second"]);
});
