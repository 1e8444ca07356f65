// bin/pawl from outside: any path, any symlink, any caller's Node.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { after, describe, it } from "node:test";

const root = join(import.meta.dirname, "..", "..");
const scratch = realpathSync(mkdtempSync(join(tmpdir(), "pawl-launcher-")));
after(() => rmSync(scratch, { recursive: true, force: true }));

const run = (command: string, args: readonly string[] = [], path = process.env.PATH, cwd = scratch) =>
	spawnSync(command, args, {
		cwd,
		encoding: "utf8",
		timeout: 60_000,
		env: { ...process.env, PATH: path, XDG_CACHE_HOME: join(scratch, "cache") },
	});

/** A folder to be the PATH, with a few real commands and, as `node`, this shell script. */
const pathWith = (name: string, node: string | null): string => {
	const folder = join(scratch, name);
	mkdirSync(folder);
	for (const tool of ["sh", "readlink"]) symlinkSync(run("sh", ["-c", `command -v ${tool}`]).stdout.trim(), join(folder, tool));
	if (node !== null) {
		writeFileSync(join(folder, "node"), `#!/bin/sh\n${node}\n`);
		chmodSync(join(folder, "node"), 0o755);
	}
	return folder;
};
const realNode = pathWith("real", `exec '${process.execPath}' "$@"`);
writeFileSync(
	join(scratch, "old.mjs"),
	'Object.defineProperty(process, "versions", { value: { ...process.versions, node: "20.20.2" } });\n',
);
const oldNode = pathWith("old", `exec '${process.execPath}' --import '${join(scratch, "old.mjs")}' "$@"`);
writeFileSync(join(scratch, "windows.mjs"), 'Object.defineProperty(process, "platform", { value: "win32" });\n');
const onWindows = pathWith("windows", `exec '${process.execPath}' --import '${join(scratch, "windows.mjs")}' "$@"`);
const noNode = pathWith("none", null);

/** The package as it is installed: no src/, no node_modules of its own, a main.cjs that tells what it got. */
const installed = join(scratch, "some place", "node_modules", "pawl");
mkdirSync(join(installed, "dist"), { recursive: true });
cpSync(join(root, "bin"), join(installed, "bin"), { recursive: true });
writeFileSync(join(installed, "package.json"), '{ "type": "module" }');
writeFileSync(
	join(installed, "dist", "main.cjs"),
	`process.emitWarning("new", "ExperimentalWarning");
	console.log(JSON.stringify({ args: process.argv.slice(2), pid: process.pid, cwd: process.cwd() }));
	process.exitCode = 7;`,
);

describe("bin/pawl in a checkout", () => {
	const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { readonly version: string };
	const pawl = join(root, "bin", "pawl");
	const printsVersion = (result: ReturnType<typeof run>): void => {
		assert.equal(result.status, 0, result.stderr);
		assert.equal(result.stdout, `${version}\n`);
		assert.equal(result.stderr, "");
	};

	it("runs from any directory by its absolute path", () => printsVersion(run(pawl, ["--version"])));
	it("runs by a relative path", () => printsVersion(run(relative(scratch, pawl), ["--version"])));
	it("runs as an argument of sh, in its own folder", () =>
		printsVersion(run("sh", ["pawl", "--version"], process.env.PATH, join(root, "bin"))));
	it("runs by a chain of symlinks, absolute and relative", () => {
		mkdirSync(join(scratch, "a b", "deep"), { recursive: true });
		symlinkSync(pawl, join(scratch, "a b", "absolute"));
		symlinkSync("../absolute", join(scratch, "a b", "deep", "relative"));
		symlinkSync(join("a b", "deep", "relative"), join(scratch, "pawl"));
		printsVersion(run(join(scratch, "pawl"), ["--version"]));
		printsVersion(run("pawl", ["--version"], `${scratch}:${realNode}`));
	});
	it("A-13 starts the pinned Node when the caller's is too old or missing", (t) => {
		if (run(join(root, "node_modules", ".bin", "node"), ["--version"]).status !== 0) return t.skip("no pinned Node for this platform");
		printsVersion(run(pawl, ["--version"], oldNode));
		printsVersion(run(pawl, ["--version"], noNode));
	});
	it("asks for npm ci where that was not run", () => {
		const checkout = join(scratch, "clone");
		mkdirSync(join(checkout, "src"), { recursive: true });
		cpSync(join(root, "bin"), join(checkout, "bin"), { recursive: true });
		writeFileSync(join(checkout, "src", "main.ts"), "");
		for (const path of [oldNode, realNode]) {
			const result = run(join(checkout, "bin", "pawl"), ["--version"], path);
			assert.equal(result.status, 2);
			assert.match(result.stderr, /^pawl: .*npm ci.*clone/);
		}
	});
});

describe("bin/pawl as an installed package", () => {
	const bin = join(scratch, "some place", "node_modules", ".bin", "pawl");
	mkdirSync(join(bin, ".."));
	symlinkSync("../pawl/bin/pawl", bin);

	it("runs dist under the caller's Node: arguments, working directory and exit code as they are, no warnings", () => {
		const args = ["run", "dynamic", "a \"b\" $HOME 'c'\nd", "", "--", "*"];
		const result = run(bin, args, realNode);
		assert.equal(result.status, 7, result.stderr);
		assert.deepEqual({ ...JSON.parse(result.stdout), pid: 0 }, { args, cwd: scratch, pid: 0 });
		assert.equal(result.stderr, "");
	});
	it("becomes Node, so that a signal to its pid reaches the program", () => {
		const result = run(bin, [], realNode);
		assert.equal(JSON.parse(result.stdout).pid, result.pid);
	});
	it("A-13 refuses a Node without what pawl needs (its SQLite), with what to do, exit 2", () => {
		const result = run(bin, ["--version"], oldNode);
		assert.deepEqual([result.status, result.stdout], [2, ""]);
		assert.match(result.stderr, /^pawl: this is Node 20\.20\.2 \(.+\), and pawl needs 24 or newer\. Install Node 24.+\n$/);
	});
	it("refuses to start on Windows itself, and names WSL, exit 2", () => {
		const result = run(bin, ["run", "dynamic", "x"], onWindows);
		assert.deepEqual([result.status, result.stdout], [2, ""]);
		assert.match(result.stderr, /^pawl: it does not run on Windows itself\. Run it in WSL .+\n$/);
	});
	it("says that there is no node at all, exit 2", () => {
		const result = run(bin, ["--version"], noNode);
		assert.deepEqual([result.status, result.stdout], [2, ""]);
		assert.match(result.stderr, /^pawl: there is no `node` in PATH\. Install Node 24.+\n$/);
	});
});
