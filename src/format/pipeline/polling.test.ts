// The timer of agents that fetch their own steps.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { test } from "node:test";
import { promisify } from "node:util";
import { MINI, parse } from "./pipeline.suite.ts";
import { pollingPrompt, scheduleOf, timerLines, withBlock } from "./polling.ts";

test("A-22 an interval as a crontab says it", () => {
	assert.deepEqual([1_000, 60_000, 300_000, 900_000, 3_600_000, 7_200_000].map(scheduleOf), [
		"* * * * *",
		"* * * * *",
		"*/5 * * * *",
		"*/15 * * * *",
		"0 * * * *",
		"0 */2 * * *",
	]);
});

test("A-70 only our own block of a crontab is touched", () => {
	const mine = "# mine\n0 1 * * * backup\n";
	const lines = (text: string) => ["# >>> pawl a in /r", text, "# <<< pawl a in /r"];
	const first = withBlock(mine, "a", "/r", lines("one"));
	assert.equal(first, `${mine}# >>> pawl a in /r\none\n# <<< pawl a in /r\n`);
	const both = withBlock(first, "b", "/r", ["# >>> pawl b in /r", "b", "# <<< pawl b in /r"]);
	assert.equal(withBlock(withBlock(both, "a", "/r", lines("two")), "b", "/r", []), withBlock(mine, "a", "/r", lines("two")));
	assert.equal(withBlock(first, "a", "/r", []), mine);
	assert.equal(withBlock("", "a", "/r", []), "");
});

test("A-31 the text for an agent does not depend on its step", () => {
	assert.equal(pollingPrompt("w", "x", "pawl").replaceAll("x", "y"), pollingPrompt("w", "y", "pawl").replaceAll("x", "y"));
	assert.doesNotMatch(pollingPrompt("w", "x", "pawl"), /loop/i);
});

function linesOf(polling: string, command: string | null = null, platform: NodeJS.Platform = "linux"): string[] {
	const loaded = parse(`${polling}${MINI}`);
	assert.ok(loaded.ok);
	const prompts = { planner: "/r/planner/POLL.md", developer: "/r/developer/POLL.md" };
	return timerLines(loaded.definition, { root: "/r", command, pawl: "pawl", prompts, platform })
		.slice(1, -1)
		.map((line) => /cd \/r && pawl step peek \w+ && (.*) < /.exec(line)?.[1] ?? line);
}

test("the timer starts sessions with the model and within the time that the workflow says", () => {
	assert.deepEqual(linesOf(""), ["claude -p", "claude -p --model big"]);
	// Half an hour for a step of the planner, a minute for one of the developer.
	assert.deepEqual(linesOf("polling: {model: small, timeoutSeconds: 120}\n"), [
		"timeout 1920 claude -p --model small",
		"timeout 180 claude -p --model big",
	]);
	assert.deepEqual(linesOf("polling: {model: small}\n", "my-agent -q"), ["my-agent -q", "my-agent -q"]);
});

test("on macOS, which has no `timeout`, the line ends a session with what it started all the same", { timeout: 20_000 }, async () => {
	const line = linesOf("polling: {timeoutSeconds: 1}\n", "COMMAND", "darwin")[1] ?? "";
	assert.match(line, /^perl -e '[^%]*' 61 COMMAND$/);
	const within = async (seconds: number, command: string) =>
		promisify(execFile)("sh", ["-c", line.replace(/61 COMMAND$/, `${seconds} ${command}`)]).then(({ stdout }) => stdout.trim());
	assert.equal(await within(60, `printf '%s|' "a  b" c`), "a  b|c|");
	// Whoever is left would hold the output open.
	await within(1, "sh -c 'sleep 600 & wait'");
});

test("a workflow's model name cannot become a command or a second line of a crontab", () => {
	for (const model of ["x; rm -rf /", "x\\n* * * * * evil", "$(id)", "--settings"])
		assert.equal(linesOf(`polling: {model: "${model}"}\n`)[0], "claude -p", model);
});
