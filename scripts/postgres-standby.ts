// A second PostgreSQL server that follows a first one, and takes its place. The npm package has no pg_basebackup: the copy is made as that makes it.
import { execFile } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { promisify } from "node:util";
import { Client } from "pg";
import { type PostgresServer, serverIn } from "./postgres.ts";
import { serverEnv } from "./postgres-process.ts";
import { giveTo } from "./postgres-programs.ts";

export interface Standby extends PostgresServer {
	/** Whether the first server confirms nothing before this one has it, and this one has all that there is. */
	isInSync(): Promise<boolean>;
	/** This server hears nothing of the first one any more, which goes on. Returns what ends that, however the first one ended. */
	stall(): Promise<() => void>;
	/** It follows no more, and takes changes. */
	promote(): Promise<void>;
}

const NAME = "standby";
const POLL_MS = 20;
/** What the first server has of its own, or makes again. */
const LEFT_OUT = ["postmaster.pid", "postmaster.opts", "pg_wal", "postgresql.auto.conf"];

/** Makes a standby of a running server. `synchronous`: from here on that one confirms nothing before the standby has it. */
export async function startStandby(first: PostgresServer, { synchronous }: { readonly synchronous: boolean }): Promise<Standby> {
	const { port, username, password } = new URL(first.url);
	const second = await serverIn(dirname(dirname(first.data)), password, async (_, data, programs) => {
		const label = await copied(first, data, programs.user);
		const follows = `host=127.0.0.1 port=${port} user=${username} password=${password} application_name=${NAME}`;
		const files = { backup_label: label, "standby.signal": "", "postgresql.auto.conf": `primary_conninfo = '${follows}'\n` };
		for (const [name, text] of Object.entries(files)) {
			writeFileSync(join(data, name), text, { mode: 0o600 });
			giveTo(programs, join(data, name));
		}
		await promisify(execFile)("mkdir", ["-m", "700", join(data, "pg_wal")], programs.user);
	});
	const isStreaming = (what: string) => async (): Promise<boolean> =>
		(await ask(first.url, `SELECT 1 FROM pg_stat_replication WHERE application_name = '${NAME}' AND ${what}`)).length > 0;
	try {
		await until(isStreaming("state = 'streaming'"));
		if (synchronous) {
			await ask(first.url, `ALTER SYSTEM SET synchronous_standby_names = '${NAME}'`);
			await ask(first.url, "SELECT pg_reload_conf()");
			await until(isStreaming("sync_state = 'sync'"));
		}
	} catch (error) {
		await second.stop();
		throw error;
	}
	return {
		...second,
		isInSync: isStreaming("sync_state = 'sync' AND state = 'streaming' AND flush_lsn >= pg_current_wal_flush_lsn()"),
		stall: async () => {
			const rows = await ask(first.url, `SELECT pid FROM pg_stat_replication WHERE application_name = '${NAME}'`);
			const pids = rows.map(({ pid }) => Number(pid));
			const each = (signal: NodeJS.Signals): void => {
				for (const pid of pids) signalled(pid, signal);
			};
			each("SIGSTOP");
			return () => each("SIGKILL");
		},
		promote: async () => {
			await ask(second.url, "SELECT pg_promote(true, 60)");
		},
	};
}

/** Copies the data of a running server; returns what the copy needs as its backup_label. */
async function copied(first: PostgresServer, to: string, user: { readonly uid?: number; readonly gid?: number }): Promise<string> {
	const client = new Client({ connectionString: first.url });
	await client.connect();
	try {
		await client.query("SELECT pg_backup_start('standby', fast => true)");
		// Files that go away meanwhile are no loss: the log has what became of them.
		await promisify(execFile)("cp", ["-a", first.data, to], { ...user, env: serverEnv() }).catch((error: { readonly stderr?: string }) => {
			const said = (error.stderr ?? "").trim().split("\n");
			if (!said.every((line) => line.endsWith("No such file or directory"))) throw error;
		});
		const { rows } = await client.query<{ labelfile: string }>("SELECT labelfile FROM pg_backup_stop()");
		for (const name of LEFT_OUT) rmSync(join(to, name), { recursive: true, force: true });
		return rows[0]?.labelfile ?? "";
	} finally {
		await client.end();
	}
}

function signalled(pid: number, signal: NodeJS.Signals): void {
	try {
		process.kill(pid, signal);
	} catch {
		// It has ended.
	}
}

async function until(holds: () => Promise<boolean>): Promise<void> {
	for (const end = Date.now() + 60_000; !(await holds()); await wait(POLL_MS))
		if (Date.now() > end) throw new Error("the standby does not follow");
}

async function ask(url: string, sql: string): Promise<Record<string, unknown>[]> {
	const client = new Client({ connectionString: url });
	client.on("error", () => {});
	await client.connect();
	try {
		return (await client.query(sql)).rows as Record<string, unknown>[];
	} finally {
		await client.end();
	}
}
