// `sandbox` in pawl.yml, with the real bwrap: what agents, checks and setup of a run can and cannot do. Containers are tried against a program that
// stands in for docker.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, statSync, symlinkSync } from "node:fs";
import { createServer } from "node:net";
import { delimiter, dirname, join } from "node:path";
import { after, describe, it } from "node:test";
import { PACKAGE, PAWL } from "../support/bin.ts";
import { pawl, pawlExits, runFolder, step, story } from "../support/pawl.ts";
import { exists, git, list, processesNaming, put, read, repository, scratchFolder } from "../support/scratch.ts";
import { smallWorkflow } from "../support/small-workflow.ts";

const hasBwrap = spawnSync("bwrap", ["--version"]).status === 0;
if (!hasBwrap && process.env["CI"] === "true") throw new Error("there is no bwrap here: scripts/bwrap.sh installs one");
const skip = hasBwrap ? false : "there is no bwrap here";

const FLOW = `name: flow
title: Work and a check
description: One session, and a check as a step
resume: yes
inputs:
  prd: {reader: prd, workspace: worktree}
roles:
  agent: {description: Works, can: [run, commit, network], report: {notes: summary}}
steps: [stories]
types:
  stories:
    description: The stories
    each: {concurrency: $agents, order: dependencies, on_failure: block, expects_change: true, steps: [work, verify]}
  work: {description: Work, role: agent, timeout: 1m, writes: any, edits: false}
  verify: {description: Verify, command: test, timeout: 1m, on: {done: next}}
on:
  done: next
  agent_error|timeout|stalled|permission|context_too_long|boundary_violation|unreadable|workspace_error|checks_failed: {fail: story}
  lost: {insert: [same], max: 3/step, exhausted: {fail: story}}
  rate_limited|overloaded: {wait: time}
  auth: fail run
projections: [workflow_state]
`;

const PRD = JSON.stringify({
	project: "p",
	branchName: "b",
	description: "d",
	userStories: [
		{ id: "US-001", title: "Hello", description: "Say hello", acceptanceCriteria: ["x"], priority: 1, passes: false, notes: "" },
	],
});

/** Each line tries something and says how it ended. */
const AGENT = `#!/bin/sh
cat > /dev/null
tries() { if sh -c "$2" > /dev/null 2>&1; then echo "$1: yes"; else echo "$1: no"; fi >> "$PAWL_SHARED_DIR/tried.txt"; }
tries "read a key" 'cat "$HOME/.ssh/id"'
tries "read another repository" 'cat "$OUTSIDE/file"'
tries "write outside" 'echo x > "$OUTSIDE/new"'
tries "write into the home" 'echo x > "$HOME/new" && mkdir "$HOME/.cache"'
tries "read what pawl.yml allows" 'cat "$HOME/allowed/file"'
tries "write what pawl.yml allows to read" 'echo x > "$HOME/allowed/new"'
tries "write what pawl.yml allows" 'echo x > "$HOME/cache/new"'
tries "read the password file" 'cat /etc/shadow'
tries "uncover the password file" 'umount -l /etc/shadow || unshare -Urm umount -l /etc/shadow'
tries "mount a file system" 'mkdir -p /tmp/m && mount -t tmpfs none /tmp/m'
tries "make a device" 'mknod /tmp/disk b 8 0'
tries "change the kernel" 'test -w /proc/sys/kernel/core_pattern || test -w /proc/sysrq-trigger'
tries "see processes of others" 'test "$(ls -d /proc/[0-9]* | wc -l)" -gt 30'
tries "change the configuration" 'git config a.b c'
tries "add a hook" 'echo x > "$(git rev-parse --git-common-dir)/hooks/post-commit"'
tries "name other objects" 'echo "$OUTSIDE" > "$(git rev-parse --git-common-dir)/objects/info/alternates"'
tries "change the main checkout" 'echo x > "$(git rev-parse --git-common-dir)/HEAD"'
tries "read the journal" 'cat "$(git rev-parse --git-common-dir)/../.pawl/pawl.db"'
tries "reach the network" "bash -c 'exec 3<>/dev/tcp/127.0.0.1/$PORT'"
# The sandbox of the check that follows must not go where these lead.
tries "lay links" 'mkdir -p .pawl "$PAWL_SHARED_DIR/refusals" && ln -s "$OUTSIDE" .pawl/workflows && ln -s "$OUTSIDE" "$PAWL_SHARED_DIR/refusals/x"'
setsid sleep 600 > /dev/null 2>&1 &
echo hello > hello.txt
git add hello.txt && git commit -q -m "hello by $(git config user.name)" && echo "commit: yes" >> "$PAWL_SHARED_DIR/tried.txt"
printf '## SUMMARY\\n- done\\n'
`;

