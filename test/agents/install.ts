// Installs the pinned versions of the real CLIs into a cache folder, and says why if that fails.
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { type Cli, chosenClis, installedIn } from "./clis.ts";

/** The largest is 150 MB to fetch; what takes longer does not come at all. */
const LONGEST_MS = 240_000;

export const cacheFolder = (): string =>
	process.env["PAWL_AGENTS_CACHE"] ?? join(process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache"), "pawl-agents");

/** One after the other: they share npm's cache and the line. Returns what went wrong, by CLI. */
export async function installClis(cache: string, say: (line: string) => void): Promise<readonly string[]> {
	const problems: string[] = [];
	for (const cli of chosenClis()) {
		const problem = await install(cache, cli, say);
		if (problem !== null) problems.push(`${cli.package}@${cli.version}: ${problem}`);
	}
	return problems;
}

async function install(cache: string, cli: Cli, say: (line: string) => void): Promise<string | null> {
	const folder = installedIn(cache, cli);
	const program = (at: string) => join(at, "node_modules", ".bin", cli.name);
	if (existsSync(program(folder))) return null;
	say(`installing ${cli.package}@${cli.version}`);
	// In a folder of its own first: one that was interrupted must not pass for a whole one.
	const part = `${folder}.${process.pid}.part`;
	rmSync(part, { recursive: true, force: true });
	mkdirSync(part, { recursive: true });
	try {
		writeFileSync(join(part, "package.json"), JSON.stringify({ private: true, dependencies: { [cli.package]: cli.version } }));
		// With their install scripts: they link the native programs.
		const npm = [
			"install",
			"--no-audit",
			"--no-fund",
			"--no-package-lock",
			"--loglevel=error",
			"--fetch-retries=1",
			"--fetch-timeout=60000",
		];
		const failed = await ended("npm", npm, part);
		if (failed !== null) return `npm install failed: ${failed}`;
		const broken = await ended(program(part), ["--version"], part);
		if (broken !== null) return `it was installed, but does not start: ${broken}`;
		rmSync(folder, { recursive: true, force: true });
		renameSync(part, folder);
		return null;
	} finally {
		rmSync(part, { recursive: true, force: true });
	}
}

/** null when it ended well, else its last words. */
function ended(command: string, args: readonly string[], cwd: string): Promise<string | null> {
	return new Promise((done) => {
		const child = spawn(command, args, { cwd, stdio: ["ignore", "pipe", "pipe"], timeout: LONGEST_MS, killSignal: "SIGKILL" });
		let said = "";
		const keep = (chunk: Buffer) => {
			said = (said + chunk.toString("utf8")).slice(-4000);
		};
		child.stdout.on("data", keep);
		child.stderr.on("data", keep);
		child.once("error", (error) => done(error.message));
		child.once("close", (code, signal) => {
			if (code === 0) done(null);
			else done(signal === null ? said.trim() || `exit code ${code}` : `not done after ${LONGEST_MS / 1000} s`);
		});
	});
}
