// `pawl run` and its like in a real terminal: the engine is a process of its own, and the terminal shows it. What ends which of the two.
import assert from "node:assert/strict";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { databaseOf } from "../../src/runs/repository.ts";
import { services } from "../../src/wiring.ts";
import { PAWL } from "../support/bin.ts";
import { hasTmux, startTmux } from "../support/tmux.ts";
import { askedWorkflow } from "./asked.ts";
import { ok, prd, scratch } from "./scratch.ts";

const SCRIPT = `steps:
  - on: {type: coding}
    do: [{write: {path: "work-{story}.txt", content: "{story}\\n"}}, {wait_for: {shared: go}}]
`;
describe("pawl run in a terminal", { skip: hasTmux ? false : "there is no tmux" }, () => {
	if (!hasTmux) return;
	const s = scratch({
		...{
			"script.yml": SCRIPT,
			"fails.yml": "steps:\n  - on: {type: coding}\n    do: [{fail: {exit: 3}}]\n",
			".gitignore": "pid\nprd.json\ncrash.mjs\n",
		},
		...askedWorkflow(),
	});
	const terminal = startTmux(s.root, 100, 30);
	const pawl = (args: string, env = "") => terminal.type(`clear; sh -c 'echo $$ > pid; exec ${env} ${PAWL} ${args}'; echo "exit $?"`);
	const view = () => Number(readFileSync(join(s.root, "pid"), "utf8"));
	const atWork = () => terminal.shows(/^>● \S+ .* coding /m);
	const restored = async (code: number): Promise<string> => {
		const screen = await terminal.shows(new RegExp(`^exit ${code}$`, "m"));
		assert.equal(terminal.state(), "0 1 1");
		return screen;
	};
	/** The process that drives the run. */
	const engine = async (run: string): Promise<number> => {
		const store = services.openReader(databaseOf(s.root));
		const who = (await store?.holder(run))?.who ?? "";
		await store?.close();
		return Number(/process (\d+)/.exec(who)?.[1]);
	};
	const latest = async () => (await s.json<{ run: string }>("status")).run;

	it("q asks: stop it, or leave it running, which says how to come back; Ctrl-C is passed on to the engine", async () => {
		s.write({ "prd.json": prd({ id: "D" }) });
		pawl("run dynamic --prd prd.json --script script.yml");
		await atWork();
		const run = await latest();
		const driver = await engine(run);
		assert.ok(driver > 0 && driver !== view(), `${driver} ${view()}`);
		terminal.press("q");
		await terminal.shows(/stop this run, or leave it running\?/);
		terminal.press("Escape");
		await terminal.shows(/q leave$/m);
		terminal.press("q");
		terminal.press("l");
		const left = await restored(0);
		assert.match(left, new RegExp(`^watch it with: pawl watch ${run}$`, "m"));
		assert.equal(await engine(run), driver);
		ok(await s.pawl("pause", run));
		pawl("resume");
		await atWork();
		terminal.press("C-c");
		assert.match(await restored(130), /continue with: pawl resume/);
	});

	it("a closed terminal or a crash of the view leaves the engine running; SIGTERM stops it; a killed engine ends the view", async () => {
		const run = await latest();
		pawl("resume");
		await atWork();
		process.kill(view(), "SIGHUP");
		await restored(143);
		assert.ok((await engine(run)) > 0);
		ok(await s.pawl("pause", run));
		s.write({ "crash.mjs": 'process.on("SIGUSR2", () => { throw new Error("it broke"); });\n' });
		pawl("resume", `env NODE_OPTIONS=--import=${join(s.root, "crash.mjs")}`);
		await atWork();
		process.kill(view(), "SIGUSR2");
		assert.match(await restored(1), /Error: it broke/);
		assert.ok((await engine(run)) > 0);
		ok(await s.pawl("pause", run));
		pawl("resume");
		await atWork();
		process.kill(view(), "SIGTERM");
		assert.match(await restored(143), /^continue with: pawl resume/m);
		pawl(`resume ${run}`);
		await atWork();
		process.kill(await engine(run), "SIGKILL");
		const screen = await restored(1);
		assert.match(screen, /^pawl: the process that drove run \S+ was ended by SIGKILL/m);
		assert.match(screen, /^continue with: pawl resume/m);
		ok(await s.pawl("cancel", run));
	});

	it("asks at the terminal for a decision, as ever, and exits with the code of the run", async () => {
		pawl('run ./asked "Do it" --script script.yml');
		await terminal.shows(/agree waits for you: [\s\S]*approve\? \[y\]es/);
		terminal.type("y");
		assert.match(await restored(0), /asked completed in/);
	});

	it("D-158 a one-shot that fails says where its files are; a refusal before the start looks as in a pipe", async () => {
		pawl('"Make it better" --script fails.yml');
		const [, folder = ""] = /^pawl: the files of this run are kept in (\S+)/m.exec(await restored(1)) ?? [];
		assert.ok(existsSync(join(folder, "scratch.md")), folder);
		rmSync(folder, { recursive: true });
		pawl("run dynamic --prd none.json --script script.yml");
		assert.match(await restored(2), /^pawl: .*none\.json/m);
	});
});
