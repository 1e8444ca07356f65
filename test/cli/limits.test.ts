// Usage limits: a fallback agent takes over, or the run says that it must wait; neither costs a retry that is meant for bad work.
import assert from "node:assert/strict";
import { it } from "node:test";
import { ok, quickScratch, scratch } from "./scratch.ts";

const LIMITED = `default: {do: [{write: {path: half.txt, content: half}}, {fail: {as: rate_limited, retry_after: 1h}}]}\n`;
const WORKS = `steps:\n  - on: {type: coding}\n    do: [{write: {path: made.txt, content: made}}]\n`;
const FILES = {
	"limited.yml": LIMITED,
	"works.yml": WORKS,
	"pawl.yml": "agents:\n  first: {type: scripted, script: limited.yml}\n  second: {type: scripted, script: works.yml}\n",
};

it("while an agent is at its limit the fallback does the steps, from a clean tree", async () => {
	const s = scratch(FILES);
	ok(await s.pawl("run", "dynamic", "Make it", "--agent", "first", "--fallback", "second"));
	assert.equal(s.git("ls-tree", "--name-only", "HEAD", "made.txt", "half.txt"), "made.txt");
});

it("the fallback may stand in pawl.yml, and one that is not there is refused before anything starts", async () => {
	const s = quickScratch({ ...FILES, "pawl.yml": `fallback: [second]\n${FILES["pawl.yml"]}` });
	ok(await s.pawl("run", "dynamic", "Make it", "--agent", "first"));
	assert.match(ok(await s.pawl("run", "dynamic", "x", "--agent", "first", "--fallback", "third"), 2).stderr, /no agent third/);
});

it("where everything waits longer than --max-wait the run ends with 75, and resume says the same while the limit holds", async () => {
	const s = quickScratch(FILES);
	ok(await s.pawl("run", "dynamic", "Make it", "--agent", "first", "--max-wait", "10s"), 75);
	const status = await s.json<{ status: string }>("status");
	assert.equal(status.status, "limited");
	assert.deepEqual(s.memory.user.look(), s.memory.user.committed());
	ok(await s.pawl("resume"), 75);
});

it("an agent that is not logged in stops the run at once, with what to do, and resume goes on (G-14)", async () => {
	const s = quickScratch({
		"login.yml":
			"steps:\n  - on: {type: planning, attempt: 1}\n    do: [{fail: {as: auth, error: Invalid API key}}]\n  - on: {type: coding}\n    do: [{write: {path: made.txt, content: made}}]\n",
	});
	const refused = ok(await s.pawl("run", "dynamic", "Make it", "--script", "login.yml"), 1);
	assert.match(refused.stdout + refused.stderr, /Invalid API key: log in to scripted again .* pawl resume/);
	assert.equal((await s.json<{ status: string }>("status")).status, "failed");
	ok(await s.pawl("resume"));
});

it("G-13 a cost limit with an agent that can have no price is refused before any session; with prices, or allowed, it is not", async () => {
	const codex = "agent: codex\nagents:\n  codex: {command: /bin/false";
	const s = quickScratch({ "pawl.yml": `${codex}}\n` });
	const refused = ok(await s.pawl("run", "dynamic", "Make it", "--max-cost", "1"), 2).stderr;
	assert.match(refused, /codex does not say what its sessions cost.*`prices`.*--allow-unknown-cost/);
	assert.doesNotMatch((await s.pawl("run", "dynamic", "Make it", "--max-cost", "1", "--allow-unknown-cost")).stderr, /prices/);
	const priced = quickScratch({ "pawl.yml": `${codex}, prices: {input: 1, output: 2}}\n` });
	assert.doesNotMatch((await priced.pawl("run", "dynamic", "Make it", "--max-cost", "1")).stderr, /prices/);
});

it("G-13 where it turns out that a session does not say what it cost, the run stops after it; allowed, it goes on", async () => {
	const s = quickScratch(FILES);
	const stopped = ok(await s.pawl("run", "dynamic", "Make it", "--agent", "second", "--max-cost", "1"), 4);
	assert.match(stopped.stdout + stopped.stderr, /cost limit of \$1 cannot be kept.*\n?.*did not say what it cost/);
	assert.match(ok(await s.pawl("extend", "latest", "--allow-unknown-cost")).stdout, /unknown costs are allowed/);
	ok(await s.pawl("resume"));
});
