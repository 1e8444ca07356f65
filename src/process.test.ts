// What a call of runProcess leaves behind, gives back and survives. Real processes; survivors are counted in /proc.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { outputs } from "./process/channels.ts";
import { isolation, markedProcesses, type ProcessRequest, runProcess, sweep } from "./process.ts";

const dir = mkdtempSync(join(tmpdir(), "pawl-process-test-"));
after(() => rmSync(dir, { recursive: true, force: true }));
const env = { PATH: process.env["PATH"] ?? "", HOME: dir };
const namespaces = (await isolation()) !== "none";

let counter = 0;
const unique = (name: string): string => `${name}-${process.pid}-${++counter}`;

function bash(
	script: string,
	more: Partial<ProcessRequest> = {},
): Promise<Awaited<ReturnType<typeof runProcess>> & { out: string; err: string }> {
	const out: Buffer[] = [];
	const err: Buffer[] = [];
	const request: ProcessRequest = {
		command: "bash",
		args: ["-c", script],
		cwd: dir,
		env,
		mark: unique("mark"),
		graceMs: 200,
		onStdout: (chunk) => {
			out.push(chunk);
		},
		onStderr: (chunk) => {
			err.push(chunk);
		},
		...more,
	};
	return runProcess(request).then((end) => ({ ...end, out: String(Buffer.concat(out)), err: String(Buffer.concat(err)) }));
}

/** Live processes that sleep for exactly so long: nobody else does. */
function sleepers(seconds: string): number[] {
	return readdirSync("/proc").flatMap((pid) => {
		try {
			const [name, arg] = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
			return name?.endsWith("sleep") && arg === seconds ? [Number(pid)] : [];
		} catch {
			return [];
		}
	});
}

async function until(condition: () => boolean): Promise<void> {
	const start = Date.now();
	while (!condition()) {
		if (Date.now() - start > 15_000) throw new Error("waited in vain");
		await new Promise((done) => setTimeout(done, 10));
	}
}

/** A child of the agent: says that it is there, then sleeps. */
const child = (ready: string, seconds: string): string => `touch ${ready}; exec /bin/sleep ${seconds}`;

/** The ways in which this system can hold a session together, and which children still get away in each. */
const modes: {
	name: string;
	isolate: boolean;
	without: string;
	escapes: (shape: string, how: "ends by itself" | "is aborted") => boolean;
}[] = [
	{ name: "in a pid namespace", isolate: true, without: "", escapes: () => false },
	{ name: "without a namespace", isolate: false, without: "", escapes: (shape) => shape === "daemon + env -i" },
	{ name: "without /proc, by ps", isolate: true, without: "proc,namespaces,fifos", escapes: (shape) => shape === "daemon + env -i" },
	{
		name: "without /proc and environments",
		isolate: true,
		without: "proc,namespaces,fifos,environments,shm",
		// One that has left both the group and the family, unless the family was looked at before it ended.
		escapes: (shape, how) => shape.startsWith("daemon") || (shape === "setsid" && how === "ends by itself"),
	},
];

const shapes: { name: string; start: (script: string) => string }[] = [
	{ name: "plain", start: (script) => `bash -c '${script}' &` },
	{ name: "setsid", start: (script) => `setsid bash -c '${script}' &` },
	{ name: "double fork", start: (script) => `( ( bash -c '${script}' & ) & )` },
	{ name: "daemon", start: (script) => `( setsid bash -c '( ${script} ) </dev/null >/dev/null 2>&1 & exit' & )` },
	{
		name: "daemon + env -i",
		start: (script) => `( setsid env -i /bin/bash -c '( ${script} ) </dev/null >/dev/null 2>&1 & exit' & )`,
	},
	{ name: "ignores TERM", start: (script) => `bash -c 'trap "" TERM; ${script}' &` },
];