/** The same, of a command that notifies. */
const NOTIFY = `echo x > "$HOME/new"
tries() { if sh -c "$2" > /dev/null 2>&1; then echo "$1: yes"; else echo "$1: no"; fi >> "$HOME/cache/told.txt"; }
tries "read a key" 'cat "$HOME/.ssh/id"'
tries "change the repository" 'echo x > README.md || echo x > new.txt'
tries "change git" 'echo x > .git/refs/heads/new'
tries "read the journal" 'cat .pawl/pawl.db'
tries "reach the network" "bash -c 'exec 3<>/dev/tcp/127.0.0.1/$PORT'"
grep -q "^run $PAWL_RUN_ID in " && tries "the message" true
`;

/** Says yes only where it can neither read the key nor write outside nor reach the network. */
const CONFINED = 'test -e README.md && ! cat "$HOME/.ssh/id" && ! touch "$OUTSIDE/by-check"';

async function listening(): Promise<number> {
	const server = createServer((socket) => socket.destroy());
	after(() => server.close());
	await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
	const address = server.address();
	return typeof address === "object" && address !== null ? address.port : 0;
}

interface Site {
	readonly folder: string;
	readonly repo: string;
	readonly env: Readonly<Record<string, string>>;
	readonly args: readonly string[];
}

async function site(): Promise<Site> {
	const folder = scratchFolder("sandbox");
	const port = await listening();
	const offline = `! bash -c 'exec 3<>/dev/tcp/127.0.0.1/${port}'`;
	const repo = repository({
		"pawl.yml": [
			"sandbox: {type: bwrap, network: agents, read: [~/allowed], write: [~/cache]}",
			`setup: ${JSON.stringify(`${CONFINED} && test -z "$SECRET_TOKEN" && echo ready > ready.txt`)}`,
			`checks: {test: ${JSON.stringify(`${CONFINED} && ${offline} && test -e ready.txt`)}}`,
			"env: [OUTSIDE, PORT]",
			"link: [out]",
			"",
		].join("\n"),
		".gitignore": "ready.txt\nout\n",
	});
	// One that leads out of the repository does not widen what is seen.
	symlinkSync(join(folder, "outside"), join(repo, "out"));
	put(folder, {
		"home/.ssh/id": "secret\n",
		"home/.gitconfig": "[user]\n\tname = Global Person\n\temail = person@example.invalid\n",
		"home/allowed/file": "x",
		"home/cache/file": "x",
		"outside/file": "x",
		"agent.sh": AGENT,
		"prd.json": PRD,
		"flow/workflow.yml": FLOW,
		"flow/prompts/work.md": "Work: {{story_description}}\n",
	});
	git(repo, "config", "--unset", "user.name");
	chmodSync(join(folder, "agent.sh"), 0o755);
	const env = { HOME: join(folder, "home"), OUTSIDE: join(folder, "outside"), PORT: String(port), SECRET_TOKEN: "not-for-setup" };
	const args = [
		"run",
		join(folder, "flow", "workflow.yml"),
		"--prd",
		join(folder, "prd.json"),
		"--agent-command",
		join(folder, "agent.sh"),
	];
	return { folder, repo, env, args };
}

function assertConfined({ folder, repo }: Site): void {
	assert.deepEqual(read(runFolder(repo), "tried.txt").trimEnd().split("\n"), [
		"read a key: no",
		"read another repository: no",
		"write outside: no",
		"write into the home: yes",
		"read what pawl.yml allows: yes",
		"write what pawl.yml allows to read: no",
		"write what pawl.yml allows: yes",
		"read the password file: no",
		"uncover the password file: no",
		"mount a file system: no",
		"make a device: no",
		"change the kernel: no",
		"see processes of others: no",
		"change the configuration: no",
		"add a hook: no",
		"name other objects: no",
		"change the main checkout: no",
		"read the journal: no",
		"reach the network: yes",
		"lay links: yes",
		"commit: yes",
	]);
	assert.deepEqual(list(folder, "outside"), ["file"]);
	assert.equal(exists(folder, "home", "new"), false, "its home is gone with it");
	assert.deepEqual(list(folder, "home", "cache"), ["file", "new"]);
	assert.deepEqual(processesNaming(folder), []);
}

