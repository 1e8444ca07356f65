// `pawl init` in a real terminal: Enter goes through the conversation, and Ctrl-C leaves nothing behind. What it asks and what an answer
// means: src/cli/author/talk.test.ts.
import assert from "node:assert/strict";
import { chmodSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { PAWL } from "../support/bin.ts";
import { hasTmux, startTmux } from "../support/tmux.ts";
import { prd, scratch, until } from "./scratch.ts";

describe("pawl init in a terminal", { skip: hasTmux ? false : "there is no tmux" }, () => {
	if (!hasTmux) return;
	const s = scratch({
		Makefile: "lint:\n\t@true\ntest:\n\t@echo $$$$ > pid; test ! -e slow || sleep 300\n",
		".gitignore": "pid\nslow\nbin\n",
		"prd.json": prd({ id: "A" }),
	});
	for (const name of ["codex", "gemini"]) {
		s.write({ [`bin/${name}`]: "#!/bin/sh\necho 1.0.0\n" });
		chmodSync(join(s.root, "bin", name), 0o755);
	}
	const terminal = startTmux(s.root, 100, 40);
	const init = async () => {
		// A question of the last time would pass for one of this.
		terminal.type("clear; echo fresh");
		await until(() => terminal.screen().startsWith("fresh"));
		terminal.type(`PATH=${join(s.root, "bin")}:/usr/bin:/bin ${PAWL} init; echo "exit $?"`);
	};
	const take = async (question: RegExp) => {
		await terminal.shows(question);
		terminal.press("Enter");
	};
	const untilTried = async () => {
		await init();
		await take(/^agent that does the work \[codex\]: ?$/m);
		await take(/^lint \[make lint\]: ?$/m);
		await take(/^test \[make test\]: ?$/m);
		await take(/^try them once, here and now\? \[yes\]: ?$/m);
	};
	const untouched = () => assert.equal(s.git("status", "--porcelain", "--ignored").replace(/^!! (?:pid|slow|bin\/)\n?/gm, ""), "");

	it("Ctrl-C at a question, or while a check runs, leaves nothing behind, no process either", async () => {
		await init();
		await terminal.shows(/^agent that does the work/m);
		terminal.press("C-c");
		assert.match(await terminal.shows(/^exit 130$/m), /^nothing was written$/m);
		s.write({ slow: "" });
		await untilTried();
		await terminal.shows(/^trying test: make test$/m);
		await until(() => existsSync(join(s.root, "pid")) && readFileSync(join(s.root, "pid"), "utf8") !== "");
		terminal.press("C-c");
		assert.match(await terminal.shows(/^exit 130$/m), /^nothing was written$/m);
		untouched();
	});

	it("Enter takes what was found, and the end says what to type next", async () => {
		s.git("clean", "-qfX", "slow", "pid");
		await untilTried();
		await take(/passed after[\s\S]*passed after[\s\S]*^setup \[-\]: ?$/m);
		const screen = await terminal.shows(/^exit 0$/m);
		assert.match(screen, /pawl\.yml written[\s\S]*git add pawl\.yml[\s\S]*pawl run dynamic --prd prd\.json/);
		const written = readFileSync(join(s.root, "pawl.yml"), "utf8");
		assert.match(written, /^checks:\n {2}lint: "make lint"\n {2}test: "make test"$/m);
		assert.match(written, /^agent: codex$/m);
	});
});
