// PostgreSQL for the tests: one server a run, an empty database for whoever wants one, nothing left behind.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readlinkSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { startPostgres } from "../../scripts/postgres.ts";
import { linkLibraries } from "../../scripts/postgres-programs.ts";
import { asked, freshDatabase, withoutPostgres } from "../support/postgres.ts";

describe("PostgreSQL for tests", { skip: withoutPostgres }, () => {
	it("gives each its own database", async () => {
		const [one, two] = [freshDatabase(), freshDatabase()];
		try {
			await asked(await one.url(), "CREATE TABLE only_here (x int)");
			const found = "SELECT to_regclass('only_here') IS NOT NULL AS found";
			assert.deepEqual(await asked(await one.url(), found), [{ found: true }]);
			assert.deepEqual(await asked(await two.url(), found), [{ found: false }]);
		} finally {
			await one.remove();
			await two.remove();
		}
		await assert.rejects(asked(await one.url(), "SELECT 1"), /does not exist/);
	});

	it("a server ends, and its data is gone, when the process that started it is killed", async () => {
		const base = mkdtempSync(join(tmpdir(), "pawl-servers-"));
		chmodSync(base, 0o711);
		try {
			const code = `import { startPostgres } from ${JSON.stringify(join(import.meta.dirname, "../../scripts/postgres.ts"))};
				await startPostgres(${JSON.stringify(base)});
				console.log("started");
				setInterval(() => {}, 1_000);`;
			const started = spawn(process.execPath, ["--input-type=module", "--eval", code], { stdio: ["ignore", "pipe", "inherit"] });
			await once(started.stdout, "data");
			assert.equal(readdirSync(base).length, 1);
			started.kill("SIGKILL");
			while (readdirSync(base).length > 0) await new Promise((again) => setTimeout(again, 20));
		} finally {
			rmSync(base, { recursive: true, force: true });
		}
	});

	it("a server survives a crash with what was committed, and leaves nothing behind at its end", async () => {
		const base = mkdtempSync(join(tmpdir(), "pawl-servers-"));
		chmodSync(base, 0o711);
		try {
			const server = await startPostgres(base);
			try {
				await asked(server.url, "CREATE TABLE kept AS SELECT 1 AS x");
				await server.crash();
				await assert.rejects(asked(server.url, "SELECT 1"));
				await server.start();
				assert.deepEqual(await asked(server.url, "SELECT x FROM kept"), [{ x: 1 }]);
			} finally {
				await server.stop();
			}
			assert.deepEqual(readdirSync(base), []);
		} finally {
			rmSync(base, { recursive: true, force: true });
		}
	});
});

it("links its libraries where npm ran no scripts", () => {
	const folder = mkdtempSync(join(tmpdir(), "pawl-links-"));
	try {
		const native = join(folder, "native");
		mkdirSync(join(native, "lib"), { recursive: true });
		const links = [{ source: "native/lib/libx.so.6.18", target: "native/lib/libx.so.6" }];
		writeFileSync(join(native, "pg-symlinks.json"), JSON.stringify(links));
		writeFileSync(join(native, "lib", "libx.so.6.18"), "");
		for (let times = 0; times < 2; times++) linkLibraries(native);
		assert.equal(readlinkSync(join(native, "lib", "libx.so.6")), "libx.so.6.18");
		assert.ok(existsSync(join(native, "lib", "libx.so.6")));
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
});
