import assert from "node:assert/strict";
import { test } from "node:test";
import type { RunStatus } from "../core/model.ts";
import type { RunsContext } from "./context.ts";
import { nextHere } from "./here.ts";

const run = (id: string, status: RunStatus) => ({ id, workflow: "own", title: "Say hello", status, createdAt: 1, updatedAt: 1 });

/** As much of a repository with these runs as is looked at. */
function contextOf(runs: readonly ReturnType<typeof run>[], driven: readonly string[]): RunsContext {
	const store = {
		runs: async () => runs,
		holder: async (id: string) => (driven.includes(id) ? { who: "somebody", since: 1 } : null),
		events: async () => [],
		close: async () => {},
	};
	const services = {
		openRepository: async () => ({ root: "/nowhere", tree: () => ({ path: "/nowhere" }) }),
		openReader: () => store,
		knownAgents: async () => [],
		inputsIn: async () => [],
	};
	return { cwd: "/nowhere", env: {}, services } as unknown as RunsContext;
}

test("runs that are not over come first, each with what to type", async () => {
	const runs = [
		run("r1", "running"),
		run("r2", "running"),
		run("r3", "waiting"),
		run("r4", "paused"),
		run("r5", "limited"),
		run("r6", "stopped"),
	];
	const next = await nextHere(contextOf(runs, ["r1"]));
	assert.deepEqual(
		next.slice(0, 5).map(({ text, command }) => `${text}: ${command}`),
		[
			'own "Say hello" is at work: pawl watch r1',
			'own "Say hello" was cut off: pawl resume r2',
			'own "Say hello" waits for you: pawl status r3',
			'own "Say hello" is paused: pawl resume r4',
			'own "Say hello" has used up a limit: pawl status r5',
		],
	);
	assert.equal(
		next.some(({ command }) => command.includes("r6")),
		false,
		"no more than five",
	);
});
