// `pawl watch` in a real terminal, on a run that another process drives: both sizes, keys, and the terminal as it was afterwards, whatever ended it.
import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { before, describe, it } from "node:test";
import { hasTmux, startTmux } from "../support/tmux.ts";
import { ok, prd, type Started, scratch, until } from "./scratch.ts";

const BIN = join(import.meta.dirname, "..", "..", "bin", "pawl");
const WAITS = `steps:
  - on: {type: coding}
    do:
      - write: {path: "work-{story}.txt", content: "{story}\\n"}
      - shared: {path: "reached-{story}", content: ""}
      - wait_for: {shared: go}
      - usage: {cost_usd: 1}
`;

describe("pawl watch in a terminal", { skip: hasTmux ? false : "there is no tmux" }, () => {
	if (!hasTmux) return;
	const s = scratch({ "script.yml": WAITS, ".gitignore": "pid\ncrash.mjs\n" });
	let run: Started;
	const terminal = startTmux(s.root, 80, 24);
	/** Starts it in the shell, so that its process id and its exit code can be seen. */
	const watch = async (more = ""): Promise<number> => {
		terminal.type(`clear; sh -c 'echo $$ > pid; exec ${more} ${BIN} watch'; echo "exit $?"`);
		await terminal.shows(/q leave/);
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

	it("pawl run shows the same view of its own run; Ctrl-C stops the run, and q asks first", async () => {
		s.write({ "prd.json": prd({ id: "D" }), "other.yml": WAITS.replace("go}", "never}") });
		terminal.type(`clear; ${BIN} run dynamic --prd prd.json --script other.yml --fresh; echo "exit $?"`);
		await terminal.shows(/^>● D .* coding /m);
		terminal.press("q");
		await terminal.shows(/stop this run\?/);
		terminal.press("Escape");
		await terminal.shows(/q stop$/m);
		terminal.press("C-c");
		await restored(130);
		assert.match(terminal.screen(), /continue with: pawl resume/);
	});
});
