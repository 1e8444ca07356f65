// The report box of an attempt: who can use it, what pawl reads from it, and what it leaves behind.
import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { enterReportBox, openReportBox, putReport, removeReportBox, type Ticket } from "./report-box.ts";

const dir = mkdtempSync(join(tmpdir(), "pawl-report-box-test-"));
after(() => rmSync(dir, { recursive: true, force: true }));

const ticket = (over: Partial<Ticket> = {}): Ticket => ({
	...{ run: "r", scope: "S-1", step: "step-001", attempt: 1, role: "agent" },
	...{ sharedDir: mkdtempSync(join(dir, "run-")), database: "/pawl.db" },
	...over,
});
const REPORT = { signal: "done", summary: "It went well.", fields: { KEY: "value" } };

describe("the report box of an attempt", () => {
	it("lets in who has its token, while it is open", async () => {
		const mine = ticket();
		const box = await openReportBox(mine);
		assert.deepEqual(await enterReportBox(box.env), mine);
		assert.match(JSON.stringify(await enterReportBox({ ...box.env, PAWL_INBOX_TOKEN: "guess" })), /another attempt/);
		assert.match(JSON.stringify(await enterReportBox({ PAWL_INBOX: box.env["PAWL_INBOX"] })), /another attempt/);
		await box.close();
		assert.match(JSON.stringify(await enterReportBox(box.env)), /has ended/);
		assert.match(JSON.stringify(await enterReportBox({})), /has ended/);
	});

	it("keeps its token to itself", async () => {
		const box = await openReportBox(ticket());
		const folder = box.env["PAWL_INBOX"] ?? "";
		assert.equal(statSync(folder).mode & 0o777, 0o700);
		await putReport(box.env, REPORT);
		for (const name of readdirSync(folder)) assert.ok(!readFileSync(join(folder, name), "utf8").includes(box.token), name);
	});

	it("gives out the last report and is gone", async () => {
		const mine = ticket();
		const box = await openReportBox(mine);
		await putReport(box.env, { ...REPORT, summary: "first" });
		await putReport(box.env, REPORT);
		assert.deepEqual(await box.close(), REPORT);
		assert.deepEqual(readdirSync(join(mine.sharedDir, "inbox")), []);
		assert.equal(await (await openReportBox(mine)).close(), null, "nothing was reported");
	});

	it("takes nothing that its own attempt did not seal, and nothing odd", async () => {
		const elsewhere = join(dir, "elsewhere.json");
		const forge: readonly ((file: string, sealed: string) => void)[] = [
			(file, sealed) => writeFileSync(file, sealed.replace("It went well.", "It went better.")),
			(file) => writeFileSync(file, JSON.stringify({ report: REPORT, seal: "0".repeat(64) })),
			(file) => writeFileSync(file, JSON.stringify({ report: { ...REPORT, fields: null }, seal: "" })),
			(file) => writeFileSync(file, "not JSON"),
			(file) => writeFileSync(file, "x".repeat(1024 * 1024 + 1)),
			(file, sealed) => {
				writeFileSync(elsewhere, sealed);
				symlinkSync(elsewhere, file);
			},
		];
		for (const [index, write] of forge.entries()) {
			const box = await openReportBox(ticket());
			const file = join(box.env["PAWL_INBOX"] ?? "", "report.json");
			await putReport(box.env, REPORT);
			const sealed = readFileSync(file, "utf8");
			rmSync(file);
			write(file, sealed);
			assert.equal(await box.close(), null, `case ${index}`);
		}
	});

	it("does not let another attempt's report in", async () => {
		const shared = ticket();
		const [mine, other] = [await openReportBox(shared), await openReportBox({ ...shared, scope: "S-2" })];
		await putReport({ ...other.env, PAWL_INBOX: mine.env["PAWL_INBOX"] }, REPORT);
		assert.equal(await mine.close(), null);
	});

	it("is removed after a crash", async () => {
		const mine = ticket();
		const box = await openReportBox(mine);
		removeReportBox(mine);
		assert.equal(existsSync(box.env["PAWL_INBOX"] ?? ""), false);
		assert.match(JSON.stringify(await enterReportBox(box.env)), /has ended/);
		assert.equal(await box.close(), null);
	});
});
