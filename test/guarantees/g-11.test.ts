// G-11: a setup that failed or was cut off runs again, and a changed `setup`, `copy` or `link` is applied when a run goes on. Walked here:
// whoever opens a place to work in makes it ready first, each time. What making ready does to files needs real git and real processes.
import assert from "node:assert/strict";
import type { Turn } from "../../src/engine/testing/cast.suite.ts";
import type { Harness } from "../../src/engine/testing/harness.suite.ts";
import type { Setup } from "../../src/engine/testing/memory-site.suite.ts";
import { WorkspaceError } from "../../src/workspace.ts";
import { alsoIn } from "./also-in.ts";
import { type LeftOut, retried, type Scenario, type Walked, walk } from "./walk.ts";

const PROMISE = "G-11 a setup that fails runs again before anybody works there, and one that changed is applied when the run goes on";
const inTheTree: LeftOut = ({ workspace }) =>
	workspace === "tree" ? "a run in the user's own tree works with what the user has set up there" : null;

const scenario = ({ driver, isWriter }: Walked): Scenario => {
	/** Checkout → the setup that it was last made ready with. */
	const ready = new Map<string, string>();
	let [failed, changed] = [0, false];
	const setUp = ({ sites }: Harness, name: string): void => {
		const run: Setup["run"] = (checkout) => {
			if (name === "second" || failed++ > 0) return void ready.set(checkout.path, name);
			throw new WorkspaceError("setup failed (exit code 1): make deps");
		};
		for (const site of sites) site.setup = { name, run };
	};
	const sessions: (readonly [turn: Turn, with_: string | undefined, wanted: string])[] = [];
	let at: Harness | null = null;
	const change = (): void => {
		changed = true;
		if (at !== null) setUp(at, "second");
	};
	return {
		// With one story: a worker that lives goes on in a place that it has made ready.
		options: driver === "shared" ? { stories: ["US-1"], options: {} } : {},
		begin: (h) => {
			at = h;
			setUp(h, "first");
		},
		killed: change,
		play: (turn, usual) => {
			sessions.push([turn, ready.get(turn.checkout.path), changed ? "second" : "first"]);
			// Each time that an agent comes, a process of its own opens the run.
			if (driver === "pulled" && isWriter(turn) && !changed) change();
			return usual();
		},
		holds: async (h, state) => {
			const last = state.status === "failed" ? await retried(h) : state;
			assert.equal(last.status, "completed", last.reason ?? "");
			assert.ok(failed > 1, "it did not run again");
			assert.equal(changed, driver !== "run");
			for (const [{ type, role }, made, wanted] of sessions) assert.equal(made, wanted, `${type} ${role}`);
		},
	};
};

walk(PROMISE, scenario, inTheTree);

alsoIn("G-11", "src/workspace/slot/prepare.test.ts");
