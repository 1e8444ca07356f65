// What is wrong with a database that machines share, in words and with what to do. Looks only.
import { randomUUID } from "node:crypto";
import { Client } from "pg";
import type { DatabaseFinding } from "../../store.ts";
import { type Address, addressIn } from "./address.ts";
import { rights } from "./doctor-rights.ts";
import { ok, one, problem, warning } from "./finding.ts";
import { MIGRATIONS } from "./migrations.ts";
import { said } from "./patience.ts";

/** The oldest server that is tested. */
const OLDEST = 150_000;
const CONNECT_MS = 5_000;
const LISTEN_MS = 2_000;
const SKEW_MS = 5_000;

export async function examineDatabase(text: string): Promise<DatabaseFinding[]> {
	const address = addressIn(text);
	if ("problem" in address) return [problem("address", address.problem)];
	const { url, mode } = address;
	const settings = {
		connectionString: url,
		application_name: "pawl doctor",
		connectionTimeoutMillis: CONNECT_MS,
		query_timeout: CONNECT_MS,
	};
	const client = new Client(settings);
	client.on("error", () => {});
	try {
		await client.connect();
	} catch (error) {
		await client.end().catch(() => {});
		return [problem("connection", cannotConnect(url, error))];
	}
	try {
		const found = [await encryption(client, address), await version(client)];
		for (const look of [schema, rights, replication, clock]) found.push(...(await look(client)));
		return [
			ok(
				"connection",
				`${placeOf(url)}, as ${await one<string>(client, "SELECT session_user::text")}${mode === "disable" ? "" : `, ${mode}`}`,
			),
			...found,
			await listening(settings),
		];
	} catch (error) {
		return [problem("connection", `${placeOf(url)} does not answer as it should: ${said(error)}`)];
	} finally {
		await client.end().catch(() => {});
	}
}

const placeOf = (url: string): string => {
	const { host, pathname } = new URL(url);
	return `${host || "a socket of this machine"}${pathname}`;
};

/** By PostgreSQL's or Node's code. */
const REASONS: Readonly<Record<string, string>> = {
	ECONNREFUSED: "nothing answers there: is the server running, and is that its port?",
	ENOTFOUND: "there is no such host: check the name",
	EAI_AGAIN: "the name of the host cannot be looked up at the moment: check the network",
	EHOSTUNREACH: "there is no way to that host: check the network",
	"28P01": "the password is wrong, or there is no such role",
	"28000": "the server does not let this role in from here: look at its pg_hba.conf",
	"3D000": "there is no such database: make it with createdb, as its owner",
	"53300": "the server has no connections left: raise max_connections, or use a pooler in session mode",
	"57P03": "the server starts or stops at the moment: try again",
	DEPTH_ZERO_SELF_SIGNED_CERT: "its certificate is signed by itself: name it with &sslrootcert=FILE",
	SELF_SIGNED_CERT_IN_CHAIN: "its certificate is of an authority that this machine does not know: name it with &sslrootcert=FILE",
	UNABLE_TO_VERIFY_LEAF_SIGNATURE: "its certificate is of an authority that this machine does not know: name it with &sslrootcert=FILE",
	ERR_TLS_CERT_ALTNAME_INVALID: "its certificate is for another name: use the name that is in it",
	CERT_HAS_EXPIRED: "its certificate has expired: renew it",
};

function cannotConnect(url: string, error: unknown): string {
	const first = error instanceof AggregateError && error.errors.length > 0 ? (error.errors[0] as unknown) : error;
	const { code = "" } = first as { readonly code?: string };
	const text = said(error);
	const todo =
		REASONS[code] ??
		(/does not support SSL/i.test(text)
			? "the server has no TLS: switch it on (ssl = on), or use sslmode=disable if nobody else can be on that network"
			: /timeout/i.test(text)
				? "no answer: is it the right host and port, and does a firewall let you through?"
				: null);
	return `cannot connect to ${placeOf(url)}: ${text}${todo === null ? "" : `; ${todo}`}`;
}

async function encryption(client: Client, { warning: unsafe, local, mode }: Address): Promise<DatabaseFinding> {
	if (unsafe !== null) return warning("encryption", unsafe);
	const used = await one<boolean>(client, "SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()");
	if (used === true) return ok("encryption", mode === "verify-full" ? "TLS, and the server's certificate is checked" : "TLS");
	// A pooler may say this of its own way to the server.
	return ok("encryption", local ? "none, on this machine" : "TLS, as far as the server that the address names");
}

async function version(client: Client): Promise<DatabaseFinding> {
	const number = Number(await one<string>(client, "SELECT current_setting('server_version_num')"));
	const name = await one<string>(client, "SELECT current_setting('server_version')");
	if (number < OLDEST) return problem("version", `PostgreSQL ${name} is too old: pawl needs 15 or newer`);
	return ok("version", `PostgreSQL ${name}`);
}

