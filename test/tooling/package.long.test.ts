// The published form: the tarball that npm packs, installed in an empty folder, works without the checkout.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import {
	cpSync,
	existsSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	realpathSync,
	rmSync,
	symlinkSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join, relative } from "node:path";
import { after, before, describe, it } from "node:test";
import { tarballProblems } from "../../scripts/tarball.ts";
import { page } from "../docs/pages.ts";

const root = join(import.meta.dirname, "..", "..");
const scratch = realpathSync(mkdtempSync(join(tmpdir(), "pawl-package-")));
const home = join(scratch, "home");
after(() => rmSync(scratch, { recursive: true, force: true }));

// Under `npm test` npm tells its children which project they are in, and this is about other ones. The Node that runs this test comes
// first in PATH, since an installed pawl has to take the caller's.
const outside = Object.entries(process.env).filter(
	([name]) => !/^(npm_(package|lifecycle)_|npm_config_local_prefix$|INIT_CWD$)/.test(name),
);
const env = {
	...Object.fromEntries(outside),
	PATH: [dirname(process.execPath), process.env.PATH].join(delimiter),
	XDG_CACHE_HOME: join(scratch, "cache"),
};
const run = (cwd: string, command: string, ...args: readonly string[]): string => {
	const result = spawnSync(command, args, { cwd, env, encoding: "utf8", timeout: 150_000 });
	assert.equal(result.status, 0, `${command} ${args.join(" ")}\n${result.stdout}\n${result.stderr}\n${result.error ?? ""}`);
	return result.stdout.trimEnd();
};

/** Packs a copy of the checkout, so that the build touches no dist/ that somebody is using. */
const pack = (): string => {
	const copy = join(scratch, "copy");
	const { files } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { readonly files: readonly string[] };
	const packed = files.map((name) => name.split("/")[0] ?? name).filter((name) => name !== "dist");
	const sources = ["package.json", "tsconfig.json", "vite.config.ts", "scripts", "src", ...packed];
	for (const name of new Set(sources)) if (existsSync(join(root, name))) cpSync(join(root, name), join(copy, name), { recursive: true });
	symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
	mkdirSync(join(copy, "dist"));
	writeFileSync(join(copy, "dist", "stale.js"), "");
	run(copy, "npm", "pack", "--silent", "--pack-destination", scratch);
	const tarball = readdirSync(scratch).find((name) => name.endsWith(".tgz"));
	assert.ok(tarball, "npm pack made no tarball");
	return join(scratch, tarball);
};

/** A repository with one commit. */
const repositoryWith = (name: string, files: Readonly<Record<string, string>>): string => {
	const folder = join(scratch, name);
	mkdirSync(folder);
	run(folder, "git", "init", "--quiet", "--initial-branch=main");
	run(folder, "git", "config", "user.name", "Somebody");
	run(folder, "git", "config", "user.email", "somebody@example.invalid");
	for (const [path, text] of Object.entries(files)) {
		mkdirSync(dirname(join(folder, path)), { recursive: true });
		writeFileSync(join(folder, path), text);
	}
	run(folder, "git", "add", "--all");
	run(folder, "git", "commit", "--quiet", "--allow-empty", "--message=start");
	return folder;
};

const ASKED = `name: asked
title: A person is asked first
resume: yes
inputs: {request: {reader: request, workspace: tree}}
roles: {agent: {description: Works, can: [run, commit], report: {notes: summary}}}
steps: [ask, stories]
types:
  ask: {description: "May it start?", approval: person, on: {approved: next, rejected: fail run}}
  stories: {description: The stories, each: {concurrency: $agents, order: dependencies, on_failure: block, expects_change: true, steps: [work]}}
  work: {description: Work, role: agent, timeout: 1m, writes: any}
on:
  done: next
  agent_error|timeout|stalled|permission|context_too_long|boundary_violation|unreadable|workspace_error|auth: {fail: story}
  lost: {insert: [same], max: 3/step, exhausted: {fail: story}}
  rate_limited|overloaded: {wait: time}
`;
const SCRIPT = `steps:
  - on: {type: work}
    do: [{write: {path: work.txt, content: "done\\n"}}, {commit: Work}, {usage: {cost_usd: 0.5}}]
`;

