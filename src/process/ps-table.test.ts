// What is read from the list that ps prints.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { psTable, tableOf } from "./ps-table.ts";

// As macOS prints it: the programs of the system show no environment.
const LIST = `    1     0     1 Ss   Mon Nov 16 06:00:00 2026 /sbin/launchd
  200     1   200 Ss   Wed Nov 18 07:00:00 2026 node /usr/local/bin/pawl run dynamic HOME=/Users/somebody
  300   200   300 S    Wed Nov 18 07:01:09 2026 /bin/sh -c read -r _ <&3 || exit 125 PAWL_MARK=r1:S-1:step-001:1 claude -p
  301   300   300 S+   Wed Nov 18 07:01:10 2026 claude -p PATH=/usr/bin PAWL_MARK=r1:S-1:step-001:1 LANG=C
  302   301   302 Ss   Wed Nov 18 07:01:11 2026 /bin/sleep 600
  303     1   302 S    Wed Nov 18 07:01:11 2026 /bin/cat
  304     1   304 S    Wed Nov 18 07:01:12 2026 python3 -m http.server PAWL_MARK=r1:S-1:step-001:1
  305     1   305 Ss   Wed Nov 18 07:01:12 2026 /usr/bin/tail -f log
  306   301   300 Z    Wed Nov 18 07:01:13 2026 (git)
  400     1   400 S    Wed Nov 18 07:01:14 2026 claude PAWL_MARK=r1:S-1:step-001:12 XPAWL_MARK=r1:S-1:step-001:1
  401     1   401 SE   Wed Nov  8 07:01:14 2026 (make)
`;

test("a mark belongs to those that show it, to what descends from them, and to the groups that these lead", () => {
	const table = tableOf(LIST);
	assert.deepEqual([...table.marked("r1:S-1:step-001:1")].sort(), [300, 301, 302, 303, 304]);
	assert.deepEqual(table.marked("r1:S-1:step-001:12"), [400]);
	assert.deepEqual(table.marked("r1:S-1:step-001"), []);
});

test("a process is told from a later one with its pid; one that has ended is not there", () => {
	const table = tableOf(LIST);
	assert.deepEqual(
		[table.stat(301)?.parent, table.stat(301)?.group, table.stat(301)?.startTime],
		[300, 300, String(Date.UTC(2026, 10, 18, 7, 1, 10) / 1000)],
	);
	assert.deepEqual([table.stat(306), table.stat(9999)], [null, null]);
	assert.deepEqual([table.stat(401)?.ending, table.stat(400)?.ending], [true, false]);
	assert.deepEqual(table.marks(300), ["r1:S-1:step-001:1"]);
});

const OURS = `${LIST}${process.pid} 200 ${process.pid} S+ Wed Nov 18 07:01:15 2026 node\n`;

test("a list in which the one who asks is missing tells nothing of the others", () => {
	assert.deepEqual([tableOf(LIST).known, tableOf("ps: illegal option -- E\n\n").known, tableOf("").known], [false, false, false]);
	assert.equal(tableOf(OURS).known, true);
});

test("a `ps` that fails is asked again, some times", () => {
	let asked = 0;
	const works = (nth: number) => psTable(true, () => (++asked < nth ? "" : OURS)).known;
	assert.deepEqual([works(3), asked], [true, 3]);
	asked = 0;
	assert.deepEqual([works(9), asked], [false, 3]);
});

test("a `ps` that an agent puts first in PATH is not asked", (t) => {
	const folder = mkdtempSync(join(tmpdir(), "pawl-ps-"));
	const path = process.env["PATH"] ?? "";
	t.after(() => {
		process.env["PATH"] = path;
		rmSync(folder, { recursive: true, force: true });
	});
	writeFileSync(join(folder, "ps"), `#!/bin/sh\necho "${process.pid} 1 ${process.pid} S Wed Nov 18 07:00:00 2026 pawl"\n`, { mode: 0o755 });
	process.env["PATH"] = `${folder}:${path}`;
	assert.equal(psTable(true).stat(process.pid)?.parent, process.ppid);
});
