import assert from "node:assert/strict";
import { it } from "node:test";
import type { RunStatus } from "../core/model.ts";
import { Refusal, type RefusalCode } from "../runs/refusal.ts";
import { exitOf } from "./context.ts";

it("a refusal exits with 2 where something else has to be asked for, with 1 where it went wrong", () => {
	const codes: RefusalCode[] = ["invalid", "not_found", "refused", "conflict", "unavailable", "internal"];
	assert.deepEqual(
		codes.map((code) => exitOf(new Refusal(code, ""))),
		[2, 2, 2, 1, 1, 1],
	);
});

it("a refusal because of a run's status exits like that run", () => {
	const statuses: RunStatus[] = ["completed", "failed", "refused", "waiting", "paused", "stopped", "limited", "cancelled"];
	assert.deepEqual(
		statuses.map((status) => exitOf(new Refusal("refused", "", status))),
		[0, 1, 2, 3, 3, 4, 75, 1],
	);
});