for (const { name: mode, isolate, without, escapes } of modes) {
	const skip = isolate && without === "" && !namespaces ? "no namespaces here" : false;
	describe(mode, { skip }, () => {
		before(() => {
			process.env["PAWL_WITHOUT"] = without;
		});
		after(() => {
			delete process.env["PAWL_WITHOUT"];
		});

		for (const shape of shapes) {
			for (const how of ["ends by itself", "is aborted"] as const) {
				const lives = escapes(shape.name, how);
				const name = `${shape.name}: when the agent ${how}, the child ${lives ? "lives on: this cannot find it" : "is dead (D-116)"}`;
				it(name, async () => {
					const seconds = `9${process.pid}.${++counter}`;
					const ready = join(dir, unique("ready"));
					const stop = new AbortController();
					const script = `${shape.start(child(ready, seconds))}\nuntil [ -e ${ready} ]; do sleep 0.01; done; echo ready; ${how === "is aborted" ? "sleep 600" : "exit 3"}`;
					const end = await bash(script, {
						isolate,
						signal: stop.signal,
						onStdout: () => {
							if (how === "is aborted") stop.abort();
						},
					});
					// The child that lives on may still be on its way from its shell to `sleep`.
					if (lives) await until(() => sleepers(seconds).length > 0);
					const left = sleepers(seconds);
					for (const pid of left) process.kill(pid, "SIGKILL");
					assert.equal(left.length, lives ? 1 : 0);
					assert.equal(end.reason, how === "is aborted" ? "aborted" : "exit");
					if (how === "ends by itself") assert.equal(end.code, 3);
				});
			}
		}

		// The rest is the same as by ps.
		if (without.includes("environments")) return;

		it("gives code, stdout and stderr through", async () => {
			const end = await bash("echo out; echo err >&2; exit 42", { isolate });
			assert.deepEqual(end, { reason: "exit", code: 42, signal: null, error: null, out: "out\n", err: "err\n" });
		});

		it("tells a death by signal", async () => {
			const end = await bash("kill -SEGV $$", { isolate });
			assert.deepEqual([end.reason, end.code, end.signal, end.err], ["exit", 139, "SIGSEGV", ""]);
		});

		it("keeps user, folder and environment, odd names included, and adds the mark", async () => {
			const end = await bash("id -u; pwd; env", { isolate, mark: "m-1", env: { ...env, "odd-name": "a b" } });
			const lines = end.out.split("\n");
			assert.deepEqual(lines.slice(0, 2), [String(process.getuid?.()), dir]);
			for (const line of ["odd-name=a b", "PAWL_MARK=m-1", `HOME=${dir}`]) assert.ok(lines.includes(line), line);
		});

		it("gives stdin as it is, 1 MB of it, then end of file; /dev/stdin and /dev/stderr can be opened", async () => {
			const text = "prompt with ünïcode $(x) 'q'\n".repeat(40_000);
			// Linux opens no socket by name.
			const toStderr = without.includes("fifos") ? ">&2" : ">/dev/stderr";
			const end = await bash(`cat /dev/stdin; echo seen ${toStderr}`, { isolate, stdin: text });
			assert.ok(end.out === text);
			assert.equal(end.err, "seen\n");
		});

		it("does not mind an agent that never reads its stdin", async () => {
			assert.equal((await bash("exec 0<&-; echo fine", { isolate, stdin: "x".repeat(1_000_000) })).out, "fine\n");
		});

		it("returns although a grandchild holds stdout", async () => {
			const end = await bash("setsid sleep 600 & echo out; exit 0", { isolate });
			assert.deepEqual([end.reason, end.code, end.out], ["exit", 0, "out\n"]);
		});

		it("lets an agent that closes its outputs early go on", async () => {
			const file = join(dir, unique("late"));
			const end = await bash(`exec >&- 2>&-; sleep 0.2; echo done > ${file}; exit 4`, { isolate });
			assert.equal(end.code, 4);
			assert.equal(readFileSync(file, "utf8"), "done\n");
		});

		it("ends one that runs too long, and one that is silent too long", async () => {
			assert.equal((await bash("while :; do echo x; sleep 0.05; done", { isolate, timeoutMs: 300, stallMs: 10_000 })).reason, "timeout");
			assert.equal((await bash("echo x; sleep 600", { isolate, timeoutMs: 60_000, stallMs: 150 })).reason, "stalled");
		});

		it("gives it the grace to clean up after TERM", async () => {
			const end = await bash("trap 'echo cleaned; exit 9' TERM; echo up; while :; do sleep 0.02; done", {
				isolate,
				timeoutMs: 300,
				graceMs: 10_000,
			});
			assert.deepEqual([end.reason, end.code, end.out], ["timeout", 9, "up\ncleaned\n"]);
		});

		it("survives an agent that does kill -9 0", async () => {
			const end = await bash("sleep 600 & kill -9 0", { isolate });
			assert.deepEqual([end.reason, end.signal], ["exit", "SIGKILL"]);
		});

		it("says why it did not start", async () => {
			const notExecutable = join(dir, unique("file"));
			writeFileSync(notExecutable, "x");
			const missing = await bash("", { isolate, command: "no-such-command-here" });
			assert.equal(missing.reason, "failed_to_start");
			assert.match(missing.error ?? "", /no-such-command-here/);
			assert.match((await bash("", { isolate, command: notExecutable })).error ?? "", /not executable/);
			assert.match((await bash("", { isolate, cwd: join(dir, "nowhere") })).error ?? "", /no such folder.*nowhere/);
			assert.equal((await bash("", { isolate, args: ["x".repeat(200_000)] })).reason, "failed_to_start");
			assert.equal((await bash("echo x", { isolate, signal: AbortSignal.abort() })).reason, "aborted");
		});
	});
}

