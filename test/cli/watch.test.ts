// `pawl watch` in a real terminal, on a run that another process drives: both sizes, keys, and the terminal as it was afterwards, whatever ended it.
import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { before, describe, it } from "node:test";
import { PAWL } from "../support/bin.ts";
import { hasTmux, startTmux } from "../support/tmux.ts";
import { askedWorkflow } from "./asked.ts";
import { ok, prd, type Started, scratch, until } from "./scratch.ts";

const WAITS = `steps:
  - on: {type: coding}
    do:
      - write: {path: "work-{story}.txt", content: "{story}\\n"}
      - shared: {path: "reached-{story}", content: ""}
      - wait_for: {shared: go}
      - usage: {cost_usd: 1}
  - on: {type: work}
    do: [{wait_for: {shared: go}}]
`;

describe("pawl watch in a terminal", { skip: hasTmux ? false : "there is no tmux" }, () => {
	if (!hasTmux) return;
	const s = scratch({
		...{ "script.yml": WAITS, ".gitignore": "pid\ncrash.mjs\nprd.json\n" },
		...askedWorkflow(["ask"]),
	});
	let run: Started;
	const terminal = startTmux(s.root, 80, 24);
	/** Starts it in the shell, so that its process id and its exit code can be seen. */
	const watch = async (more = "", first = "q leave"): Promise<number> => {
		terminal.type(`clear; sh -c 'echo $$ > pid; exec ${more} ${PAWL} watch'; echo "exit $?"`);
		await terminal.shows(new RegExp(first));
		return Number(readFileSync(join(s.root, "pid"), "utf8"));
	};
	const restored = async (code: number): Promise<void> => {
		await terminal.shows(new RegExp(`^exit ${code}$`, "m"));
		assert.equal(terminal.state(), "0 1 1");
		terminal.type("stty -a | grep -ow icanon");
		await terminal.shows(/^icanon$/m);
	};

	before(async () => {
		s.write({ "prd.json": prd({ id: "A" }, { id: "B" }, { id: "C", depends_on: ["A"] }) });
		run = s.start(
			"run",
			"dynamic",
			"--prd",
			"prd.json",
			"--script",
			"script.yml",
			"--agents",
			"2",
			"--max-cost",
			"9",
			"--allow-unknown-cost",
		);
		await until(() => ["A", "B"].every((id) => existsSync(join(s.root, ".pawl", "latest", `reached-${id}`))));
	});

	it("A-71 shows the run on 80 by 24 and on 200 by 60, follows a resize, obeys keys and leaves the terminal as it was", async () => {
		await watch();
		const small = await terminal.shows(/^>● A .* coding .*Story A$/m);
		assert.match(small, /^dynamic \S+ {2}a test +running +\d+/m);
		assert.match(small, /of \$9\.00/);
		assert.match(small, /^ ○ C +after A .*Story C$/m);
		assert.match(small, /● coding/);
		assert.equal(terminal.state().slice(0, 3), "1 0");
		terminal.press("Down");
		await terminal.shows(/^>● B /m);
		terminal.resize(200, 60);
		const large = await terminal.shows(/^── stories ─+│── B /m);
		assert.match(large, /^── steps of B ─+│/m);
		terminal.resize(80, 24);
		await terminal.shows(/^── stories ─+$/m);
		terminal.press("?");
		await terminal.shows(/select a step of the story/);
		terminal.press("Escape");
		await terminal.shows(/^── B /m);
		terminal.press("d");
		await terminal.shows(/^── diff of B |^ B \(in_progress\) changed nothing so far/m);
		terminal.press("Escape");
		terminal.press("Left");
		await terminal.shows(/^── [AB] step-004 test_architecture /m);
		terminal.press("Right");
		await terminal.shows(/^── [AB] step-005 coding /m);
		terminal.press("l");
		await terminal.shows(/^── log of [AB] step-005 coding /m);
		terminal.press("Escape");
		terminal.press("w");
		await terminal.shows(/^── why ─.*\n {2}nothing: it simply goes on/m);
		terminal.press("Escape");
		terminal.press("s");
		terminal.press("-l", "keep it small");
		await terminal.shows(/tell the agents: keep it small/);
		terminal.press("Enter");
		await terminal.shows(/noted for the next steps/);
		terminal.press("q");
		await restored(0);
		assert.match(ok(await s.pawl("history", "latest")).stdout, /says: keep it small/);
	});

	it("is put back after Ctrl-C, SIGTERM and a crash, which is reported", async () => {
		await watch();
		terminal.press("C-c");
		await restored(130);
		process.kill(await watch(), "SIGTERM");
		await restored(143);
		writeFileSync(join(s.root, "crash.mjs"), 'process.on("SIGUSR2", () => { throw new Error("it broke"); });\n');
		process.kill(await watch(`env NODE_OPTIONS=--import=${join(s.root, "crash.mjs")}`), "SIGUSR2");
		await terminal.shows(/Error: it broke/);
		await restored(1);
	});

	it("ends with the summary and the run's exit code when the run ends, and prints plain lines in a pipe", async () => {
		const piped = s.start("watch");
		await watch();
		s.write({ ".pawl/latest/go": "" });
		await restored(0);
		assert.match(terminal.screen(), /files: /);
		ok(await run.ended);
		const { stdout, stderr } = ok(await piped.ended);
		assert.match(stderr, /^\d\d:\d\d:\d\d .*agent 1 starts/m);
		assert.match(stdout, /dynamic completed in/);
		// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
		assert.doesNotMatch(stdout + stderr, /\u001b/);
	});

	it("p pauses and r resumes; a and x show what is asked, then y approves and a reason rejects", async () => {
		const { run: paused } = await s.json<{ run: string }>("status");
		assert.ok(!existsSync(join(s.root, ".pawl", "runs", paused, "pawl.log")), "in a pipe the engine lives in the process of pawl run");
		ok(await s.pawl("run", "./asked", "Do it", "--script", "script.yml"), 3);
		await watch("", "waiting, 1 question for you");
		terminal.press("x");
		await terminal.shows(/reject, because:/);
		terminal.press("Escape");
		terminal.press("Escape");
		await terminal.shows(/^ a approve {2}x reject/m);
		terminal.press("a");
		await terminal.shows(/ask waits for you: .*May it start/);
		terminal.press("y");
		await terminal.shows(/● work/);
		terminal.press("p");
		await terminal.shows(/pause this run\?/);
		terminal.press("y");
		assert.match(await terminal.shows(/^ the run is paused$/m), /^asked .* paused/m, "what is said fits what is shown");
		terminal.press("r");
		await terminal.shows(/^asked .* running +\d/m);
		await terminal.shows(/● work/);
		s.write({ ".pawl/latest/go": "" });
		await terminal.shows(/^asked .* waiting, 1 question for you/m);
		terminal.press("x");
		await terminal.shows(/reject, because:/);
		terminal.press("-l", "not like this");
		terminal.press("Enter");
		await restored(1);
		assert.match(ok(await s.pawl("history", "latest")).stdout, /not like this/);
	});
});