describe("sandbox: bwrap", { skip }, () => {
	it("shows agents, checks, steps that are commands, and setup their worktree and what pawl.yml allows", async () => {
		const one = await site();
		await pawlExits(0, one.args, { cwd: one.repo, env: one.env });
		assertConfined(one);
		assert.match(git(one.repo, "for-each-ref", "--format=%(subject)"), /^hello by Global Person$/m);
	});

	it("does the same for a user who is not root", { skip: process.getuid?.() !== 0 && "only root can become another user" }, async (t) => {
		const one = await site();
		// The folders of tests belong to root alone.
		for (const path of [one.folder, one.repo, PACKAGE])
			for (let up = path; up.length > 1; up = dirname(up))
				if (up.includes("/pawl-") && (statSync(up).mode & 0o5) !== 0o5) chmodSync(up, 0o755);
		for (const folder of [one.folder, one.repo]) spawnSync("chown", ["-R", "65534:65534", folder]);
		const as = ["--reuid=65534", "--regid=65534", "--clear-groups", "--", PAWL];
		const env = { ...process.env, ...one.env, XDG_CONFIG_HOME: join(one.folder, "none"), NO_COLOR: "1", TMPDIR: one.folder };
		if (spawnSync("setpriv", [...as, "--version"], { env }).status !== 0) return t.skip("the other user cannot start this pawl");
		const ended = spawnSync("setpriv", [...as, ...one.args], { cwd: one.repo, env, encoding: "utf8" });
		assert.equal(ended.status, 0, ended.stderr);
		assertConfined(one);
	});

	it("gives the tools of pawl mcp to an agent in it, in the user's own tree, and hides the other runs there", async () => {
		const folder = scratchFolder("sandbox-mcp");
		const repo = repository({
			"pawl.yml": `sandbox: {type: bwrap, read: [~/allowed]}\nagents: {claude: {command: ${folder}/claude.mjs, mcp: true}}\n`,
		});
		put(folder, { "claude.mjs": MCP_AGENT, "allowed/file": "x" });
		chmodSync(join(folder, "claude.mjs"), 0o755);
		put(repo, { ".pawl/runs/earlier/secret.md": "of another run", ".pawl/.gitignore": "*\n" });
		await pawlExits(0, ["run", smallWorkflow(), "Do it", "--agent", "claude"], { cwd: repo, env: { HOME: folder } });
		const { notes } = step(story(repo), "work");
		assert.match(
			notes ?? "",
			/^Taken: done\. A later r; other runs: no; journal writable: no; key: no; another \.git: no; in its home: yes\n/,
		);
	});

	it("confines the notify.command of the repository, which can change nothing, and not that of the user's own pawl.yml", async () => {
		const folder = scratchFolder("sandbox-notify");
		const port = await listening();
		const config = "sandbox: {type: bwrap, network: agents, write: [~/cache]}\n";
		put(folder, { "home/.ssh/id": "secret\n", "home/cache/file": "x", "config/pawl/pawl.yml": config, "notify.sh": NOTIFY });
		const repo = repository({ "pawl.yml": `env: [PORT]\nnotify: {command: "sh notify.sh"}\n`, "notify.sh": NOTIFY });
		const env = { HOME: join(folder, "home"), XDG_CONFIG_HOME: join(folder, "config"), PORT: String(port) };
		const run = ["run", smallWorkflow(), "Do it", "--agent-command", "false"];
		const ended = await pawlExits(1, run, { cwd: repo, env });
		assert.doesNotMatch(ended.stderr, /notification could not be sent/);
		assert.deepEqual(read(folder, "home", "cache", "told.txt").trimEnd().split("\n"), [
			"read a key: no",
			"change the repository: no",
			"change git: no",
			"read the journal: no",
			"reach the network: no",
			"the message: yes",
		]);
		assert.equal(exists(folder, "home", "new"), false, "nothing gets into the home");
		put(folder, { "config/pawl/pawl.yml": `${config}notify: {command: "echo told > $HOME/by-user"}\n` });
		put(repo, { "pawl.yml": "" });
		git(repo, "commit", "-q", "-a", "-m", "without a command");
		await pawlExits(1, run, { cwd: repo, env });
		assert.equal(read(folder, "home", "by-user"), "told\n");
	});

	it("refuses a run whose sandbox cannot be made, before anything is written, and doctor says so", async () => {
		const repo = repository({ "pawl.yml": "sandbox: bwrap\n" });
		const programs = scratchFolder("programs");
		put(programs, { bwrap: "#!/bin/sh\necho 'bwrap: No permissions to create new namespace' >&2\nexit 1\n" });
		chmodSync(join(programs, "bwrap"), 0o755);
		const where = { cwd: repo, env: { PATH: `${programs}${delimiter}${process.env["PATH"]}` } };
		const refused = await pawl(["run", smallWorkflow(), "Do it", "--agent-command", "true"], where);
		assert.equal(refused.code, 2, refused.all);
		assert.match(refused.stderr, /the sandbox bwrap cannot be used: .*No permissions.*userns.* --sandbox none/);
		assert.equal(exists(repo, ".pawl"), false);
		const doctor = await pawl(["doctor", "--json"], where);
		const { sandbox, problems } = JSON.parse(doctor.stdout);
		assert.equal(sandbox.configured, "bwrap");
		assert.match(problems.join("\n"), /the sandbox bwrap of pawl.yml does not work here/);
		const unnamed = await pawl(["run", smallWorkflow(), "Do it", "--agent-command", "true", "--sandbox", "container"], where);
		assert.deepEqual([unnamed.code, /sandbox container cannot be used/.test(unnamed.stderr)], [2, true], unnamed.all);
	});
});

