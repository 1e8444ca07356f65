// The commands that validate files, and those that look at the repository and the machine.
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { before, describe, it } from "node:test";
import { PAWL } from "../support/bin.ts";
import { ok, prd, quickScratch, scratch, WORKS } from "./scratch.ts";

describe("pawl workflow", () => {
	const s = quickScratch({ ".pawl/workflows/dynamic/workflow.yml": "name: dynamic\ntitel: wrong\n" });

	it("lists where each comes from and which are hidden", async () => {
		const all = await s.json<{ name: string; origin: string; shadowed_by: string | null }[]>("workflow", "list");
		assert.deepEqual(
			all.filter((w) => w.name === "dynamic").map((w) => [w.origin, w.shadowed_by]),
			[
				["repository", null],
				["built-in", "repository"],
			],
		);
		assert.match(ok(await s.pawl("workflow", "list")).stdout, /dynamic +repository +cannot be used[\s\S]*dynamic +built-in +not used/);
	});

	it("says all that is wrong, with file, line and column, and exits 2", async () => {
		const { stderr } = ok(await s.pawl("workflow", "validate", ".pawl/workflows/dynamic/workflow.yml"), 2);
		assert.match(stderr, /workflow\.yml:2:1: .*titel/);
		assert.ok(stderr.trim().split("\n").length > 2);
		ok(await s.pawl("workflow", "show", "dynamic"), 2);
		ok(await s.pawl("workflow", "validate", "nowhere.yml"), 2);
	});

	it("shows and validates a good one", async () => {
		const file = join(import.meta.dirname, "..", "..", "workflows", "dynamic");
		assert.match(ok(await s.pawl("workflow", "validate", file)).stdout, /is fine: dynamic/);
		assert.match(ok(await s.pawl("workflow", "show", file)).stdout, /context_gathering[\s\S]*from: /);
		assert.match(ok(await s.pawl("workflow", "show", file, "--mermaid")).stdout, /^flowchart TD\n/);
		assert.equal((await s.json<{ definition: { name: string } }>("workflow", "show", file)).definition.name, "dynamic");
	});
});

describe("pawl prd validate", () => {
	const s = quickScratch();
	it("lists stories in the order in which they could run", async () => {
		s.write({
			"prd.json": prd(
				{ id: "C", priority: 1, depends_on: ["A"] },
				{ id: "B", priority: 3 },
				{ id: "A", priority: 2 },
				{ id: "D", priority: 9, passes: true },
			),
		});
		const { stories } = await s.json<{ stories: { id: string }[] }>("prd", "validate", "prd.json");
		assert.deepEqual(
			stories.map((story) => story.id),
			["D", "A", "C", "B"],
		);
		assert.match(ok(await s.pawl("prd", "validate", "prd.json")).stdout, /4 stories[\s\S]*D +passes already[\s\S]*C +after A/);
	});

	it("X-01: says all that is wrong, with its place", async () => {
		s.write({ "bad.json": prd({ id: "../x" }, { id: "A", depends_on: ["B"] }, { id: "B", depends_on: ["A"] }) });
		const { stderr } = ok(await s.pawl("prd", "validate", "bad.json"), 2);
		assert.match(stderr, /bad\.json:\d+:\d+: .*\.\.\/x/);
		assert.match(stderr, /cycle: A, B/);
		assert.match(ok(await s.pawl("prd", "validate", "none.json"), 2).stderr, /no such file/);
	});
});

