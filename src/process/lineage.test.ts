import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { findExecutable, runProcess } from "../process.ts";
import { isolation } from "./isolation.ts";
import { marksAbove, type ProcessView, UNKNOWN_MARK } from "./lineage.ts";

interface Fake {
	readonly parent: number;
	readonly group?: number;
	readonly session?: number;
	readonly mark?: string;
	readonly arguments?: readonly string[];
}

const view = (processes: Readonly<Record<number, Fake>>): ProcessView => ({
	known: true,
	stat: (pid) => {
		const one = processes[pid];
		const { parent, group = pid, session = pid } = one ?? { parent: 0 };
		return one === undefined ? null : { parent, group, session, startTime: "1", ending: false };
	},
	marks: (pid) => [processes[pid]?.mark ?? []].flat(),
	arguments: (pid) => processes[pid]?.arguments ?? [],
});

test("G-27: a mark is found in any ancestor, and in the leaders of their groups and sessions; a person has none", () => {
	assert.deepEqual(marksAbove(9, view({ 9: { parent: 5 }, 5: { parent: 2 }, 2: { parent: 1 }, 1: { parent: 0 } })), []);
	assert.deepEqual(marksAbove(9, view({ 9: { parent: 5 }, 5: { parent: 2, mark: "a" }, 2: { parent: 1, mark: "b" }, 1: { parent: 0 } })), [
		...["a", "b"],
	]);
	assert.deepEqual(marksAbove(9, view({ 9: { parent: 1, group: 4 }, 4: { parent: 1, mark: "group" } })), ["group"]);
	assert.deepEqual(marksAbove(9, view({ 9: { parent: 1, session: 4 }, 4: { parent: 1, mark: "session" } })), ["session"]);
});

test("G-27: what we read may change: a cycle ends", () => {
	assert.deepEqual(marksAbove(9, view({ 9: { parent: 8 }, 8: { parent: 9 } })), []);
});

test("G-27: where the system does not list processes, nobody passes for a person, whatever mark they bring", (t) => {
	const nothing = { ...view({}), known: false };
	assert.deepEqual(marksAbove(9, nothing), [UNKNOWN_MARK]);
	process.env["PAWL_MARK"] = "brought";
	t.after(() => delete process.env["PAWL_MARK"]);
	assert.deepEqual(marksAbove(process.pid, nothing), ["brought", UNKNOWN_MARK]);
});

const folder = mkdtempSync(join(tmpdir(), "pawl-lineage-"));
after(() => rmSync(folder, { recursive: true, force: true }));
const moduleOf = (name: string): string => JSON.stringify(fileURLToPath(new URL(`./${name}.ts`, import.meta.url)));
/** It looks through `ps` if it is told whether that shows environments. */
const ask = join(folder, "ask.mjs");
writeFileSync(
	ask,
	`import { marksAbove } from ${moduleOf("lineage")};
import { psTable } from ${moduleOf("ps-table")};
const [how] = process.argv.slice(2);
console.log(JSON.stringify(how === undefined ? marksAbove() : marksAbove(process.pid, psTable(how === "environments"))));
`,
);
const MARK = `lineage-${process.pid}`;

/** The marks that a process finds which a session starts by this shell command; ASK stands for the command that asks. */
async function found(isolate: boolean, command: string): Promise<unknown> {
	let said = "";
	const end = await runProcess({
		command: "/bin/sh",
		args: ["-c", command.replaceAll("ASK", `${process.execPath} ${ask}`)],
		cwd: folder,
		env: { PATH: process.env["PATH"] ?? "" },
		mark: MARK,
		isolate,
		timeoutMs: 60_000,
		onStdout: (chunk) => {
			said += chunk.toString();
		},
	});
	assert.equal(end.code, 0, `${end.error ?? ""}${said}`);
	return JSON.parse(said);
}

test("G-27: a session cannot hide that it is one by clearing its environment, and adds to its marks by inventing one", async () => {
	assert.deepEqual(await found(false, "env -i ASK; true"), [MARK]);
	assert.deepEqual(await found(false, "env PAWL_MARK=other ASK; true"), ["other", MARK]);
});

test("G-27: without /proc the ancestors tell, by their environment or by the arguments of the shell in front of them", async () => {
	process.env["PAWL_WITHOUT"] = "proc,namespaces";
	try {
		assert.deepEqual(await found(true, "env -i ASK environments; true"), [MARK]);
		assert.deepEqual(await found(true, "env -i ASK none; true"), [MARK]);
	} finally {
		delete process.env["PAWL_WITHOUT"];
	}
});

test("G-27: in a namespace neither setsid nor a double fork hides it", async (t) => {
	if ((await isolation()) === "none" || findExecutable("setsid", "/", process.env["PATH"] ?? "") === null)
		return t.skip("no namespace, or no setsid");
	// `cat` ends when the one that writes to the pipe has.
	assert.deepEqual(await found(true, "mkfifo pipe; (env -i setsid sh -c 'ASK > pipe; true' &); cat pipe"), [MARK]);
	// Nor does what tests hide features with.
	const hidden = "env -i PAWL_WITHOUT=proc,environments";
	assert.deepEqual(await found(true, `mkfifo other; (${hidden} setsid sh -c 'ASK > other; true' &); cat other`), [MARK]);
});