describe("the packed tarball in an empty folder", () => {
	const pawl = join(home, "node_modules", ".bin", "pawl");
	const folder = join(home, "node_modules", "pawl");

	before(() => {
		const tarball = pack();
		mkdirSync(home);
		writeFileSync(join(home, "package.json"), '{ "private": true, "type": "module" }\n');
		run(home, "npm", "install", "--omit=dev", "--no-audit", "--no-fund", "--prefer-offline", "--ignore-scripts", tarball);
	});

	it("holds what it needs and nothing else: no sources, tests, pictures or stale output", () => {
		const inside = readdirSync(folder, { recursive: true, withFileTypes: true })
			.filter((entry) => entry.isFile())
			.map((entry) => relative(folder, join(entry.parentPath, entry.name)));
		assert.deepEqual(tarballProblems(inside), []);
		assert.deepEqual(
			tarballProblems([...inside.filter((path) => path !== "bin/pawl"), "dist/stale.txt", "src/main.ts", "docs/ui/run.png"]),
			[
				"bin/pawl is missing",
				"dist/stale.txt does not belong into the package",
				"src/main.ts does not belong into the package",
				"docs/ui/run.png does not belong into the package",
			],
		);
		assert.ok(!inside.includes("dist/stale.js"));
	});

	it("T-61 holds everything that its README leads to, and says which Node it needs", () => {
		const readme = readFileSync(join(folder, "README.md"), "utf8");
		const links = [...readme.matchAll(/\]\((?!https?:|#)([^)#\s]+)/g)].map(([, path = ""]) => path);
		assert.ok(links.length > 20);
		assert.deepEqual(
			links.filter((path) => !existsSync(join(folder, path))),
			[],
		);
		const { engines } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as { readonly engines: { readonly node: string } };
		assert.equal(engines.node, ">=24");
		assert.match(readme, /Node 24 or newer/);
	});

	it("prints its version", () => {
		const { version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as { readonly version: string };
		assert.equal(run(scratch, pawl, "--version"), version);
	});

	it("is a library: the program of docs/library.md fits its types, starts a run, answers it and sees it end", () => {
		const repository = repositoryWith("library", {
			"pawl.yml": `agent: mine\nagents: {mine: {type: scripted, script: script.yml}}\n`,
			"script.yml": SCRIPT,
			".pawl/workflows/asked/workflow.yml": ASKED,
			".pawl/workflows/asked/prompts/work.md": "Work: {{story_description}}\n",
		});
		const [program] = page("docs/library.md").blocks.filter(({ language }) => language === "ts");
		assert.ok(program);
		writeFileSync(join(home, "answers.ts"), program.text);
		writeFileSync(
			join(home, "required.cts"),
			'import pawl = require("pawl");\nexport const list = (): Promise<readonly pawl.ListedRun[]> => pawl.runs.list();\n',
		);
		const types = ["--types", "node", "--typeRoots", join(root, "node_modules", "@types")];
		const strict = ["--noEmit", "--strict", "--exactOptionalPropertyTypes", "--module", "nodenext", "--target", "es2024"];
		run(home, process.execPath, join(root, "node_modules", "typescript", "bin", "tsc"), ...strict, ...types, "answers.ts", "required.cts");
		const result = spawnSync(process.execPath, [join(home, "answers.ts"), "asked", "Write the file"], {
			cwd: repository,
			env,
			input: "y\n",
			encoding: "utf8",
			timeout: 150_000,
		});
		assert.equal(result.status, 0, result.stderr);
		assert.match(result.stdout, /^run \S+\n.*May it start\? \(y, or why not\)/s);
		assert.match(result.stdout, /\ncompleted, \$0\.5\n[0-9a-f]{7} Work\n$/);
		assert.equal(run(repository, "git", "show", "HEAD:work.txt"), "done");
		assert.equal(
			run(
				home,
				process.execPath,
				"-p",
				"Object.keys(process.getBuiltinModule('module').createRequire(process.cwd() + '/')('pawl')).join()",
			),
			"Refusal,runs",
		);
	});

	it("does a one-shot: the agent's commit is there afterwards; G-27 the library decides nothing for that agent", () => {
		const repository = repositoryWith("repository", {});
		const agent = join(home, "agent.mjs");
		writeFileSync(
			agent,
			`import { execFileSync } from "node:child_process";
			import { readFileSync, writeFileSync } from "node:fs";
			const prompt = readFileSync(0, "utf8");
			if (prompt === "") process.exit(9);
			if (process.env.PAWL_STEP_TYPE === "coding") {
				const { runs } = await import("pawl");
				const [{ run }] = await runs.list();
				const { code } = await runs.cancel(run).catch((error) => error);
				writeFileSync("added.txt", \`cancel: \${code}\\n\`);
				execFileSync("git", ["add", "added.txt"]);
				execFileSync("git", ["commit", "--quiet", "--message=add a file"]);
			}
			console.log("done");\n`,
		);
		run(repository, pawl, "--agent-command", `node ${agent}`, "Add a file");
		assert.equal(run(repository, "git", "show", "HEAD:added.txt"), "cancel: refused");
		assert.equal(run(repository, "git", "status", "--porcelain"), "");
	});
});
