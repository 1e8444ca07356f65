// npm run faults [-- --only ID,ID --seed N --count K --json]: puts known mistakes into the code, one at a time and only in memory, and expects the test that is
// named beside each to fail. A fault that no test notices is a missing test.
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { FAULTS } from "../test/faults/all.ts";
import { type Fault, seeded } from "../test/faults/fault.ts";
import { luckOf } from "../test/simulation/luck.ts";

const TIMEOUT_MS = 180_000;
/** A test that is under way when the time is over may end. */
const PATIENCE_MS = 15_000;
const root = join(import.meta.dirname, "..");
const { values } = parseArgs({
	options: {
		only: { type: "string" },
		seed: { type: "string", default: "1" },
		count: { type: "string" },
		minutes: { type: "string" },
		json: { type: "boolean", default: false },
	},
});
const only = values.only?.split(",");
const unknown = (only ?? []).filter((id) => !FAULTS.some((fault) => fault.id === id));
if (unknown.length > 0) throw new Error(`there is no fault ${unknown.join(", ")}`);
const until = values.minutes === undefined ? Number.POSITIVE_INFINITY : Date.now() + Number(values.minutes) * 60_000;

function chosen(): readonly Fault[] {
	const some = FAULTS.filter(({ id }) => only === undefined || only.includes(id)).filter((fault) => {
		// Within a time (`npm run prove`) chance decides which come: one that a change of the code left behind is said, and fails the whole pass only.
		const isLeft = values.minutes !== undefined && !fits(fault);
		if (isLeft) console.error(`LEFT OUT ${fault.id}: it does not fit the code any more`);
		return !isLeft;
	});
	if (values.count === undefined && values.minutes === undefined) return some;
	const [left, luck] = [[...some], luckOf(Number(values.seed))];
	const size = Math.min(left.length, Number(values.count ?? left.length));
	return Array.from({ length: size }, () => left.splice(luck.between(0, left.length - 1), 1)).flat();
}

function fits(fault: Fault): boolean {
	try {
		seeded(fault, readFileSync(join(root, fault.file), "utf8"));
		return true;
	} catch {
		return false;
	}
}

const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\/]/g, "\\$&");

/** What the tests printed, if the named one did not fail; undefined if the time was over before they ended. */
async function unnoticed(fault: Fault): Promise<string | null | undefined> {
	const folder = mkdtempSync(join(tmpdir(), "pawl-fault-"));
	try {
		const overlay = join(folder, "overlay.json");
		writeFileSync(overlay, JSON.stringify({ [fault.file]: seeded(fault, readFileSync(join(root, fault.file), "utf8")) }));
		const args = [
			"--disable-warning=ExperimentalWarning",
			`--import=${join(root, "test", "faults", "overlay.child.ts")}`,
			"--test-reporter=tap",
			`--test-name-pattern=/${escaped(fault.name)}/`,
			fault.test,
		];
		const env = { ...process.env, PAWL_FAULT: overlay, TMPDIR: folder, UV_THREADPOOL_SIZE: "1" };
		const patience = until + PATIENCE_MS - Date.now();
		const timeout = Math.min(TIMEOUT_MS, patience);
		const child = spawn(process.execPath, args, { cwd: root, env, stdio: ["ignore", "pipe", "pipe"], timeout });
		let said = "";
		for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => (said += chunk.toString("utf8")));
		await new Promise((done, fail) => child.once("error", fail).once("close", done));
		const failed = [...said.matchAll(/^\s*not ok \d+ - (.*)$/gm)].map(([, name = ""]) => name);
		if (failed.length > 0) return null;
		return child.signalCode !== null && timeout === patience ? undefined : said.slice(-2000);
	} finally {
		rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
	}
}

const violations: string[] = [];
let tried = 0;
for (const fault of chosen()) {
	if (Date.now() > until) break;
	const begun = Date.now();
	const said = await unnoticed(fault).catch((error: unknown) => (error instanceof Error ? error.message : String(error)));
	if (said === undefined) break;
	tried++;
	const seconds = ((Date.now() - begun) / 1000).toFixed(1);
	if (said !== null) violations.push(`${fault.id} (${fault.rule}): ${fault.what}: ${fault.test} "${fault.name}" does not notice\n${said}`);
	console.error(`${said === null ? "noticed " : "MISSED  "} ${fault.id.padEnd(34)} ${seconds.padStart(5)} s  ${fault.test}`);
}
if (values.json) console.log(JSON.stringify({ faults: tried, noticed: tried - violations.length, violations }));
else console.log([`${tried} faults, ${tried - violations.length} noticed`, ...violations].join("\n\n"));
process.exitCode = violations.length === 0 ? 0 : 1;