describe("a namespace", { skip: namespaces ? false : "no namespaces here" }, () => {
	it("hides us: an agent that kills its parent and its parent's group ends only itself", async () => {
		const end = await bash('kill -9 $PPID; kill -9 -- -$(ps -o pgid= -p $PPID | tr -d " "); echo still', { isolate: true });
		assert.equal(end.reason, "exit");
	});

	it("dies with us when we are killed (D-153, X-03)", async () => {
		const seconds = `9${process.pid}.${++counter}`;
		const engine = spawn(
			process.execPath,
			[
				"--input-type=module",
				"-e",
				`import { runProcess } from ${JSON.stringify(new URL("./process.ts", import.meta.url).href)};
				await runProcess({ command: "bash", args: ["-c", "(setsid env -i /bin/sleep ${seconds} &); exec sleep ${seconds}"], cwd: "/", env: process.env, isolate: true });`,
			],
			{ stdio: "ignore" },
		);
		await until(() => sleepers(seconds).length === 2);
		engine.kill("SIGKILL");
		await until(() => sleepers(seconds).length === 0);
	});
});

for (const without of ["", "proc"])
	describe(without === "" ? "sweep" : "sweep without /proc", () => {
		before(() => {
			process.env["PAWL_WITHOUT"] = without;
		});
		after(() => {
			delete process.env["PAWL_WITHOUT"];
		});
		it("ends what a killed engine left behind, and nothing else (D-153)", async () => {
			const seconds = `9${process.pid}.${++counter}`;
			const mark = unique("orphans");
			const start = (value: string): void => {
				spawn("/bin/sleep", [seconds], { detached: true, stdio: "ignore", env: { PAWL_MARK: value } }).unref();
			};
			start(mark);
			start(mark);
			start(`${mark}9`);
			await until(() => sleepers(seconds).length === 3);
			assert.equal(markedProcesses(mark).length, 2);
			assert.deepEqual(await sweep(mark), []);
			assert.deepEqual(markedProcesses(mark), []);
			await until(() => sleepers(seconds).length === 1);
			await sweep(`${mark}9`);
		});

		it("I2 waits until what it ended has given up its files, which it does after its memory and its mark", async () => {
			const mark = unique("large");
			// Its memory takes the kernel some milliseconds.
			const hold = "globalThis.kept = Buffer.alloc(400_000_000, 1); console.log('held'); setInterval(() => {}, 1000)";
			const child = spawn(process.execPath, ["-e", hold], { stdio: ["ignore", "pipe", "ignore"], env: { PAWL_MARK: mark } });
			await once(child.stdout, "data");
			assert.deepEqual(await sweep(mark), []);
			const left = existsSync(`/proc/${child.pid}/task`) ? readdirSync(`/proc/${child.pid}/task`) : [];
			assert.ok(left.length <= 1, "no thread of it is left");
			for (const thread of left)
				assert.match(readFileSync(`/proc/${child.pid}/task/${thread}/stat`, "latin1"), /\) Z /, "only its exit code");
		});
	});

