// Notifies a person who walked away: by a command, by a webhook, and never at the cost of the run.
import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { it, type TestContext } from "node:test";
import { ok, quickScratch } from "./scratch.ts";

const WRITES = `sh -c 'echo x > change.txt; printf "## SUMMARY\\n- done\\n"'`;
const steps = (checks = "") => `${checks}notify: {command: "cat > .pawl/told.txt; echo $PAWL_NOTICE >> .pawl/told.txt"`;

/** A server that keeps what is posted to it. */
async function listener(t: TestContext): Promise<{ readonly url: string; readonly posted: string[] }> {
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
	return { url: `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}/hook`, posted };
}

it("the command of pawl.yml gets the text on stdin, and the webhook a JSON document, when the run has ended", async (t) => {
	const { url, posted } = await listener(t);
	const s = quickScratch({ "pawl.yml": `${steps()}, webhook: "${url}"}\n` });
	ok(await s.pawl("run", "dynamic", "Tell me", "--agent-command", "false"), 1);
	assert.match(readFileSync(join(s.root, ".pawl", "told.txt"), "utf8"), /failed.*finished/s);
	assert.equal(posted.length, 1);
	const notice = JSON.parse(posted[0] ?? "{}") as { about: string; run: string };
	assert.equal(notice.about, "finished");
	assert.ok(existsSync(join(s.root, ".pawl", "runs", notice.run)));
});

it("a notification that fails is a warning", async () => {
	const s = quickScratch({ "pawl.yml": `notify: {command: "exit 7"}\n`, ".gitignore": "" });
	const ended = await s.pawl("run", "dynamic", "Tell me", "--agent-command", WRITES);
	assert.match(ended.stderr, /the notification could not be sent: notify\.command exited 7/);
});

it("G-16 the address of a workflow is told of waits and ends only where pawl.yml says so", async (t) => {
	const { url, posted } = await listener(t);
	const flow = (more = "") =>
		`id: told\nnotifications: {url: "${url}"}\nagents: [{id: a, role: coding}]\nsteps: [{id: only, agent: a, input: Do it, max_retries: 0${more}}]\n`;
	const s = quickScratch({ "flow/workflow.yml": flow(), "asks/workflow.yml": flow(", on_fail: {escalate_to: human}") });
	const checked = await s.pawl("workflow", "validate", "flow");
	assert.match(checked.stdout + checked.stderr, /nothing is sent there unless `pawl\.yml` allows it/);
	ok(await s.pawl("run", "./flow", "Tell", "--agent-command", "false"), 1);
	assert.deepEqual(posted, []);
	writeFileSync(join(s.root, "pawl.yml"), "notify: {workflow: true}\n");
	ok(await s.pawl("run", "./flow", "Tell", "--agent-command", "false"), 1);
	ok(await s.pawl("run", "./asks", "Tell", "--agent-command", "false"), 3);
	const notices = posted.map((body) => JSON.parse(body) as { about: string; text: string; run: string });
	assert.deepEqual(
		notices.map(({ about }) => about),
		["finished", "waiting"],
	);
	const waits = notices[1];
	assert.ok(waits);
	assert.ok(waits.text.includes(`run ${waits.run} in ${s.root} waits for a person`), "G-16: which run, and where");
	assert.match(waits.text, new RegExp(`pawl approve ${waits.run} only --resume`));
});

it("a workflow's address that is none of the web is refused", async () => {
	const s = quickScratch({
		"flow/workflow.yml": `id: told\nnotifications: {url: "file:///etc/passwd"}\nagents: [{id: a}]\nsteps: [{id: only, agent: a, input: x}]\n`,
	});
	const refused = ok(await s.pawl("run", "./flow", "Tell", "--agent-command", "false"), 2);
	assert.match(refused.stderr, /2:22: `url` is an http or https address/);
});
