// What doctor finds about agents: version, login, and what to do. The programs are stand-ins.
import assert from "node:assert/strict";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import type { AgentInfo } from "../../agent.ts";
import { findAgent } from "./machine.ts";

describe("an agent on this machine", () => {
	const dir = mkdtempSync(join(tmpdir(), "pawl-machine-"));
	after(() => rmSync(dir, { recursive: true, force: true }));
	const info = (name: string): AgentInfo => ({
		...{ name, program: name, tested: "2.10.0", install: "install it", login: "log in" },
		loggedIn: (env) => (env["KEY"] === undefined ? null : "KEY is set"),
	});
	const program = (name: string, lines: string): void => {
		writeFileSync(join(dir, name), `#!/bin/sh\n${lines}\n`);
		chmodSync(join(dir, name), 0o755);
	};
	const found = (name: string, env: Record<string, string> = { KEY: "secret" }) => findAgent(info(name), { PATH: dir, ...env });

	it("says how to install a missing agent", async () => {
		assert.deepEqual(await found("nowhere"), {
			...{ name: "nowhere", path: null, version: null, tested: "2.10.0", loggedIn: "KEY is set" },
			hints: ["to install it: install it"],
		});
	});

	it("needs nothing in the tested version with a login, whose value stays secret", async () => {
		program("tested", "echo 2.10.0 '(Some Agent)'");
		const agent = await found("tested");
		assert.deepEqual([agent.version, agent.loggedIn, agent.hints], ["2.10.0", "KEY is set", []]);
		assert.doesNotMatch(JSON.stringify(agent), /secret/);
	});

	it("only mentions that it is older or newer", async () => {
		program("old", "echo agent-cli 2.9.12");
		program("new", "echo 2.11.0");
		assert.match((await found("old")).hints.join(), /^2\.9\.12 is older than 2\.10\.0/);
		assert.match((await found("new")).hints.join(), /^2\.11\.0 is newer than 2\.10\.0/);
	});

	it("says how to log in if there is no sign of a login", async () => {
		program("out", "echo 2.10.0");
		assert.deepEqual((await found("out", {})).hints, ["nothing says that you are logged in; log in"]);
	});

	it("that does not tell its version is there all the same", async () => {
		program("silent", "exit 3");
		const agent = await found("silent");
		assert.deepEqual([agent.path, agent.version, agent.hints], [join(dir, "silent"), null, []]);
	});
});
