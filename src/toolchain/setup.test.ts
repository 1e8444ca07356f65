import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { renderInitialConfig } from "../config/initial.ts";
import { parseConfig } from "../config.ts";
import { detectSetup } from "./setup.ts";

test("T-60: setup is guessed from lockfiles, one for each language, and is in the first pawl.yml with the schema line", (t) => {
	const folder = mkdtempSync(join(tmpdir(), "pawl-setup-"));
	t.after(() => rmSync(folder, { recursive: true, force: true }));
	assert.equal(detectSetup(folder), null);
	for (const text of ["{", "null", '{"devDependencies": {}}', '{"dependencies": 3}']) {
		writeFileSync(join(folder, "package.json"), text);
		assert.equal(detectSetup(folder), null, text);
	}
	writeFileSync(join(folder, "package.json"), '{"devDependencies": {"ava": "6"}}');
	assert.deepEqual(detectSetup(folder), { command: "npm install --no-package-lock", from: "package.json" });
	for (const name of ["package-lock.json", "uv.lock"]) writeFileSync(join(folder, name), "");
	const setup = detectSetup(folder);
	assert.deepEqual(setup, { command: "npm ci && uv sync --frozen", from: "package-lock.json, uv.lock" });
	const text = renderInitialConfig(
		{ agent: null, lint: null, test: null, setup: setup?.command ?? null, from: { checks: "", setup: setup?.from ?? "" } },
		".pawl/pawl.schema.json",
	);
	assert.match(text, /^# yaml-language-server: \$schema=\S+\/pawl\.schema\.json$/m);
	const parsed = parseConfig(text);
	assert.ok(parsed.ok);
	assert.equal(parsed.config.setup, "npm ci && uv sync --frozen");
	writeFileSync(join(folder, "pnpm-lock.yaml"), "");
	assert.match(detectSetup(folder)?.command ?? "", /^pnpm install --frozen-lockfile && /);
});
