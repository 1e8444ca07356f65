// Machines as far apart as one machine can put them: each worker has a home, a clone and a network of its own, in which not even the server's port is there. The
// one thing that they share is a socket, at which somebody outside passes on what they say to the database.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { connect, createServer, type Socket } from "node:net";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { PAWL } from "../support/bin.ts";
import { site, until } from "../support/machines.ts";
import { withoutPostgres } from "../support/postgres.ts";
import { scratchFolder } from "../support/scratch.ts";

const withoutNetworks = spawnSync("unshare", ["--net", "true"]).status === 0 ? false : "no network namespaces can be made here";

describe("networks of their own", { skip: withoutPostgres || withoutNetworks }, () => {
	const sockets = new Set<Socket>();
	const ends: (() => void)[] = [];
	after(() => {
		for (const end of ends) end();
		for (const socket of sockets) socket.destroy();
	});

	/** The same database, through a socket in the folder. */
	async function through(folder: string, to: URL): Promise<string> {
		const server = createServer((client) => {
			const database = connect(Number(to.port), to.hostname);
			for (const [one, other] of [
				[client, database],
				[database, client],
			] as const) {
				sockets.add(one);
				one.on("error", () => other.destroy()).on("close", () => other.destroy());
				one.pipe(other);
			}
		});
		server.listen(join(folder, ".s.PGSQL.5432"));
		await once(server, "listening");
		ends.push(() => server.close());
		return `postgres://${to.username}:${to.password}@localhost${to.pathname}?host=${encodeURIComponent(folder)}`;
	}

	test("M2 M3 I7 workers that share a database and a repository, and no network, land each story once; one is killed in the middle", async () => {
		const s = await site("US-1", "US-2", "US-3", "US-4");
		// Short: the path of a socket has hardly a hundred characters.
		const address = await through(scratchFolder("net"), new URL(s.url));
		s.more = { PAWL_DB: address };
		const apart = join(s.folder, "apart.sh");
		writeFileSync(apart, `#!/bin/sh\nexec unshare --net -- '${PAWL}' "$@"\n`, { mode: 0o755 });
		const workers = ["a", "b", "c"].map((name) => s.worker(name, ["--lanes", "1"], apart));
		mkdirSync(s.wait);
		const run = s.run();
		await until("work on three machines", () => s.begun().length >= 3);
		const [first, ...others] = workers;
		process.kill(-(first?.child.pid ?? 0), "SIGKILL");
		writeFileSync(join(s.wait, "go"), "");
		const { code, all } = await run.done;
		assert.equal(code, 0, [all, ...workers.map((worker) => worker.said())].join("\n"));
		assert.deepEqual(s.landed().toSorted(), s.stories);
		for (const worker of others) worker.child.kill("SIGTERM");
		for (const worker of others) assert.equal((await worker.done).code, 0);
	});
});
