// An agent of the tests of pull.ts in a process of its own: node pull.child.ts FILE FOLDER. Says "ready", waits for a line, then claims
// and completes whatever it gets, says the handle of each, and ends when no run is left.
import { randomBytes } from "node:crypto";
import { writeSync } from "node:fs";
import { openSqliteStore } from "../store/sqlite.ts";
import { pullParts } from "./pull.suite.ts";
import { Pull } from "./pull.ts";

const [file = "", folder = ""] = process.argv.slice(2);
const store = openSqliteStore(file);
writeSync(1, "ready\n");
await new Promise((go) => process.stdin.once("data", go));
process.stdin.pause();
for (;;) {
	const open = store.runs().filter((run) => run.status === "running");
	if (open.length === 0) break;
	for (const { id } of open) {
		const lock = store.lock(id);
		if (lock === null) continue;
		const pull = Pull.load(pullParts(store, id, folder));
		await pull?.settle();
		const got = await pull?.claim("worker", randomBytes(8).toString("hex"), 60_000);
		lock.release();
		if (!got) continue;
		writeSync(1, `${got.stepId}\n`);
		const claim = store.claim(got.claim);
		for (let done = false; claim !== null && !done; ) {
			const again = store.lock(id);
			if (again === null) continue;
			await Pull.load(pullParts(store, id, folder))?.complete(claim, "STATUS: done");
			again.release();
			done = true;
		}
	}
}
store.close();
