// G-07: a wait ends when it ends, whatever else runs.
import assert from "node:assert/strict";
import { fails } from "../../src/engine/testing/cast.suite.ts";
import { type LeftOut, retried, type Scenario, type Walked, walk } from "./walk.ts";

const PAUSE = 60_000;

walk("G-07 a usage limit of a minute, or a claim that nobody answers: the session starts again when the time is over", (of) => {
	const { path, driver, definition, isWriter } = of;
	const times: number[] = [];
	let wait = PAUSE;
	return {
		play: (turn, usual) => {
			if (!isWriter(turn) || turn.story === "US-2") return usual();
			times.push(turn.now());
			if (times.length > 1) return usual();
			// Whoever comes for a step waits for its own limits: what pawl waits for is that it comes back.
			if (driver !== "pulled") return fails("rate_limited", "a limit", { retryAt: turn.now() + PAUSE });
			wait = definition.types[turn.type]?.timeoutMs ?? 0;
			return turn.leaves();
		},
		holds: async (h, state) => {
			const last = state.status === "failed" && path.resumes !== false ? await retried(h) : state;
			if (path.resumes !== false) assert.equal(last.status, "completed", last.reason ?? "");
			const [first = 0, second = 0] = times;
			assert.equal(second - first, wait);
		},
	};
});

const alone: LeftOut = ({ workspace }, driver) =>
	workspace === "worktree" && driver === "run"
		? null
		: "only stories with worktrees of their own run side by side, and the wait is the same after a kill";

const besides = ({ path, isWriter }: Walked): Scenario => {
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
};

walk("G-07 … and while another story is at work for longer than that", besides, alone);
