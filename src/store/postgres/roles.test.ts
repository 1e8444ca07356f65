// Trust: what the role of a worker cannot do in the database, whatever program it uses.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { asked, freshDatabase, withoutPostgres } from "../../../test/support/postgres.ts";
import type { Event } from "../../core/event.ts";
import { pgBossDispatch } from "../../dispatch/pgboss.ts";
import type { SharedStore } from "../../store.ts";
import { commitOf, steered } from "../store.suite.ts";
import { MIGRATIONS } from "./migrations.ts";
import { makeRoles } from "./roles.ts";
import { openPostgresStore } from "./store.ts";

const made = freshDatabase();
const name = `pawl_test_${process.pid}`;
const [builder, reviewer] = [`${name}_builder`, `${name}_reviewer`];

describe("roles in PostgreSQL", { skip: withoutPostgres, timeout: 60_000 }, () => {
	let owner = "";
	const urls: Record<string, string> = {};
	const stores: Record<string, SharedStore> = {};
	const as = (role: string): SharedStore => stores[role] as SharedStore;
	const denied = (sql: string) => assert.rejects(asked(urls[builder] ?? "", sql), { code: "42501" }, sql);

	before(async () => {
		owner = await made.url();
		await (await openPostgresStore({ url: owner })).close();
		await (await pgBossDispatch({ url: owner })).close();
		assert.equal(await makeRoles(owner), null);
		assert.equal(await makeRoles(owner), null, "again, as after an update");
		await asked(
			owner,
			`CREATE ROLE ${builder} LOGIN PASSWORD 'x' IN ROLE pawl_worker; CREATE ROLE ${reviewer} LOGIN PASSWORD 'x' IN ROLE pawl_person`,
		);
		for (const role of [builder, reviewer]) {
			const url = new URL(owner);
			[url.username, url.password] = [role, "x"];
			urls[role] = url.href;
			stores[role] = await openPostgresStore({ url: url.href });
		}
	});
	after(async () => {
		for (const store of Object.values(stores)) await store.close();
		if (owner === "") return;
		const server = new URL(owner);
		server.pathname = "/postgres";
		await made.remove();
		await asked(server.href, `DROP ROLE ${builder}; DROP ROLE ${reviewer}`);
	});

	const commit = async (role: string, run: string, version: number, ...events: Event[]): Promise<void> => {
		const result = await as(role).commit(commitOf(run, version, { events }));
		assert.ok(result.ok, JSON.stringify(result));
	};
	const event = (given: Record<string, unknown>): Event => ({ at: 1, scope: "US-1", step: "s-1", ...given }) as unknown as Event;
	const waiting = event({ event: "step_waiting", reason: "approve it" });
	const completed = event({ event: "step_completed", attempt: 1, signal: "done", notes: null });
	const decided = event({ event: "decided", id: null, verdict: "approve", reason: "" });

	test("a worker works: it commits what happened, takes lanes and seats, and hands lanes out", async () => {
		await commit(reviewer, "a", 0, steered("begin"));
		await commit(builder, "a", 1, event({ event: "story_blocked", by: "US-0" }), completed);
		const lease = await as(builder).lease("a", "US-1", 60_000);
		await lease?.release();
		const { accounts } = as(builder);
		const seat = await accounts.seat(
			{ account: "t", run: "a", scope: "S", step: "s", attempt: 1, ttlMs: 60_000 },
			new AbortController().signal,
			async () => {},
		);
		assert.ok(seat !== null && "lost" in seat);
		await seat.release();
		await accounts.limit("t", 1_000);
		const dispatch = await pgBossDispatch({ url: urls[builder] ?? "" });
		try {
			const worked = Promise.withResolvers<string>();
			await dispatch.work({ lanes: 1 }, async ({ lane }) => {
				worked.resolve(lane.scope);
				return "over";
			});
			await dispatch.send({ run: "a", scope: "US-1" });
			assert.equal(await worked.promise, "US-1");
		} finally {
			await dispatch.close();
		}
		assert.deepEqual(
			(await asked(owner, "SELECT committed_by AS by FROM pawl.events WHERE run_id = 'a' ORDER BY version")).map(({ by }) => by),
			[reviewer, builder, builder],
		);
	});

	test("G-27 a worker cannot make a person's decision", async () => {
		await commit(reviewer, "b", 0, steered("begin"));
		for (const one of [
			decided,
			steered("do that instead"),
			event({ event: "step_reopened", reason: "", by: { user: "reviewer", how: "cli" } }),
		])
			await assert.rejects(commit(builder, "b", 1, one), /is a person's to decide, and .*builder is a worker/);
		await assert.rejects(
			commit(builder, "new", 0, event({ event: "run_status_changed", status: "running", reason: null })),
			/permission denied/,
		);
		await assert.rejects(as(builder).post("b", { type: "resume", at: 1 }), /permission denied/);
		await assert.rejects(as(builder).accounts.setMax("t", 100), /permission denied/);
		assert.equal((await as(reviewer).events("b")).length, 1);
	});

	test("every event that can be a person's is one that only a person may cause, or one that agents cause as well", () => {
		const text = readFileSync(join(import.meta.dirname, "../../core/event.ts"), "utf8");
		const names = new Set([...text.matchAll(/\bByPerson &[^"]*?event: "(\w+)"/g)].map(([, event = ""]) => event));
		assert.ok(names.has("decided") && names.has("story_retried"), [...names].join());
		const refused = MIGRATIONS.map(({ sql }) => sql).findLast((sql) => sql.includes("FUNCTION pawl.check_author")) ?? "";
		// A person's carries their name, which is refused as well.
		const ofAgents = ["step_reopened", "steps_inserted", "fields_set"];
		assert.deepEqual(
			[...names].filter((event) => !refused.includes(`'${event}'`)).sort(),
			ofAgents.sort(),
			"say in a migration whether a worker may write it",
		);
	});

	test("a worker cannot end a step that waits for a person, before the person has decided", async () => {
		await commit(reviewer, "c", 0, steered("begin"));
		await commit(builder, "c", 1, waiting);
		await commit(builder, "c", 2, event({ event: "step_completed", step: "s-2", attempt: 1, signal: "done", notes: null }));
		const forged = event({ event: "step_reopened", reason: "" });
		await commit(builder, "c", 3, forged);
		await assert.rejects(commit(builder, "c", 4, completed), /s-1 waits for a person, and .*builder is a worker/);
		await commit(reviewer, "c", 4, decided);
		await commit(builder, "c", 5, completed);
	});

	test("a worker cannot change, remove or sign what has happened, nor step around that", async () => {
		await denied("UPDATE pawl.events SET data = '{}'");
		await denied("DELETE FROM pawl.events");
		await denied("TRUNCATE pawl.events");
		await denied("ALTER TABLE pawl.events DISABLE TRIGGER ALL");
		await denied("SET ROLE pawl_person");
		await denied("CREATE FUNCTION pawl.pg_has_role(name, oid, text) RETURNS boolean LANGUAGE sql AS 'SELECT false'");
		await denied("UPDATE pawl.schema_version SET oldest = 99");
		await asked(
			urls[builder] ?? "",
			`INSERT INTO pawl.events (run_id, version, at, event, data, commit_id, committed_by) VALUES ('d', 1, '', 'remarked', '{}', 'x', '${reviewer}')`,
		);
		assert.deepEqual(await asked(owner, "SELECT committed_by AS by FROM pawl.events WHERE run_id = 'd'"), [{ by: builder }]);
	});
});
