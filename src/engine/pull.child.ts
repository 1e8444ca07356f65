// An agent in its own process, for the tests of pull.ts: node pull.child.ts FILE FOLDER. Prints "ready", waits for a line, then claims
// and completes whatever it gets, prints the handle of each claim, and ends when no run is left.
import { randomBytes } from "node:crypto";
import { writeSync } from "node:fs";
import { openSqliteStore } from "../store/sqlite.ts";
import { openPull } from "./pull.suite.ts";

const [file = "", folder = ""] = process.argv.slice(2);
const store = openSqliteStore(file);
writeSync(1, "ready\n");
await new Promise((go) => process.stdin.once("data", go));
process.stdin.pause();
for (;;) {
	const open = (await store.runs()).filter((run) => run.status === "running");
	if (open.length === 0) break;
	for (const { id } of open) {
		const lease = await store.lease(id, "@run", 60_000);
		if (lease === null) continue;
		const pull = await openPull(store, id, folder);
		await pull.settle();
		const got = await pull.claim("worker", randomBytes(8).toString("hex"), 60_000);
		await pull.close();
		await lease.release();
		if (!got) continue;
		writeSync(1, `${got.stepId}\n`);
		const claim = await store.claim(got.claim);
		for (let done = false; claim !== null && !done; ) {
			const again = await store.lease(id, "@run", 60_000);
			if (again === null) continue;
			const other = await openPull(store, id, folder);
			await other.complete(claim, "STATUS: done");
			await other.close();
			await again.release();
			done = true;
		}
	}
}
await store.close();
