// Runs the tests (all, or the files and folders named) in a temporary folder of their own, and fails when they leave anything behind in
// it or a process that came from it: such leaks are how a tool that starts agents goes wrong, and no single test can see them.
// `--times` lists what each file costs; `--pure` leaves out of the folders named what drives whole runs or needs a process of its own. Files named
// `x.long.test.ts` run when they or their folder are named, or with `--long`, which runs nothing else.
import { spawn } from "node:child_process";
import { chmodSync, existsSync, globSync, mkdtempSync, readFileSync, realpathSync, rmSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { leftFolders, leftProcesses, runningPids } from "./leaks.ts";
import { packageIn } from "./package.ts";
import { type PostgresServer, startPostgres } from "./postgres.ts";
import { temporaryBase } from "./temporary-base.ts";
import { grouped, isPure } from "./test-groups.ts";
import { timesOf } from "./test-times.ts";

const root = join(import.meta.dirname, "..");
// How long a process that was told to end may take to be gone.
const graceMs = 1_000;

/** Where the package is, and a cache for everything that is compiled: a process a file, each of which loads much the same. Without a package, whose
 * files have other names each time, it stays for the next time. */
const testedEnv = (folder: string | undefined): NodeJS.ProcessEnv =>
	folder !== undefined
		? { PAWL_TESTED: folder, NODE_COMPILE_CACHE: join(folder, "compiled") }
		: pure
			? { NODE_COMPILE_CACHE: join(root, "node_modules", ".cache", "tests") }
			: {};

/** One server for all files that want one; null if none does, or one is given. */
async function postgresFor(wanting: readonly string[]): Promise<PostgresServer | null> {
	if (process.env["PAWL_TEST_DB"] !== undefined) return null;
	// The table of guarantees is walked over it, by what its files import.
	const wants = (file: string): boolean =>
		file.startsWith("test/guarantees/") || readFileSync(resolve(root, file), "utf8").includes("support/postgres.ts");
	if (!wanting.some(wants)) return null;
	// The file says itself what follows from it.
	return startPostgres(temporaryBase()).catch(() => null);
}

const FLAGS = ["--times", "--pure", "--long"];
const times = process.argv.includes("--times");
const pure = process.argv.includes("--pure");
const long = process.argv.includes("--long");
const named = process.argv.slice(2).filter((argument) => !FLAGS.includes(argument));
const patterns = (named.length > 0 ? named : ["src", "test"]).map((name) =>
	statSync(join(root, name), { throwIfNoEntry: false })?.isDirectory() ? `${name}/**/*.test.ts` : name,
);
const isLong = (file: string): boolean => file.endsWith(".long.test.ts");
const files = globSync(patterns, { cwd: root })
	.filter((file) => (named.length > 0 && !long) || isLong(file) === long)
	.filter((file) => !pure || named.includes(file) || isPure(file, root))
	.sort();
if (files.length === 0) {
	// node --test calls nothing to run a success.
	console.error(`no test files match: ${patterns.join(" ")}`);
	process.exit(2);
}

const temporary = realpathSync(mkdtempSync(join(temporaryBase(), "pawl-test-")));
// Others may pass through it, not look into it: a PostgreSQL that root starts runs as another user.
chmodSync(temporary, 0o711);
const tested =
	!pure && process.env["PAWL_TESTED"] === undefined
		? await packageIn(realpathSync(mkdtempSync(join(temporaryBase(), "pawl-tested-"))))
		: undefined;
const postgres = await postgresFor(files);
const before = runningPids();
const groups = realpathSync(mkdtempSync(join(temporaryBase(), "pawl-groups-")));
const reporter = process.stdout.isTTY ? "spec" : join(root, "scripts", "test-reporter.ts");
const listed = join(groups, "times");
const child = spawn(process.execPath, [join(root, "scripts", "test-files.ts"), reporter, ...grouped(files, root, groups)], {
	cwd: root,
	stdio: "inherit",
	env: {
		...process.env,
		...testedEnv(tested),
		...(postgres === null ? {} : { PAWL_TEST_DB: postgres.url }),
		TMPDIR: temporary,
		...(times ? { PAWL_TEST_TIMES: listed } : {}),
	},
});
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => child.kill(signal));
const code = await new Promise<number>((done, fail) => child.once("error", fail).once("exit", (status) => done(status ?? 1)));
await postgres?.stop();

// A run within a run sees the agents of the tests beside it; the outer one looks for those that stay.
const within = process.env["PAWL_TESTED"] !== undefined;
const leftNow = () => leftProcesses(temporary, before).filter(({ inside }) => inside || !within);
const deadline = Date.now() + graceMs;
let processes = leftNow();
while (processes.length > 0 && Date.now() < deadline) {
	await new Promise((again) => setTimeout(again, 25));
	processes = leftNow();
}
for (const left of processes) {
	console.error(`left behind: process ${left.pid}: ${left.command}`);
	if (!left.inside) continue;
	try {
		process.kill(left.pid, "SIGKILL");
	} catch {
		// It ended by itself meanwhile; it was left behind all the same.
	}
}
const folders = leftFolders(temporary);
for (const left of folders) console.error(`left behind: ${join(temporary, left)}`);
if (times && existsSync(listed)) console.log(timesOf(listed, root));
for (const made of [temporary, groups, tested]) if (made !== undefined) rmSync(made, { recursive: true, force: true, maxRetries: 3 });

process.exitCode = code !== 0 ? code : processes.length + folders.length > 0 ? 1 : 0;