async function schema(client: Client): Promise<DatabaseFinding[]> {
	const known = MIGRATIONS.length;
	const may = await one<boolean | null>(client, "SELECT has_schema_privilege(to_regnamespace('pawl')::oid, 'USAGE')");
	if (may === false) return [];
	const readable =
		may === true
			? await one<boolean | null>(client, "SELECT has_table_privilege(to_regclass('pawl.schema_version')::oid, 'SELECT')")
			: null;
	if (readable === null) return [ok("schema", "there is none yet: pawl makes it when a command first needs it")];
	if (readable !== true) return [];
	const { version = 0, oldest = 0 } =
		(await client.query<{ version: number; oldest: number }>("SELECT version, oldest FROM pawl.schema_version")).rows[0] ?? {};
	if (oldest > known)
		return [problem("schema", `it was made by a newer pawl (it needs schema ${oldest}, this one knows ${known}): update pawl`)];
	if (version > known) return [ok("schema", `version ${version}, of a newer pawl; this one knows ${known} and works with it`)];
	if (version === known) return [ok("schema", `version ${version}`)];
	const owner = await one<boolean>(client, "SELECT has_schema_privilege('pawl', 'CREATE')");
	const text = `version ${version} is older than this pawl (${known})`;
	return owner === true
		? [ok("schema", `${text}: the next command brings it up to date`)]
		: [problem("schema", `${text}, and this role may not change it: run pawl database setup as the owner of the schema`)];
}

async function replication(client: Client): Promise<DatabaseFinding[]> {
	const setting = (name: string) => one<string>(client, "SELECT current_setting($1)", [name]);
	if ((await one<boolean>(client, "SELECT pg_is_in_recovery()")) === true)
		return [problem("replication", "this server is a replica and takes no changes: use the address of the primary")];
	const found: DatabaseFinding[] = [];
	for (const name of ["fsync", "synchronous_commit"])
		if ((await setting(name)) === "off")
			found.push(warning("replication", `${name} is off: what pawl was told is stored can be lost in a crash; switch it on`));
	const standbys = Number(await one<string>(client, "SELECT count(*) FROM pg_stat_replication"));
	const synchronous = await setting("synchronous_standby_names");
	if (synchronous !== "") return [...found, ok("replication", `synchronous (${synchronous}), ${standbys} connected`)];
	if (standbys > 0)
		return [
			...found,
			warning(
				"replication",
				`${standbys} standby${standbys === 1 ? "" : "s"}, none of them synchronous: a failover loses commits that were acknowledged. Set synchronous_standby_names`,
			),
		];
	return [
		...found,
		warning(
			"replication",
			"no standby: if this server is lost, so are its runs since the last backup. If you add one, set synchronous_standby_names, or a failover loses commits that were acknowledged",
		),
	];
}

async function clock(client: Client): Promise<DatabaseFinding[]> {
	const before = Date.now();
	const there = Number(await one<string>(client, "SELECT extract(epoch FROM clock_timestamp()) * 1000"));
	const off = Math.round(there - (before + Date.now()) / 2);
	if (Math.abs(off) <= SKEW_MS) return [ok("clock", "the same as here")];
	return [
		warning(
			"clock",
			`this machine's clock is ${Math.abs(off / 1_000).toFixed(0)} s ${off > 0 ? "behind" : "ahead of"} the database's: times in a run's history jump. Set it (NTP)`,
		),
	];
}

/** A notification has to reach a connection that listens: a pooler in transaction mode gives the connection to somebody else. */
async function listening(settings: ConstructorParameters<typeof Client>[0]): Promise<DatabaseFinding> {
	const [listener, speaker] = [new Client(settings), new Client(settings)];
	const token = randomUUID();
	const heard = Promise.withResolvers<boolean>();
	const timer = setTimeout(() => heard.resolve(false), LISTEN_MS);
	for (const client of [listener, speaker]) client.on("error", () => heard.resolve(false));
	listener.on("notification", ({ payload }) => {
		if (payload === token) heard.resolve(true);
	});
	try {
		await listener.connect();
		await speaker.connect();
		await listener.query("LISTEN pawl_doctor");
		await speaker.query("SELECT pg_notify('pawl_doctor', $1)", [token]);
		if (await heard.promise) return ok("notifications", "LISTEN and NOTIFY work");
		return warning(
			"notifications",
			"NOTIFY does not arrive: is there a pooler in transaction mode? Use one in session mode, or connect without it. pawl works all the same, and notices changes only every two seconds",
		);
	} catch (error) {
		return warning("notifications", `LISTEN does not work: ${said(error)}. Use a pooler in session mode, or connect without it`);
	} finally {
		clearTimeout(timer);
		for (const client of [listener, speaker]) await client.end().catch(() => {});
	}
}