describe("pawl edits validate", () => {
	const s = quickScratch({ "script.yml": `${WORKS}  - on: {type: planning}\n    do:\n      - fail: {exit: 1}\n` });
	const edit = (...operations: unknown[]) => s.write({ "edits.json": operations });
	const validate = (...more: string[]) => s.pawl("edits", "validate", "edits.json", "--story", "A", ...more);

	before(async () => {
		// Planning fails, so architecture is the next step: one that may edit.
		s.write({ "prd.json": prd({ id: "A" }, { id: "B", depends_on: ["A"] }) });
		ok(await s.pawl("run", "dynamic", "--prd", "prd.json", "--script", "script.yml"), 1);
	});

	it("X-18: says what would be done, with the ids that new steps would get", async () => {
		edit(
			{ operation: "skip", target_step_id: "step-009", reason: "no tests" },
			{ operation: "add_after", target_step_id: "step-005", reason: "more", new_steps: [{ type: "coding", description: "again" }] },
		);
		const { stdout } = ok(await validate());
		assert.match(
			stdout,
			/accepted, at the end of step-003 \(architecture\):\n +skip step-009.*\n +add_after step-005 → step-011 coding: more/,
		);
		const before = await s.json<unknown>("stories");
		assert.deepEqual(await s.json<unknown>("stories"), before);
	});

	it("X-18: gives every reason against, and exits 2", async () => {
		edit({ operation: "skip", target_step_id: "step-010", reason: "lazy" }, { operation: "fly", reason: "why not" });
		const { stderr } = ok(await validate(), 2);
		assert.match(stderr, /operation 1 .*mandatory[\s\S]*operation 2 .*unknown operation/);
		const result = await validate("--json");
		assert.equal(result.code, 2);
		assert.equal((JSON.parse(result.stdout) as { ok: boolean }).ok, false);
	});

	it("X-18: refuses what the engine would not read", async () => {
		s.write({ "edits.json": "[{" });
		assert.match(ok(await validate(), 2).stderr, /not JSON/);
		symlinkSync("edits.json", join(s.root, "link.json"));
		assert.match(ok(await s.pawl("edits", "validate", "link.json", "--story", "A"), 2).stderr, /symbolic link/);
		assert.match(ok(await s.pawl("edits", "validate", "edits.json", "--story", "Z"), 2).stderr, /no story Z/);
		edit({ operation: "skip", target_step_id: "step-009", reason: "x" });
		assert.match(ok(await s.pawl("edits", "validate", "edits.json", "--story", "B"), 2).stderr, /no steps yet/);
	});
});

describe("pawl init", () => {
	const s = scratch({ "package.json": { scripts: { test: "node --test" } } });
	it("writes what it found, and never overwrites", async () => {
		const { stdout, stderr } = ok(await s.pawl("init"));
		assert.match(stdout, /agent: \w+ \(.*\)\n {2}lint: nothing found; .*\n {2}test: npm test\n {2}setup: .*\n {2}found in package\.json/);
		assert.equal(stderr, "", "in a pipe it asks nothing");
		const written = readFileSync(join(s.root, "pawl.yml"), "utf8");
		assert.match(written, /test: "npm test"/);
		const [, schema = ""] = /^# yaml-language-server: \$schema=(\S+)$/m.exec(written) ?? [];
		assert.equal(JSON.parse(readFileSync(join(s.root, schema), "utf8")).type, "object", "T-60: the schema that it names is there");
		assert.equal(s.git("status", "--porcelain", ".pawl"), "", "and stays out of git");
		s.write({ "pawl.yml": "base: main\n" });
		assert.match(ok(await s.pawl("init"), 2).stderr, /is there already/);
		assert.equal(readFileSync(join(s.root, "pawl.yml"), "utf8"), "base: main\n");
	});
});

