// G-09: nothing leaves the machine unless the person allowed it: without --push no role can push or open a pull request, and the attempt is
// shown. Walked here: every session of every path gets a PATH that refuses, and pawl itself pushes nothing. That the programs on it do
// refuse needs real ones.
import assert from "node:assert/strict";
import { chmodSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { Turn } from "../../src/engine/testing/cast.suite.ts";
import { commit, fakeAgent, write } from "../support/fake-agent.ts";
import { pawlExits } from "../support/pawl.ts";
import { exists, git, put, read, repository, scratchFolder } from "../support/scratch.ts";
import { smallWorkflow } from "../support/small-workflow.ts";
import { alsoIn } from "./also-in.ts";
import { walk } from "./walk.ts";

const ORIGIN = { name: "origin", url: "https://example.invalid/project.git", defaultBranch: "main" };

walk("G-09 whoever works, in whichever role: the first git, gh and glab on its PATH refuse to push, and pawl pushes nothing", (of) => {
	const programs = scratchFolder("programs");
	put(programs, { git: "", gh: "", glab: "" });
	for (const name of ["git", "gh", "glab"]) chmodSync(join(programs, name), 0o755);
	const refuses = ({ type, role, env }: Turn): void => {
		// A session that pawl did not start has a PATH of its own.
		if (of.driver === "pulled") return assert.deepEqual(env, {});
		const [first = ""] = (env["PATH"] ?? "").split(":");
		for (const [name, what] of [
			["git", /\bpush\|/],
			["gh", /pr create|may not use the network/],
			["glab", /mr create|may not use the network/],
		] as const)
			assert.match(exists(first, name) ? read(first, name) : "", what, `${type} ${role}: ${name}`);
	};
	let sessions = 0;
	return {
		options: { env: { PATH: programs }, remotes: [ORIGIN] },
		play: (turn, usual) => {
			sessions++;
			refuses(turn);
			return usual();
		},
		holds: (h, state) => {
			assert.equal(state.status, "completed", state.reason ?? "");
			assert.ok(sessions > 0);
			assert.deepEqual(
				h.sites.flatMap(({ pushes }) => pushes),
				[],
			);
		},
	};
});

test("G-09 git push, gh and glab of a session reach nobody, and the person is told", async () => {
	const repo = repository();
	const [bare, programs] = [join(scratchFolder("origin"), "o.git"), scratchFolder("programs")];
	git(repo, "init", "-q", "--bare", bare);
	git(repo, "remote", "add", "origin", bare);
	for (const name of ["gh", "glab"]) {
		put(programs, { [name]: `#!/bin/sh\ntouch ${join(programs, "called")}\n` });
		chmodSync(join(programs, name), 0o755);
	}
	const agent = fakeAgent([
		{
			when: { type: "work" },
			do: [write("work.txt", "w\n"), commit("work"), "git push origin HEAD:refs/heads/out; gh pr create; glab mr create; true"],
		},
	]);
	const ended = await pawlExits(0, ["run", smallWorkflow(), "Add a file", "--agent-command", agent.command], {
		cwd: repo,
		env: { PATH: `${programs}:${process.env["PATH"]}` },
	});
	assert.equal(git(bare, "for-each-ref"), "");
	assert.equal(exists(programs, "called"), false);
	assert.match(ended.all, /was refused: .*push/);
});

alsoIn("G-09", "test/gated/boundaries.test.ts", "test/pipelines/forge.test.ts");