it("where processes are not listed, nobody is told that nothing is left: it is asked again for a while, and then said", async () => {
	const seconds = `9${process.pid}.${++counter}`;
	const mark = unique("unlisted");
	spawn("/bin/sleep", [seconds], { detached: true, stdio: "ignore", env: { PAWL_MARK: mark } }).unref();
	await until(() => sleepers(seconds).length === 1);
	process.env["PAWL_WITHOUT"] = "proc,ps";
	try {
		const [end] = await Promise.all([bash("echo out"), assert.rejects(sweep(mark), /may still be at work/)]);
		assert.deepEqual([end.reason, end.code, end.out], ["exit", 0, "out\n"]);
		assert.match(end.error ?? "", /may still be at work/);
		const swept = sweep(mark);
		setTimeout(() => {
			process.env["PAWL_WITHOUT"] = "proc";
		}, 150);
		assert.deepEqual(await swept, []);
		assert.deepEqual(sleepers(seconds), []);
	} finally {
		delete process.env["PAWL_WITHOUT"];
		await sweep(mark);
	}
});

describe("where the end of a FIFO is not told", () => {
	const { platform } = process;
	const hide = (): void => void Object.defineProperty(process, "platform", { value: "darwin" });
	const show = (): void => void Object.defineProperty(process, "platform", { value: platform });
	after(show);

	it("there are none, also if some were made, and the output comes all the same", async () => {
		await bash("true");
		hide();
		const made = await outputs();
		show();
		made.discard();
		assert.deepEqual(made.stdio, ["pipe", "pipe"]);
	});

	it("the output ends with the process, not by silence", async () => {
		process.env["PAWL_WITHOUT"] = "fifos";
		const took: number[] = [];
		try {
			for (let round = 0; round < 5; round++) {
				const start = performance.now();
				const end = await bash("echo out; echo err >&2; exit 3");
				assert.deepEqual([end.code, end.out, end.err], [3, "out\n", "err\n"]);
				took.push(performance.now() - start);
			}
		} finally {
			delete process.env["PAWL_WITHOUT"];
		}
		assert.ok(Math.min(...took) < 250, "silence is waited for so long");
	});
});

describe("output", () => {
	it("is held back while the consumer is at work, so that a flood does not fill memory", async () => {
		let atWork = 0;
		let most = 0;
		let total = 0;
		const before = process.memoryUsage().arrayBuffers;
		let peak = 0;
		const end = await bash("head -c 50000000 /dev/zero", {
			onStdout: async (chunk) => {
				most = Math.max(most, ++atWork);
				await new Promise((done) => setImmediate(done));
				total += chunk.length;
				peak = Math.max(peak, process.memoryUsage().arrayBuffers - before);
				atWork--;
			},
		});
		assert.deepEqual([end.code, total, most], [0, 50_000_000, 1]);
		assert.ok(peak < 40_000_000, `${peak} bytes`);
	});

	it("does not count our own slowness as silence", async () => {
		const end = await bash("echo x; sleep 0.3; echo y", { stallMs: 600, onStdout: () => new Promise((done) => setTimeout(done, 800)) });
		assert.equal(end.reason, "exit");
	});

	it("goes on when the consumer fails, and says so", async () => {
		const end = await bash("head -c 3000000 /dev/zero; exit 5", { onStdout: () => Promise.reject(new Error("disk full")) });
		assert.deepEqual([end.reason, end.code, end.error], ["exit", 5, "disk full"]);
	});

	it("is whole when the process prints much and ends at once", async () => {
		assert.equal((await bash("seq 1 200000; exit 0")).out.length, 1_288_895);
	});
});

it("a timeout beyond 2^31 ms does not fire at once", async () => {
	assert.equal((await bash("sleep 0.05; exit 0", { timeoutMs: 2 ** 40, stallMs: 2 ** 33 })).reason, "exit");
});

it("a script is found by its relative path from the working folder", async () => {
	const file = join(dir, "agent.sh");
	writeFileSync(file, "#!/bin/sh\necho script\n");
	chmodSync(file, 0o755);
	assert.equal((await bash("", { command: "./agent.sh", args: [] })).out, "script\n");
});
