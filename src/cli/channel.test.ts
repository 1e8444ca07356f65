// What is printed arrives whole and in order, whatever standard output is, and a reader that goes away ends nothing.
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, constants, mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { it } from "node:test";
import { fileURLToPath } from "node:url";

const MODULE = fileURLToPath(new URL("channel.ts", import.meta.url));
const LINES = 20_000;
const PROGRAM = `
import { channel } from ${JSON.stringify(MODULE)};
for (let i = 0; i < ${LINES}; i++) channel("stdout").write("zeile ü " + i + "\\n");
channel("stderr").write(channel("stdout").isTTY + " " + channel("stdout").columns);
`;

/** More than a pipe holds, at once. */
const AT_ONCE = `
import { channel } from ${JSON.stringify(MODULE)};
channel("stdout").write(Array.from({ length: ${LINES} }, (_, i) => "zeile ü " + i + "\\n").join(""));
`;

const expected = Array.from({ length: LINES }, (_, i) => `zeile ü ${i}\n`).join("");

function inShell(script: string, env: Readonly<Record<string, string>> = {}): string {
	const options = { encoding: "utf8", env: { ...process.env, NODE: process.execPath, PROGRAM, ...env }, maxBuffer: 1e8 } as const;
	return execFileSync("sh", ["-c", script], options);
}

const RUN = '"$NODE" --input-type=module-typescript -e "$PROGRAM"';

it("prints to a file, to a pipe and to a socket", (t) => {
	const folder = mkdtempSync(join(tmpdir(), "pawl-channel-"));
	t.after(() => rmSync(folder, { recursive: true, force: true }));
	const said = inShell(`${RUN} 2>&1 >"$OUT/file"; ${RUN} 2>"$OUT/err" | cat >"$OUT/pipe"`, { OUT: folder });
	assert.equal(said, "false 0");
	assert.equal(readFileSync(join(folder, "file"), "utf8"), expected);
	assert.equal(readFileSync(join(folder, "pipe"), "utf8"), expected);
	assert.equal(inShell(`${RUN} 2>/dev/null`), expected);
});

it("a reader that goes away ends nothing", () => {
	assert.equal(inShell(`{ { ${RUN} 2>/dev/null; echo "exit $?" >&3; } | true; } 3>&1`), "exit 0\n");
});

it("a pipe that does not wait for its reader loses nothing", async (t) => {
	const folder = mkdtempSync(join(tmpdir(), "pawl-channel-"));
	t.after(() => rmSync(folder, { recursive: true, force: true }));
	const pipe = join(folder, "pipe");
	execFileSync("mkfifo", [pipe]);
	const reader = new Socket({ fd: openSync(pipe, constants.O_RDONLY | constants.O_NONBLOCK), readable: true, writable: false });
	const writer = openSync(pipe, constants.O_WRONLY | constants.O_NONBLOCK);
	// Through a shell: Node makes the first three wait in every process that it starts.
	const child = spawn("sh", ["-c", `exec ${RUN} >&3 3>&-`], {
		env: { ...process.env, NODE: process.execPath, PROGRAM: AT_ONCE },
		stdio: ["ignore", "ignore", "ignore", writer],
	});
	closeSync(writer);
	const ended = once(child, "exit");
	const parts: Buffer[] = [];
	for await (const part of reader) parts.push(part as Buffer);
	assert.deepEqual(await ended, [0, null]);
	assert.equal(Buffer.concat(parts).toString("utf8"), expected);
});
