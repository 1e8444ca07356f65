import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import type { RunStatus } from "../core/model.ts";
import type { RunsContext } from "./context.ts";
import { nextHere } from "./here.ts";

const run = (id: string, status: RunStatus) => ({ id, workflow: "own", title: "Say hello", status, createdAt: 1, updatedAt: 1 });

/** As much of a repository with these runs as is looked at. */
function contextOf(runs: readonly ReturnType<typeof run>[], driven: readonly string[]): RunsContext {
	const store = {
		runs: async ({ open = false }) => runs.filter(({ status }) => !open || status !== "failed"),
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

test("the newest run, if it failed, is not forgotten; an older failure is history", async () => {
	const newest = await nextHere(contextOf([run("r2", "failed"), run("r1", "failed")], []));
	assert.deepEqual(newest[0], { text: 'own "Say hello" failed: see why, then try again', command: "pawl status r2" });
	const older = await nextHere(contextOf([run("r2", "paused"), run("r1", "failed")], []));
	assert.deepEqual(
		older.slice(0, 2).map(({ command }) => command),
		["pawl resume r2", "pawl doctor"],
	);
});

test("an agent that the user's own pawl.yml names is one that is here", async (t) => {
	const folder = mkdtempSync(join(tmpdir(), "pawl-here-"));
	t.after(() => rmSync(folder, { recursive: true, force: true }));
	mkdirSync(join(folder, "pawl"));
	const commands = async () => (await nextHere({ ...contextOf([], []), env: { XDG_CONFIG_HOME: folder } })).map(({ command }) => command);
	assert.equal((await commands())[0], "pawl doctor");
	writeFileSync(join(folder, "pawl", "pawl.yml"), "agents: {mine: {type: command, command: ./agent.sh}}\n");
	assert.equal((await commands()).includes("pawl doctor"), false);
});
