import assert from "node:assert/strict";
import { it } from "node:test";
import type { RunState } from "../core/model.ts";
import { lateTelemetry } from "./late.ts";

const state = {} as RunState;

it("nothing is loaded before the first event, and what came while it loads is seen in order", async () => {
	const seen: boolean[] = [];
	let loads = 0;
	const telemetry = lateTelemetry(
		async () => {
			loads++;
			return { witness: (_events, _state, own) => void seen.push(own), close: async () => {} };
		},
		() => {},
	);
	await telemetry.close();
	assert.equal(loads, 0);
	telemetry.witness([], state, true);
	telemetry.witness([], state, false);
	await telemetry.close();
	assert.deepEqual([loads, seen], [1, [true, false]]);
});

it("whatever fails is one warning, and the next event is seen all the same", async () => {
	const warnings: string[] = [];
	let seen = 0;
	const telemetry = lateTelemetry(
		async () => ({
			witness: () => {
				seen++;
				throw new Error("broken");
			},
			close: () => Promise.reject(new Error("away")),
		}),
		(text) => warnings.push(text),
	);
	telemetry.witness([], state, true);
	telemetry.witness([], state, true);
	await telemetry.close();
	assert.deepEqual([seen, warnings], [2, ["telemetry failed: broken"]]);
	const broken = lateTelemetry(
		() => Promise.reject(new Error("not there")),
		(text) => warnings.push(text),
	);
	broken.witness([], state, true);
	await broken.close();
	assert.equal(warnings.at(-1), "telemetry failed: not there");
});
