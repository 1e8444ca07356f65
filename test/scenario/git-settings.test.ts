// What a session writes into git's settings runs nothing in pawl's own git calls: not in the run, not after a kill and a resume, and not
// when an agent that pawl did not start brings its result.
import assert from "node:assert/strict";
import { it } from "node:test";
import { commit, exit, type FakeAgent, fakeAgent, HANG, write } from "../support/fake-agent.ts";
import { exited, kill9, pawl, pawlExits, startPawl } from "../support/pawl.ts";
import { exists, git, put, read, repository, scratchFolder, until } from "../support/scratch.ts";
import { smallWorkflow } from "../support/small-workflow.ts";

/** Sets a filter up for all files, in the user's settings and in the repository's. What runs it outside of a session leaves a mark. */
const PLANT = [
	'printf \'#!/bin/sh\\n[ -n "$PAWL_STEP_ID" ] || echo "$0" >> %s/sprung\\nexec cat\\n\' "$home" > "$home/trap"; chmod +x "$home/trap"',
	'git config --global filter.own.clean "$home/trap"; git config --global filter.own.smudge "$home/trap"',
	'echo "* filter=own" > "$HOME/attributes"; git config --global core.attributesFile "$HOME/attributes"',
	'git config filter.local.clean "$home/trap"; git config filter.local.smudge "$home/trap"',
	'd=$(git rev-parse --git-common-dir); mkdir -p "$d/info"; echo "*.txt filter=local" > "$d/info/attributes"',
];
const WORK = [write("work.txt", "work\n"), commit("work"), write("left.txt", "left\n")];
const sprung = (agent: FakeAgent): string => (exists(agent.home, "sprung") ? read(agent.home, "sprung") : "");

it("G-26 a filter that a killed session planted runs neither in the resume nor after it; what differs is said, and can be accepted", async () => {
	const home = scratchFolder("home");
	const repo = repository({ "a.txt": "a\n" });
	const env = { HOME: home, XDG_CONFIG_HOME: `${home}/.config` };
	const agent = fakeAgent([
		{ when: { type: "work", nth: 1 }, do: [...WORK, ...PLANT, 'touch "$home/planted"', HANG] },
		{ when: { type: "work", nth: 2 }, do: [...WORK, exit(3)] },
		{ when: { type: "work" }, do: WORK },
	]);
	const started = startPawl(["run", smallWorkflow(), "Do it", "--agent-command", agent.command], { cwd: repo, env });
	await until("planted", () => exists(agent.home, "planted"));
	await kill9(started);
	const resumed = exited(await pawl(["resume"], { cwd: repo, env }), 1);
	assert.equal(sprung(agent), "");
	assert.match(resumed.stderr, /filter\.own\.clean is new.*--accept-config/);
	assert.match(resumed.stderr, /filter\.local\.clean is new \(of the repository\)/);
	assert.doesNotMatch(resumed.all, new RegExp(`${agent.home}/trap`), "values may be secrets");
	exited(await pawl(["retry"], { cwd: repo, env }), 0);
	assert.equal(sprung(agent), "");
	assert.equal(git(repo, "log", "-1", "--format=%s", "--", "work.txt"), "work");
});

it("G-26 `pawl resume --accept-config` takes the settings of today over, and the journal says who did", async () => {
	const home = scratchFolder("home");
	const repo = repository({ "a.txt": "a\n" });
	const env = { HOME: home, XDG_CONFIG_HOME: `${home}/.config` };
	const agent = fakeAgent([
		{ when: { type: "work", nth: 1 }, do: ['touch "$home/there"', HANG] },
		{ when: { type: "work" }, do: [write("work.txt", "work\n"), commit("work")] },
	]);
	const started = startPawl(["run", smallWorkflow(), "Do it", "--agent-command", agent.command], { cwd: repo, env });
	await until("there", () => exists(agent.home, "there"));
	await kill9(started);
	put(home, { ".gitconfig": "[core]\n\tautocrlf = false\n" });
	const resumed = await pawlExits(0, ["resume", "--accept-config"], { cwd: repo, env });
	assert.doesNotMatch(resumed.stderr, /settings are not those/);
	const history = await pawlExits(0, ["history", "--json"], { cwd: repo, env });
	assert.match(history.stdout, /"event":"settings_accepted".*"by":\{"user"/);
});
