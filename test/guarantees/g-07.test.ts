// G-07: a wait ends when it ends, whatever else runs.
import assert from "node:assert/strict";
import { fails } from "../../src/engine/testing/cast.suite.ts";
import { walk } from "./walk.ts";

const PAUSE = 60_000;

walk("G-07 a usage limit of a minute: the session starts again after a minute", ({ driver, isWriter }) => {
	// Whoever comes for a step waits for its own limits.
	if (driver === "pulled") return null;
	const times: number[] = [];
	return {
		play: (turn, usual) => {
			if (!isWriter(turn) || turn.story === "US-2") return usual();
			times.push(turn.now());
			return times.length === 1 ? fails("rate_limited", "a limit", { retryAt: turn.now() + PAUSE }) : usual();
		},
		holds: (_, state) => {
			assert.equal(state.status, "completed", state.reason ?? "");
			const [first = 0, second = 0] = times;
			assert.equal(second - first, PAUSE);
		},
	};
});

walk("G-07 … and while another story is at work for longer than that", ({ path, driver, isWriter }) => {
	if (driver !== "run" || path.workspace !== "worktree") return null;
	const times: number[] = [];
	return {
		options: { stories: ["US-1", "US-2"], options: { agents: 2, timeouts: { [path.writer]: 9 * PAUSE } } },
		play: async (turn, usual) => {
			if (!isWriter(turn)) return usual();
			if (turn.story === "US-2") await turn.takes(5 * PAUSE);
			else times.push(turn.now());
			return turn.story === "US-1" && times.length === 1 ? fails("rate_limited", "a limit", { retryAt: turn.now() + PAUSE }) : usual();
		},
		holds: (_, state) => {
			assert.equal(state.status, "completed", state.reason ?? "");
			const [first = 0, second = 0] = times;
			assert.equal(second - first, PAUSE);
		},
	};
});
