// Tries a packed tarball as a user would, in a project of its own: what is in it, its version, and a whole run (the demo).
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join, relative } from "node:path";
import { tarballProblems } from "./tarball.ts";

/** Throws with what is wrong. */
export function smokeTest(tarball: string, version: string): void {
	const scratch = realpathSync(mkdtempSync(join(tmpdir(), "pawl-smoke-")));
	const [project, tmp] = [join(scratch, "project"), join(scratch, "tmp")];
	// npm tells its children which project they are in, and this is another one.
	const kept = Object.entries(process.env).filter(([name]) => !/^(npm_(package|lifecycle)_|npm_config_local_prefix$|INIT_CWD$)/.test(name));
	const env = {
		...Object.fromEntries(kept),
		PATH: [dirname(process.execPath), process.env["PATH"]].join(delimiter),
		XDG_CACHE_HOME: join(scratch, "cache"),
		TMPDIR: tmp,
	};
	const run = (command: string, ...args: readonly string[]): string =>
		execFileSync(command, args, { cwd: project, env, encoding: "utf8", timeout: 300_000, stdio: ["ignore", "pipe", "pipe"] }).trimEnd();
	try {
		for (const folder of [project, tmp]) mkdirSync(folder);
		writeFileSync(join(project, "package.json"), '{ "private": true }\n');
		run("npm", "install", "--omit=dev", "--no-audit", "--no-fund", "--silent", tarball);
		const folder = join(project, "node_modules", "pawl");
		const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
		const problems = tarballProblems(files.map((entry) => relative(folder, join(entry.parentPath, entry.name))));
		const pawl = join(project, "node_modules", ".bin", "pawl");
		const said = run(pawl, "--version");
		if (said !== version) problems.push(`it says that it is ${said}, and not ${version}`);
		if (problems.length > 0) throw new Error(`the tarball is not what people should get:\n${problems.join("\n")}`);
		run(pawl, "demo");
	} finally {
		rmSync(scratch, { recursive: true, force: true, maxRetries: 3 });
	}
}
