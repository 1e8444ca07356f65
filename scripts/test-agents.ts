// Drives the real agent CLIs through whole runs against the stub model server (test/agents). Installs them first, at the pinned versions, into
// a cache folder. With names of CLIs as arguments only those. Fails when anything is left behind, as scripts/test.ts does.
import { spawn, spawnSync } from "node:child_process";
import { globSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CLIS } from "../test/agents/clis.ts";
import { cacheFolder, installClis } from "../test/agents/install.ts";
import { leftFolders, leftProcesses, runningPids } from "./leaks.ts";

const root = join(import.meta.dirname, "..");
/** One file with all of its tests; each takes up to six minutes on two busy cores, much of it waiting. */
const timeoutMs = 900_000;

const named = process.argv.slice(2);
const unknown = named.filter((name) => !CLIS.some((cli) => cli.name === name));
if (unknown.length > 0) {
	console.error(`there is no agent ${unknown.join(", ")}; there are ${CLIS.map(({ name }) => name).join(", ")}`);
	process.exit(2);
}
process.env["PAWL_AGENTS"] = named.join(",");

const cache = cacheFolder();
const problems = await installClis(cache, (line) => console.error(line));
if (problems.length > 0) {
	console.error(`the agents cannot be tested: not all of them could be installed into ${cache}`);
	for (const problem of problems) console.error(`- ${problem}`);
	process.exit(1);
}

const temporary = realpathSync(mkdtempSync(join(tmpdir(), "pawl-test-")));
const before = runningPids();
const files = globSync("test/agents/**/*.case.ts", { cwd: root }).sort();
const reporter = process.stdout.isTTY ? "spec" : join(root, "scripts", "test-reporter.ts");
const node = [process.execPath, "--test", "--test-concurrency=2", `--test-timeout=${timeoutMs}`, `--test-reporter=${reporter}`, ...files];
const [command = "", ...args] = canCutOff() ? [...cutOff(), ...node] : node;
const child = spawn(command, args, { cwd: root, stdio: "inherit", env: { ...process.env, PAWL_AGENTS_CACHE: cache, TMPDIR: temporary } });
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => child.kill(signal));
const code = await new Promise<number>((done, fail) => child.once("error", fail).once("exit", (status) => done(status ?? 1)));

const processes = leftProcesses(temporary, before);
for (const left of processes) {
	console.error(`left behind: process ${left.pid}: ${left.command}`);
	if (left.inside) spawnSync("kill", ["-9", String(left.pid)]);
}
const folders = leftFolders(temporary);
for (const left of folders) console.error(`left behind: ${join(temporary, left)}`);
rmSync(temporary, { recursive: true, force: true, maxRetries: 3 });
process.exitCode = code !== 0 ? code : processes.length + folders.length > 0 ? 1 : 0;

/** Only the loopback is there: a CLI that calls home cannot make a test depend on it. Takes root. */
function cutOff(): string[] {
	return ["unshare", "-n", "--", "sh", "-c", 'ip link set lo up && exec "$@"', "sh"];
}

function canCutOff(): boolean {
	const [first = "", ...rest] = cutOff();
	return process.getuid?.() === 0 && spawnSync(first, [...rest, "true"], { stdio: "ignore" }).status === 0;
}
