// What is left of killed processes, where it cannot be told whether they were.
import assert from "node:assert/strict";
import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { openHome } from "./home.ts";

test("where processes are not listed, a home stays: its owner may be at work", (t) => {
	const before = process.env["TMPDIR"];
	const temporary = mkdtempSync(join(tmpdir(), "pawl-home-"));
	t.after(() => {
		delete process.env["PAWL_WITHOUT"];
		if (before === undefined) delete process.env["TMPDIR"];
		else process.env["TMPDIR"] = before;
		rmSync(temporary, { recursive: true, force: true });
	});
	process.env["TMPDIR"] = temporary;
	process.env["PAWL_WITHOUT"] = "proc,ps";
	const others = join(temporary, `pawl-agent-${process.getuid?.() ?? 0}-999999999-1-other`);
	mkdirSync(others);
	openHome({ userHome: null, keep: null, credentials: [] }).close();
	assert.ok(existsSync(others));
});
