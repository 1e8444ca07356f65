// An agent that reported a usage limit and went silent is ended.
import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, it, mock } from "node:test";
import { agentRequest } from "../agent.suite.ts";
import { outputReader } from "../stream/reader.ts";
import { type LimitWatch, watchLimit } from "./limit-watch.ts";

const MINUTE = 60_000;
const LIMIT = "Reconnecting... 1/5 (exceeded retry limit, last status: 429 Too Many Requests)";
const LOST = "Reconnecting... 1/5 (stream disconnected before completion: error sending request)";

describe("an agent that waits in silence", () => {
	beforeEach(() => mock.timers.enable({ apis: ["setTimeout"] }));
	afterEach(() => mock.timers.reset());

	/** A codex that prints these events, one after the other. */
	const printing = (timeoutMs: number): { watch: LimitWatch; print(event: object): void } => {
		const reader = outputReader();
		const watch = watchLimit(agentRequest("/nowhere", { timeoutMs }), reader);
		const print = (event: object): void => {
			reader.write(Buffer.from(`${JSON.stringify(event)}\n`));
			watch.heard();
		};
		print({ type: "thread.started", thread_id: "t" });
		return { watch, print };
	};

	it("is ended for the limit that it reported, after five minutes", () => {
		const { watch, print } = printing(30 * MINUTE);
		print({ type: "error", message: LIMIT });
		mock.timers.tick(5 * MINUTE - 1);
		assert.deepEqual([watch.signal.aborted, watch.passed()], [false, null]);
		mock.timers.tick(1);
		assert.deepEqual([watch.signal.aborted, watch.passed()?.result], [true, "rate_limited"]);
	});

	it("is ended sooner if the step has little time", () => {
		const { watch, print } = printing(3 * MINUTE);
		print({ type: "error", message: LIMIT });
		mock.timers.tick(MINUTE);
		assert.equal(watch.signal.aborted, true);
	});

	it("is left alone if it printed anything since, reported no limit, or has ended", () => {
		const answered = printing(30 * MINUTE);
		answered.print({ type: "error", message: LIMIT });
		answered.print({ type: "item.completed", item: { id: "1", type: "agent_message", text: "hi" } });
		const lost = printing(30 * MINUTE);
		lost.print({ type: "error", message: LOST });
		const over = printing(30 * MINUTE);
		over.print({ type: "error", message: LIMIT });
		over.watch.stop();
		mock.timers.tick(30 * MINUTE);
		assert.deepEqual(
			[answered, lost, over].map(({ watch }) => watch.signal.aborted),
			[false, false, false],
		);
	});
});
