// What `pawl doctor --db` says about a database, with a real one that lacks something.
import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { after, describe, test } from "node:test";
import { asked, freshDatabase, withoutPostgres } from "../../../test/support/postgres.ts";
import { pgBossDispatch } from "../../dispatch/pgboss.ts";
import { addressIn } from "./address.ts";
import { examineDatabase } from "./doctor.ts";
import { makeRoles } from "./roles.ts";
import { openPostgresStore } from "./store.ts";

const said = async (url: string): Promise<string> =>
	(await examineDatabase(url)).map(({ about, level, text }) => `${level} ${about}: ${text}`).join("\n");

describe("the address of a database", () => {
	const address = (text: string, env = {}) => addressIn(text, env);
	test("is refused where the way is neither encrypted nor known to be safe", () => {
		for (const text of ["postgres://u:p@db.example.com/pawl", "postgres://u@10.0.0.7:6432/pawl", "postgresql://127.0.0.1.example.com/x"]) {
			const found = address(text);
			assert.ok("problem" in found && /is not encrypted: add \?sslmode=verify-full/.test(found.problem), JSON.stringify(found));
		}
		for (const text of [
			"mysql://h/x",
			"h/x",
			"postgres://h/x?sslmode=maybe",
			"postgres://h/x?sslmode=verify-full&sslrootcert=/no/such.pem",
		])
			assert.ok("problem" in address(text), text);
	});
	test("is checked whenever it asks for encryption, and warns where that is not so", () => {
		const at = (mode: string) => address(`postgres://u:p@db.example.com/pawl?${mode}`);
		for (const mode of ["sslmode=verify-full", "sslmode=require", "sslmode=prefer&uselibpqcompat=true", "ssl=true"])
			assert.deepEqual(at(mode), {
				...{ url: "postgres://u:p@db.example.com/pawl?sslmode=verify-full", local: false, mode: "verify-full", warning: null },
			});
		assert.match(JSON.stringify(at("sslmode=disable")), /"warning":"the way to db.example.com is not encrypted/);
		assert.match(JSON.stringify(at("sslmode=no-verify")), /"warning":"nobody checks that db.example.com is the database/);
		assert.equal(JSON.stringify(address("postgres://h/x", { PGSSLMODE: "require" })).includes("verify-full"), true);
	});
	test("on this machine needs no encryption", () => {
		for (const text of [
			"postgres://u:p@127.0.0.1:5432/x",
			"postgres://localhost/x",
			"postgres://[::1]/x",
			"postgres://u@/x?host=/run/postgresql",
		])
			assert.ok("warning" in address(text) && (address(text) as { warning: unknown }).warning === null, text);
	});
});

describe("what is wrong with a database", { skip: withoutPostgres, timeout: 60_000 }, () => {
	const leftovers: (() => unknown)[] = [];
	after(async () => {
		for (const undo of leftovers.reverse()) await undo();
	});

	let count = 0;
	async function database(): Promise<{ owner: string; role: (more?: string) => Promise<{ name: string; url: string }> }> {
		const made = freshDatabase();
		const owner = await made.url();
		const server = Object.assign(new URL(owner), { pathname: "/postgres" }).href;
		leftovers.push(() => made.remove());
		const role = async (more = "") => {
			const name = `pawl_test_${process.pid}_doctor_${++count}`;
			await asked(owner, `CREATE ROLE ${name} LOGIN PASSWORD 'x'; ${more.replaceAll("$1", name)}`);
			leftovers.splice(0, 0, () => asked(server, `DROP ROLE ${name}`));
			return { name, url: Object.assign(new URL(owner), { username: name, password: "x" }).href };
		};
		return { owner, role };
	}

	test("that cannot be reached: why, and what to do", async () => {
		const { owner, role } = await database();
		const with_ = (change: Partial<URL>): Promise<string> => said(Object.assign(new URL(owner), change).href);
		assert.match(await with_({ port: "1" }), /^problem connection: cannot connect to .*ECONNREFUSED.*is the server running/);
		assert.match(await with_({ pathname: "/nowhere" }), /there is no such database: make it with createdb/);
		assert.match(await with_({ search: "?sslmode=require" }), /the server has no TLS: switch it on/);
		assert.match(await said((await role()).url.replace(":x@", ":wrong@")), /the password is wrong/);
		assert.match(await with_({ hostname: "db.invalid" }), /^problem address: the way to db.invalid is not encrypted/);
		assert.doesNotMatch(await with_({ port: "1" }), new RegExp(new URL(owner).password || "no password"));
	});

	test("rights and schema, from a role that may nothing to a worker", async () => {
		const { owner, role } = await database();
		const { name, url } = await role();
		assert.match(
			await said(url),
			new RegExp(`problem rights: there is no schema pawl, and ${name} may not make it: GRANT CREATE ON DATABASE`),
		);
		await (await openPostgresStore({ url: owner })).close();
		await (await pgBossDispatch({ url: owner })).close();
		assert.match(
			await said(url),
			/problem rights: .* may not use the schema pawl: run pawl database setup as the owner, then GRANT pawl_worker TO/,
		);
		await asked(owner, `GRANT USAGE ON SCHEMA pawl, pawl_boss TO ${name}; GRANT SELECT ON ALL TABLES IN SCHEMA pawl, pawl_boss TO ${name}`);
		assert.match(await said(url), /problem rights: .* lacks INSERT, UPDATE, DELETE on pawl\.claims; .* and \d+ more/);
		assert.equal(await makeRoles(owner), null);
		await asked(owner, `GRANT pawl_worker TO ${name}`);
		const worker = await said(url);
		assert.match(worker, /ok rights: .* is a worker: it works, and decides nothing/);
		assert.doesNotMatch(worker, /problem/);
		assert.match(await said(owner), /ok rights: .* may decide as a person/);

		const [before] = await asked(owner, "SELECT version FROM pawl.schema_version");
		await asked(owner, "UPDATE pawl.schema_version SET version = 1");
		assert.match(await said(url), /problem schema: version 1 is older than this pawl \(\d+\), and this role may not change it/);
		await assert.rejects(openPostgresStore({ url }), /permission denied.*its owner has to run pawl database setup/);
		assert.match(await said(owner), /ok schema: .*the next command brings it up to date/);
		await asked(owner, `UPDATE pawl.schema_version SET version = ${Number(before?.["version"]) + 1}`);
		assert.match(await said(url), /ok schema: version \d+, of a newer pawl/);
		await asked(owner, "UPDATE pawl.schema_version SET oldest = 999");
		assert.match(await said(url), /problem schema: it was made by a newer pawl \(it needs schema 999/);
	});

	test("M13 an old server, a clock that is off, standbys that lose commits", async () => {
		const { owner, role } = await database();
		// What the server says about itself, in other words.
		await asked(
			owner,
			`CREATE SCHEMA fake; GRANT USAGE ON SCHEMA fake TO PUBLIC;
			CREATE FUNCTION fake.current_setting(name text) RETURNS text LANGUAGE sql AS
				$$ SELECT CASE name WHEN 'server_version_num' THEN '140011' WHEN 'server_version' THEN '14.11' ELSE pg_catalog.current_setting(name) END $$;
			CREATE FUNCTION fake.clock_timestamp() RETURNS timestamptz LANGUAGE sql AS $$ SELECT pg_catalog.clock_timestamp() - interval '1 minute' $$;
			CREATE VIEW fake.pg_stat_replication AS SELECT 1 UNION ALL SELECT 2; GRANT SELECT ON fake.pg_stat_replication TO PUBLIC`,
		);
		const text = await said((await role("ALTER ROLE $1 SET search_path = fake, pg_catalog")).url);
		assert.match(text, /problem version: PostgreSQL 14\.11 is too old: pawl needs 15 or newer/);
		assert.match(text, /warning clock: this machine's clock is 60 s ahead of the database's/);
		assert.match(text, /warning replication: 2 standbys, none of them synchronous: a failover loses commits/);
		const plain = await said(owner);
		assert.match(plain, /warning replication: no standby/);
		assert.match(plain, /ok clock/);
		assert.match(plain, /ok notifications: LISTEN and NOTIFY work/);
	});

	test("a pooler that loses notifications", async () => {
		const { owner } = await database();
		const target = new URL(owner);
		const sockets = new Set<Socket>();
		const pooler = createServer((client) => {
			const server = connect(Number(target.port), target.hostname);
			client.on("data", (data) => server.write(data));
			server.on("data", (data) => {
				// The answer to LISTEN arrives, what it is for does not.
				if (!data.toString("latin1").includes("pawl_doctor")) client.write(data);
			});
			for (const [socket, other] of [
				[client, server],
				[server, client],
			] as const)
				sockets.add(socket.on("error", () => {}).on("close", () => other.destroy()));
		}).listen(0, "127.0.0.1");
		await once(pooler, "listening");
		leftovers.push(() => {
			for (const socket of sockets) socket.destroy();
			pooler.close();
		});
		const { port } = pooler.address() as { port: number };
		const text = await said(Object.assign(new URL(owner), { port: String(port) }).href);
		assert.match(text, /warning notifications: NOTIFY does not arrive: is there a pooler in transaction mode\?/);
	});
});
