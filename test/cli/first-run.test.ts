// The first run of a new user, with the real command: whatever is missing is said with what to do about it, before money is spent.
import assert from "node:assert/strict";
import { chmodSync, existsSync, readFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { it } from "node:test";
import { ok, prd, type Scratch, scratch } from "./scratch.ts";

const FIXTURES = join(import.meta.dirname, "..", "..", "src", "agent", "cli", "fixtures");
const REQUEST = "Add a greeting to the README";

/** Stands for an agent's CLI: notes that it was called and prints a recorded session. */
function standIn(s: Scratch, name: string, printed: string, exit: number): void {
	s.write({
		".git/printed": printed,
		[`.git/bin/${name}`]: `#!/bin/sh\ncat > /dev/null\necho called >> '${s.root}/.git/calls'\ncat '${s.root}/.git/printed'\nexit ${exit}\n`,
	});
	chmodSync(join(s.root, ".git", "bin", name), 0o755);
}

const calls = (s: Scratch): number =>
	existsSync(join(s.root, ".git", "calls"))
		? readFileSync(join(s.root, ".git", "calls"), "utf8")
				.trim()
				.split("\n").length
		: 0;

/** With the stand-ins, and none of the machine's own agents. */
const run = (s: Scratch, ...args: string[]) => {
	s.write({ ".git/tmp/keep": "" });
	const path = [join(s.root, ".git", "bin"), dirname(process.execPath), "/usr/bin", "/bin"].join(delimiter);
	return s.pawlWith({ PATH: path, GIT_CONFIG_NOSYSTEM: "1", TMPDIR: join(s.root, ".git", "tmp") }, ...args);
};

it("T-60 an agent that is not installed: how to install it, how to log in, and no run", async () => {
	const s = scratch();
	const { stderr } = ok(await run(s, "--agent", "gemini", REQUEST), 2);
	assert.match(stderr, /gemini is not found.*npm install -g @google\/gemini-cli.*log in/);
	assert.equal(existsSync(join(s.root, ".pawl")), false);
});

for (const [name, exit] of [
	["claude", 1],
	["codex", 1],
	["gemini", 145],
	["opencode", 1],
] as const)
	it(`G-14 ${name} that is not logged in: said before the first session, which is the only one, and how the run goes on`, async () => {
		const s = scratch();
		standIn(s, name, readFileSync(join(FIXTURES, `${name}.e401${name === "claude" ? "-r2" : ""}.jsonl`), "utf8"), exit);
		const { stderr, stdout } = ok(await run(s, "--agent", name, REQUEST), 1);
		assert.match(stderr, new RegExp(`nothing says that you are logged in to ${name}`));
		assert.match(stdout, new RegExp(`log in to ${name} again`));
		assert.match(`${stdout}${stderr}`, /pawl resume \S+/);
		assert.equal(calls(s), 1);
	});

it("G-14 out of credit: one session, and what to do", async () => {
	const s = scratch();
	const printed = readFileSync(join(FIXTURES, "claude.e401-r2.jsonl"), "utf8")
		.replaceAll("Invalid API key · Fix external API key", "Credit balance is too low")
		.replaceAll(/"api_error_status": ?401/g, '"api_error_status":400')
		.split("\n")
		.filter((line) => !line.includes("api_retry"));
	standIn(s, "claude", printed.join("\n"), 1);
	const { stdout } = ok(await run(s, REQUEST), 1);
	assert.match(stdout, /Credit balance is too low/);
	assert.match(stdout.replaceAll(/\s+/g, " "), /out of money; pay, then .* pawl resume/);
	assert.equal(calls(s), 1);
});

it("T-19 git does not know the user: said before the first session", async () => {
	const s = scratch();
	for (const key of ["user.name", "user.email"]) s.git("config", "--unset", key);
	standIn(s, "claude", "", 1);
	const { stderr } = await run(s, "--dry-run", REQUEST);
	assert.match(stderr, /git does not know who you are.*git config --global user\.name/);
});

it("G-02 a check that needs what git does not keep: no session, and what only the user's checkout has", async () => {
	const s = scratch({ "pawl.yml": 'checks: {test: "test -d vendor"}\n', ".gitignore": "vendor\n", "prd.json": prd({ id: "A" }) });
	s.write({ "vendor/x": "" });
	standIn(s, "claude", "", 1);
	const { stderr } = ok(await run(s, "run", "dynamic", "--prd", "prd.json"), 2);
	assert.match(stderr, /fails in a fresh worktree[\s\S]*only in your checkout: .*vendor[\s\S]*`setup`, `link`, `copy`/);
	assert.equal(calls(s), 0);
});

it("G-02 a check that is red from the start: said with its output before the first session", async () => {
	const s = scratch({ "pawl.yml": 'checks: {test: "echo expected 4, got 5; exit 1"}\n' });
	standIn(s, "claude", "", 1);
	const { stderr } = await run(s, REQUEST);
	assert.match(stderr, /already fail on main, before the first session[\s\S]*expected 4, got 5[\s\S]*Ctrl-C/);
});

it("without arguments: what can be done next here, from the runs to what a run could start with", async () => {
	const s = scratch();
	const first = ok(await s.pawl(), 2);
	assert.match(first.stdout, /^tell pawl which checks the work has to pass\n {2}pawl init$/m);
	assert.match(first.stdout, /^ {2}pawl "REQUEST"$/m);
	assert.equal(existsSync(join(s.root, ".pawl")), false, "looking makes nothing");
	s.write({
		"pawl.yml": "checks: {test: 'true'}\n",
		"prd.json": prd({ id: "A" }, { id: "B", passes: true }),
	});
	ok(await s.pawl("todo", "new", "Say hello", "--prefix", "GAL"));
	ok(await s.pawl("run", "dynamic", "--prd", "prd.json", "--agent", "command", "--agent-command", "false"), 1);
	const { stdout } = ok(await s.pawl(), 2);
	assert.doesNotMatch(stdout, /pawl init/);
	assert.match(stdout, /^prd\.json: 1 of 2 stories is left\n {2}pawl run dynamic --prd prd\.json$/m);
	assert.match(stdout, /^TODO\/: one issue can start: Say hello\n {2}pawl run gated GAL-\d+$/m);
});
