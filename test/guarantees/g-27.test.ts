// G-27: only a person decides: whatever decides about a run is refused to anything that a session or a check started, unless the run was
// created in that session. That such a process is recognised, by its ancestry, needs real processes.
import assert from "node:assert/strict";
import type { RunState } from "../../src/core/model.ts";
import { UNKNOWN_MARK } from "../../src/process.ts";
import type { RunsContext } from "../../src/runs/context.ts";
import { personFor } from "../../src/runs/person.ts";
import { Refusal } from "../../src/runs/refusal.ts";
import { alsoIn } from "./also-in.ts";
import { walk } from "./walk.ts";

const calledBy = (...marks: readonly string[]): RunsContext =>
	({ services: { caller: () => ({ user: "somebody", marks }) } }) as unknown as RunsContext;
const createdIn = (state: RunState, mark: string): RunState => ({
	...state,
	options: { ...state.options, shell: { ...state.options.shell, within: [mark] } },
});

walk("G-27 a process of a session decides nothing about a run, its own one or another's; a person does, by name", ({ isWriter }) => {
	const states: Promise<RunState>[] = [];
	let look = (): Promise<RunState> => Promise.reject(new Error("there is no run"));
	return {
		begin: (h) => {
			look = () => h.state();
		},
		play: (turn, usual) => {
			if (isWriter(turn)) states.push(look());
			return usual();
		},
		holds: async (h, ended) => {
			const mine = `${h.run}:A:step-001:1`;
			for (const state of [...(await Promise.all(states)), ended]) {
				for (const mark of [mine, "another-run:A:step-001:1"])
					assert.throws(
						() => personFor(calledBy(mark), state),
						(error) => error instanceof Refusal && /only a person/.test(error.message),
					);
				assert.throws(() => personFor(calledBy("outer:A:step-001:1", mine), createdIn(state, "outer:A:step-001:1")), Refusal);
				assert.throws(() => personFor(calledBy(UNKNOWN_MARK), createdIn(state, UNKNOWN_MARK)), /cannot tell whether an agent/);
				assert.deepEqual(personFor(calledBy("outer:A:step-001:1"), createdIn(state, "outer:A:step-001:1")), {
					user: "somebody",
					how: "cli",
				});
				assert.deepEqual(personFor(calledBy(), state), { user: "somebody", how: "cli" });
			}
		},
	};
});

alsoIn("G-27", "test/cli/steering.test.ts", "src/process/lineage.test.ts");
