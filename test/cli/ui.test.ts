// `pawl ui` from outside: how it begins and how it ends.
import assert from "node:assert/strict";
import { get } from "node:http";
import { createServer } from "node:net";
import { describe, it } from "node:test";
import { pawlExits, startPawl } from "../support/pawl.ts";
import { exists, repository, scratchFolder, until } from "../support/scratch.ts";

interface Address {
	readonly url: string;
	readonly token: string;
	readonly port: number;
}

async function ready(cwd: string) {
	const started = startPawl(["ui", "--no-open", "--json"], { cwd });
	const line = await until("its line", () => /^\{.*\}\n/.exec(started.said())?.[0]);
	return { started, at: JSON.parse(line) as Address };
}

const openStream = ({ port, token }: Address): Promise<number> =>
	new Promise((resolve, reject) => {
		get({ host: "127.0.0.1", port, path: "/api/v1/stream", headers: { Authorization: `Bearer ${token}` } }, (answer) => {
			answer.on("error", () => {}).resume();
			resolve(answer.statusCode ?? 0);
		}).on("error", reject);
	});

describe("pawl ui", () => {
	for (const [signal, code] of [
		["SIGINT", 130],
		["SIGTERM", 143],
	] as const)
		it(`A-71 prints its address, and ends at once with ${code} after ${signal}, whatever is open`, async () => {
			const cwd = repository();
			const { started, at } = await ready(cwd);
			assert.equal(at.url, `http://127.0.0.1:${at.port}/#token=${at.token}`);
			assert.ok(Buffer.from(at.token, "base64url").length >= 32);
			assert.equal(await openStream(at), 200);
			started.child.kill(signal);
			assert.equal((await started.done).code, code);
			assert.ok(!exists(cwd, ".pawl"), "looking makes nothing");
		});

	it("A-71 does not start where there is no repository, or on a port that is none or is taken, which it names", async () => {
		const outside = await pawlExits(2, ["ui", "--no-open"], { cwd: scratchFolder("no-repository") });
		assert.equal(outside.stdout, "");
		const cwd = repository();
		for (const port of ["x", "-1", "65536", "1.5"])
			assert.match((await pawlExits(2, ["ui", "--no-open", "--port", port], { cwd })).stderr, /whole number from 0 to 65535/);
		const other = createServer().listen(0, "127.0.0.1");
		try {
			const port = await until("a port", () => (other.address() as { port: number } | null)?.port);
			const taken = await pawlExits(2, ["ui", "--no-open", "--port", String(port)], { cwd });
			assert.match(taken.stderr, new RegExp(`port ${port} is taken`));
			assert.equal(taken.stdout, "");
		} finally {
			other.close();
		}
	});
});
