// The person who walked away is told: by a command, by a webhook, and never at the cost of the run.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { it } from "node:test";
import { ok, scratch } from "./scratch.ts";

const WRITES = `sh -c 'echo x > change.txt; printf "## SUMMARY\\n- done\\n"'`;
const steps = (checks = "") => `${checks}notify: {command: "cat > .git/told.txt; echo $PAWL_NOTICE >> .git/told.txt"`;

it("the command of pawl.yml gets the text on stdin, and the webhook a JSON document, when the run has ended", async (t) => {
	const posted: string[] = [];
	const server = createServer((request, response) => {
		let body = "";
		request.on("data", (chunk) => {
			body += chunk;
		});
		request.on("end", () => {
			posted.push(body);
			response.end();
		});
	});
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	t.after(() => server.close());
	const address = server.address();
	const port = typeof address === "object" && address !== null ? address.port : 0;
	const s = scratch({ "pawl.yml": `${steps()}, webhook: "http://127.0.0.1:${port}/hook"}\n` });
	ok(await s.pawl("run", "dynamic", "Tell me", "--agent-command", "false"), 1);
	assert.match(readFileSync(join(s.root, ".git", "told.txt"), "utf8"), /failed.*finished/s);
	assert.equal(posted.length, 1);
	const notice = JSON.parse(posted[0] ?? "{}") as { about: string; run: string };
	assert.equal(notice.about, "finished");
	assert.ok(existsSync(join(s.root, ".pawl", "runs", notice.run)));
});

it("a notification that fails is a warning", async () => {
	const s = scratch({ "pawl.yml": `notify: {command: "exit 7"}\n`, ".gitignore": "" });
	const ended = await s.pawl("run", "dynamic", "Tell me", "--agent-command", WRITES);
	assert.match(ended.stderr, /nobody could be told: notify\.command exited 7/);
});