describe("pawl doctor", () => {
	const s = scratch({ "pawl.yml": "agents: {mine: {type: command, command: ./agent.sh}}\n" });
	it("finds worktrees that no run needs, and removes them only when asked", async () => {
		const stray = join(s.root, ".pawl", "worktrees", "agent-3");
		mkdirSync(join(s.root, ".pawl", "worktrees"), { recursive: true });
		s.git("worktree", "add", "-q", "--detach", stray);
		const found = await s.json<{ strays: { path: string; slot: number; bytes: number }[]; git: { version: string } }>("doctor");
		assert.deepEqual(
			found.strays.map((one) => [one.path, one.slot, one.bytes > 0]),
			[[stray, 3, true]],
		);
		assert.match(found.git.version, /^\d+\.\d+/);
		const without = spawnSync(PAWL, ["doctor"], {
			cwd: s.root,
			encoding: "utf8",
			env: { ...process.env, PAWL_WITHOUT: "proc,namespaces" },
		});
		assert.match(without.stdout, /isolation\s+none[\s\S]*this system\n {2}there is no \/proc: .*`ps`/);
		assert.match(ok(await s.pawl("doctor")).stdout, /worktrees that no unfinished run needs\n.*agent-3/);
		assert.ok(existsSync(stray));
		assert.match(ok(await s.pawl("doctor", "--prune")).stdout, /removed\n.*agent-3/);
		assert.equal(existsSync(stray), false);
	});

	it("T-60: fails outside a repository", async (t) => {
		const nowhere = mkdtempSync(join(tmpdir(), "pawl-nowhere-"));
		t.after(() => rmSync(nowhere, { recursive: true, force: true }));
		const ended = spawnSync(PAWL, ["doctor"], {
			cwd: nowhere,
			encoding: "utf8",
			env: { ...process.env, GIT_CEILING_DIRECTORIES: tmpdir() },
		});
		assert.equal(ended.status, 1, ended.stderr);
		assert.match(ended.stderr, /repository/);
	});

	it("tells of a pawl.yml that cannot be read", async () => {
		s.write({ "pawl.yml": "bsae: main\n" });
		assert.match(ok(await s.pawl("doctor"), 1).stderr, /pawl\.yml:1:1: .*bsae.*base/);
	});
});

describe("pawl completion", () => {
	const s = scratch();
	it("gives bash a script that knows every command and its options", async () => {
		const { stdout } = ok(await s.pawl("completion", "bash"));
		const complete = (...words: string[]) =>
			execFileSync(
				"bash",
				[
					"-c",
					`${stdout}\nCOMP_WORDS=(pawl ${words.map((w) => `'${w}'`).join(" ")}); COMP_CWORD=${words.length}; _pawl; echo "\${COMPREPLY[*]}"`,
				],
				{ encoding: "utf8" },
			).trim();
		assert.equal(complete("sta"), "status");
		assert.equal(complete("extend", "--max"), "--max-cost --max-time --max-iterations");
		assert.equal(complete("workflow", "v"), "validate");
	});

	it("T-62 knows the runs, workflows and agents of the folder", async () => {
		const words = async (kind: string): Promise<string[]> =>
			ok(await s.pawl("completion", "words", kind))
				.stdout.trim()
				.split("\n");
		assert.deepEqual(await words("runs"), [""]);
		assert.ok((await words("workflows")).includes("dynamic"));
		s.write({ "pawl.yml": "agents: {mine: {type: command, command: 'true'}}\n", "prd.json": prd({ id: "A" }) });
		assert.deepEqual(
			(await words("agents")).filter((name) => ["mine", "claude", "scripted"].includes(name)),
			["mine", "claude", "scripted"],
		);
		ok(await s.pawl("run", "dynamic", "--prd", "prd.json", "--agent-command", "false"), 1);
		const { run } = await s.json<{ run: string }>("status");
		assert.deepEqual(await words("runs"), ["latest", run]);
		const { stdout } = ok(await s.pawl("completion", "bash"));
		const script = `${stdout}\nCOMP_WORDS=('${PAWL}' status '${run.slice(0, 8)}'); COMP_CWORD=2; _pawl; echo "\${COMPREPLY[*]}"`;
		assert.equal(execFileSync("bash", ["-c", script], { cwd: s.root, encoding: "utf8" }).trim(), run);
	});

	it("has zsh and fish, and refuses others", async () => {
		assert.match(ok(await s.pawl("completion", "zsh")).stdout, /^#compdef pawl\n/);
		assert.match(ok(await s.pawl("completion", "fish")).stdout, /-a status -d /);
		ok(await s.pawl("completion", "tcsh"), 2);
	});
});