/** Speaks to `pawl mcp` as Claude Code would, and says what it saw as its report. */
const MCP_AGENT = `#!/usr/bin/env node
import { spawn } from "node:child_process";
import { existsSync, readFileSync, renameSync, writeFileSync, accessSync } from "node:fs";
import { homedir } from "node:os";
const file = process.argv.find((word) => word.startsWith("--mcp-config=")).slice("--mcp-config=".length);
const { command, args, env } = JSON.parse(readFileSync(file, "utf8")).mcpServers.pawl;
const server = spawn(command, args, { env: { ...process.env, ...env }, stdio: ["pipe", "pipe", "inherit"] });
const send = (message) => server.stdin.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\\n");
const can = (work) => { try { work(); return "yes"; } catch { return "no"; } };
if (process.env.PAWL_STEP_TYPE === "work") writeFileSync("work.txt", "done");
const seen = "; other runs: " + can(() => readFileSync(".pawl/runs/earlier/secret.md")) + "; journal writable: " + can(() => accessSync(".pawl/pawl.db", 2))
	+ "; key: " + can(() => readFileSync("/etc/shadow")) + "; another .git: " + can(() => renameSync(".git", ".git-old"))
	+ "; in its home: " + can(() => readFileSync(homedir() + "/allowed/file"));
let text = "";
const report = (summary) => ({ method: "tools/call", params: { name: "report", arguments: { signal: "done", summary } } });
server.stdout.on("data", (chunk) => {
	text += chunk;
	for (let at = text.indexOf("\\n"); at >= 0; at = text.indexOf("\\n")) {
		const { id, result } = JSON.parse(text.slice(0, at));
		text = text.slice(at + 1);
		if (id === 1) { send({ method: "notifications/initialized" }); send({ id: 2, ...report("first") }); }
		if (id === 2) send({ id: 3, ...report(result.content[0].text.slice(0, 22) + seen) });
		if (id === 3) { console.log(JSON.stringify({ type: "result", subtype: "success", is_error: false, result: "nothing to say", session_id: "s" })); server.stdin.end(); }
	}
});
send({ id: 1, method: "initialize", params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "t", version: "0" } } });
`;

/** Notes what it is asked, and runs what a container would run, here. */
const DOCKER = `#!/bin/sh
printf '%s\\n' "$*" >> "$(dirname "$0")/asked.txt"
case "$1" in
	run) ;;
	*) exit 0 ;;
esac
while [ "$1" != --workdir ]; do shift; done
cd "$2"
shift 5
exec "$@"
`;

