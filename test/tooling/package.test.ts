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
import { delimiter, dirname, join } from "node:path";
import { after, before, describe, it } from "node:test";

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
	const sources = ["package.json", "tsconfig.json", "vite.config.ts", "scripts", "src", ...files.filter((name) => name !== "dist")];
	for (const name of sources) if (existsSync(join(root, name))) cpSync(join(root, name), join(copy, name), { recursive: true });
	symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
	mkdirSync(join(copy, "dist"));
	writeFileSync(join(copy, "dist", "stale.js"), "");
	run(copy, "npm", "pack", "--silent", "--pack-destination", scratch);
	const tarball = readdirSync(scratch).find((name) => name.endsWith(".tgz"));
	assert.ok(tarball, "npm pack made no tarball");
	return join(scratch, tarball);
};

describe("the packed tarball in an empty folder", () => {
	const pawl = join(home, "node_modules", ".bin", "pawl");
	const folder = join(home, "node_modules", "pawl");

	before(() => {
		const tarball = pack();
		mkdirSync(home);
		writeFileSync(join(home, "package.json"), '{ "private": true }\n');
		run(home, "npm", "install", "--omit=dev", "--no-audit", "--no-fund", "--prefer-offline", tarball);
	});

	it("holds the built program and no sources, tests or stale output", () => {
		const inside = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((path) => !path.startsWith("node_modules"));
		assert.ok(inside.includes(join("dist", "main.cjs")));
		assert.ok(inside.includes("workflows"), "the built-in workflows are missing");
		assert.deepEqual(
			inside.filter((path) => /(\.ts|\.(test|suite|child)\.c?js|stale\.js)$/.test(path)),
			[],
		);
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

	it("does a one-shot: the agent's commit is there afterwards", () => {
		const repository = join(scratch, "repository");
		mkdirSync(repository);
		run(repository, "git", "init", "--quiet", "--initial-branch=main");
		run(repository, "git", "config", "user.name", "Somebody");
		run(repository, "git", "config", "user.email", "somebody@example.invalid");
		run(repository, "git", "commit", "--quiet", "--allow-empty", "--message=start");
		const agent = join(scratch, "agent.mjs");
		writeFileSync(
			agent,
			`import { execFileSync } from "node:child_process";
			import { readFileSync, writeFileSync } from "node:fs";
			const prompt = readFileSync(0, "utf8");
			if (prompt === "") process.exit(9);
			if (process.env.PAWL_STEP_TYPE === "coding") {
				writeFileSync("added.txt", "added\\n");
				execFileSync("git", ["add", "added.txt"]);
				execFileSync("git", ["commit", "--quiet", "--message=add a file"]);
			}
			console.log("done");\n`,
		);
		run(repository, pawl, "--agent-command", `node ${agent}`, "Add a file");
		assert.equal(run(repository, "git", "show", "HEAD:added.txt"), "added");
		assert.equal(run(repository, "git", "status", "--porcelain"), "");
	});
});
