// The way to a database over TLS, with a server that has a certificate of an authority of its own.
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { chownSync, copyFileSync, mkdtempSync, realpathSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { startPostgres } from "../../../scripts/postgres.ts";
import { asked, withoutPostgres } from "../../../test/support/postgres.ts";
import { pgBossDispatch } from "../../dispatch/pgboss.ts";
import { examineDatabase } from "./doctor.ts";
import { openPostgresStore } from "./store.ts";

const withoutOpenssl = spawnSync("openssl", ["version"]).status === 0 ? false : "no openssl to make a certificate with";
if (withoutOpenssl !== false && process.env["CI"] === "true") throw new Error(withoutOpenssl);

const folder = realpathSync(mkdtempSync(join(tmpdir(), "pawl-tls-")));
const leftovers: (() => unknown)[] = [() => rmSync(folder, { recursive: true, force: true })];
after(async () => {
	for (const undo of leftovers.reverse()) await undo();
});

const openssl = (...args: string[]): void => void execFileSync("openssl", args, { cwd: folder, stdio: "ignore" });
const authority = (name: string): void =>
	openssl(
		"req",
		"-x509",
		"-newkey",
		"rsa:2048",
		"-nodes",
		"-days",
		"2",
		"-subj",
		`/CN=${name}`,
		"-keyout",
		`${name}.key`,
		"-out",
		`${name}.pem`,
	);

/** `localhost` is in its certificate, and no other name. */
async function serverWithTls(): Promise<(host: string, more: string) => string> {
	for (const name of ["ours", "theirs"]) authority(name);
	openssl("req", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=database", "-keyout", "server.key", "-out", "server.csr");
	writeFileSync(join(folder, "names"), "subjectAltName=DNS:localhost\n");
	const signed = [
		"-req",
		"-in",
		"server.csr",
		"-CA",
		"ours.pem",
		"-CAkey",
		"ours.key",
		"-CAcreateserial",
		"-days",
		"2",
		"-extfile",
		"names",
	];
	openssl("x509", ...signed, "-out", "server.crt");
	// One of its own: the server of the other tests has no TLS.
	const server = await startPostgres(tmpdir());
	leftovers.push(() => server.stop());
	const { uid, gid } = statSync(server.data);
	for (const name of ["server.crt", "server.key"]) {
		copyFileSync(join(folder, name), join(server.data, name));
		if (process.getuid?.() === 0) chownSync(join(server.data, name), uid, gid);
	}
	await asked(server.url, "ALTER SYSTEM SET ssl = on");
	await server.crash();
	await server.start();
	return (host, more) => Object.assign(new URL(server.url), { hostname: host, search: `?sslmode=verify-full${more}` }).href;
}

test("verify-full: a server whose certificate is of the named authority and for that host, and no other", {
	skip: withoutPostgres || withoutOpenssl,
	timeout: 120_000,
}, async () => {
	const at = await serverWithTls();
	const root = (name: string): string => `&sslrootcert=${join(folder, `${name}.pem`)}`;
	const right = at("localhost", root("ours"));
	const said = async (url: string): Promise<string> =>
		(await examineDatabase(url)).map(({ level, text }) => `${level}: ${text}`).join("\n");
	assert.match(await said(right), /ok: TLS, and the server's certificate is checked/);
	const store = await openPostgresStore({ url: right });
	assert.deepEqual(await store.runs(), []);
	await store.close();
	await (await pgBossDispatch({ url: right })).close();
	const who = "SELECT bool_and(ssl) AS all FROM pg_stat_ssl WHERE pid = pg_backend_pid()";
	assert.deepEqual(await asked(right, who), [{ all: true }]);
	for (const [wrong, why, raw] of [
		[
			at("localhost", root("theirs")),
			/problem: cannot connect.*of an authority that this machine does not know: name it with &sslrootcert=FILE/,
			/certificate/,
		],
		[at("localhost", ""), /problem: cannot connect.*of an authority that this machine does not know/, /certificate/],
		[at("127.0.0.1", root("ours")), /problem: cannot connect.*is for another name: use the name that is in it/, /altnames/],
	] as const) {
		assert.match(await said(wrong), why);
		await assert.rejects(openPostgresStore({ url: wrong }), raw, "at once, without waiting for a database that is away");
	}
});