describe("sandbox: container", () => {
	it("runs agents and checks by docker, with the folders of the run at their own paths and variables by name", async () => {
		const programs = scratchFolder("programs");
		const repo = repository({
			"pawl.yml": "sandbox: {type: container, image: node:24, network: agents}\nchecks: {test: test -e README.md}\nenv: [SECRET_TOKEN]\n",
		});
		put(programs, {
			docker: DOCKER,
			"agent.sh": "#!/bin/sh\ncat > /dev/null\necho $PAWL_STEP_TYPE > work.txt\nprintf '## SUMMARY\\n- done\\n'\n",
		});
		for (const name of ["docker", "agent.sh"]) chmodSync(join(programs, name), 0o755);
		const env = { PATH: `${programs}${delimiter}${process.env["PATH"]}`, SECRET_TOKEN: "very-secret-value" };
		const flow = smallWorkflow();
		const text = read(flow).replace(
			"  look: {description: Look, role: agent, timeout: 1m, writes: none",
			"  look: {description: Look, role: agent, timeout: 1m, writes: any",
		);
		put(dirname(flow), { "workflow.yml": text });
		await pawlExits(0, ["run", flow, "Do it", "--agent-command", join(programs, "agent.sh")], { cwd: repo, env });
		const asked = read(programs, "asked.txt");
		const runs = asked.split("\n").filter((line) => line.startsWith("run "));
		const [check = ""] = runs.filter((line) => line.endsWith("node:24 /bin/sh -c test -e README.md"));
		const [agent = ""] = runs.filter((line) => line.endsWith(`node:24 ${join(programs, "agent.sh")}`));
		assert.match(check, /--network none/);
		assert.doesNotMatch(agent, /--network none/);
		for (const line of [check, agent]) {
			assert.match(line, /^run --rm --interactive --init --name pawl-[0-9a-f]{12}-[0-9a-f]{12} --label pawl\.mark=/);
			assert.match(line, /--cap-drop ALL --security-opt no-new-privileges --user \d+:\d+/);
			assert.ok(line.includes(`--mount type=bind,source=${repo},target=${repo} `), line);
			assert.ok(line.includes(`source=${repo}/.git/config,target=${repo}/.git/config,readonly`), line);
			assert.match(line, /--env SECRET_TOKEN /);
			assert.doesNotMatch(line, /very-secret-value/);
		}
		const name = /--name (\S+)/.exec(agent)?.[1];
		assert.ok(asked.includes(`rm --force ${name}\n`), "what is left of it is removed");
		const without = await pawl(["run", flow, "Do it", "--agent-command", "true", "--sandbox", "none", "--dry-run"], { cwd: repo, env });
		assert.equal(without.code, 0, without.all);
	});

	it("has the home and the configuration of an agent where they are said to be, also if temporary folders are behind a link", async () => {
		const folder = scratchFolder("container-home");
		put(folder, {
			docker: DOCKER,
			"claude.sh": `#!/bin/sh\ncat > /dev/null\necho "$CLAUDE_CONFIG_DIR" > ${folder}/config.txt\n`,
			"private/tmp/file": "",
		});
		for (const name of ["docker", "claude.sh"]) chmodSync(join(folder, name), 0o755);
		symlinkSync("private", join(folder, "var"));
		const repo = repository({
			"pawl.yml": `sandbox: {type: container, image: node:24}\nagents: {claude: {command: ${folder}/claude.sh}}\n`,
		});
		const env = { PATH: `${folder}${delimiter}${process.env["PATH"]}`, TMPDIR: join(folder, "var/tmp") };
		await pawl(["run", smallWorkflow(), "Do it", "--agent", "claude"], { cwd: repo, env });
		const line =
			read(folder, "asked.txt")
				.split("\n")
				.find((one) => one.includes("--env CLAUDE_CONFIG_DIR")) ?? "";
		const targets = [...line.matchAll(/ --mount type=bind,source=\S+,target=(\S+)/g)].map(([, target]) => target);
		for (const path of [/ --env HOME=(\S+)/.exec(line)?.[1] ?? "", read(folder, "config.txt").trim()])
			assert.ok(path !== "" && targets.some((target) => path.startsWith(`${target}/`)), `${path} in ${line}`);
		assert.doesNotMatch(line, /--tmpfs \S+\/home:/, "nothing is put over its home");
	});
});
