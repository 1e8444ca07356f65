import assert from "node:assert/strict";
import { test } from "node:test";
import { type FileLock, livingLocks, ownerName, readLocks, releaseLocks, renderLocks, takeLock } from "./locks.ts";

const agent = (attempt: number) => ownerName({ role: "task-executor", run: "r-1", scope: "1.2", step: "step-003", attempt });
const lock = (path: string, by: string): FileLock => ({ path, agent: by, task: "1.2", acquired: "2026-01-15T12:00:00.000Z" });

test("S-50: one path has one owner, who may ask again; a list of {path, agent, task, acquired}", () => {
	const first = takeLock([], lock("a.ts", agent(1)));
	assert.ok("locks" in first);
	assert.deepEqual(Object.keys(first.locks[0] ?? {}), ["path", "agent", "task", "acquired"]);
	assert.deepEqual(takeLock(first.locks, lock("a.ts", agent(2))), { holder: lock("a.ts", agent(1)) });
	assert.deepEqual(takeLock(first.locks, lock("a.ts", agent(1))), first);
	assert.deepEqual(readLocks(renderLocks(first.locks)), first.locks);
	assert.deepEqual(releaseLocks(first.locks, agent(2), null), first.locks);
	assert.deepEqual(releaseLocks(first.locks, agent(1), "b.ts"), first.locks);
	assert.deepEqual(releaseLocks(first.locks, agent(1), null), []);
});

test("S-50: the locks of owners that are gone are cleared, a person's are not, and rubbish is none", () => {
	const all = [lock("a.ts", agent(1)), lock("b.ts", agent(2)), lock("c.ts", "person")];
	assert.deepEqual(
		livingLocks(all, (o) => o.attempt === 2).map((l) => l.path),
		["b.ts", "c.ts"],
	);
	assert.deepEqual([...readLocks("{}"), ...readLocks("no"), ...readLocks('[1,{"path":1}]')], []);
});
