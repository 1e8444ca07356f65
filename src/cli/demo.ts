// pawl demo: a real run with a scripted agent, in a scratch repository that stays for looking around.
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { Command } from "commander";
import type { Context } from "./context.ts";
import { DEMO_REQUEST, demoRepository } from "./demo/repository.ts";
import { prepare } from "./prepare.ts";
import { startRun } from "./start.ts";
import { paint, wantsColor } from "./text.ts";

const SCRIPT = fileURLToPath(new URL("../../workflows/dynamic/demo.yml", import.meta.url));

export function command(c: Context): Command {
	return new Command("pawl demo")
		.description("show a run with a scripted agent in a scratch repository")
		.option("--json", "the journal as JSON lines on stdout")
		.action(async (flags: { json?: boolean }) => {
			const color = paint(wantsColor(c.env, c.errIsTty));
			const folder = realpathSync(mkdtempSync(join(tmpdir(), "pawl-demo-")));
			makeRepository(folder, demoRepository());
			c.err(`${color.bold("pawl demo")}: a scripted agent, a real git repository in ${folder}\n`);
			c.err(`One step will take a wrong way and restart itself, one will edit the workflow, and one will leave a bug\nthat the checks of pawl.yml catch and a fix cycle repairs.\n\n`);
			const here: Context = { ...c, cwd: folder };
			const prepared = await prepare(here, "dynamic", DEMO_REQUEST, { script: SCRIPT, role: {}, timeout: {}, ...flags });
			const code = await startRun(here, prepared);
			if (!flags.json) c.out(`\nLook around:  cd ${folder}\n  git log --stat                  what was delivered\n  cat .pawl/latest/workflow_state.json   every step, with its notes\n  pawl status; pawl history; pawl logs   from that folder\n`);
			c.exit(code);
		});
}

export function makeRepository(folder: string, files: Readonly<Record<string, string>>): void {
	for (const [path, text] of Object.entries(files)) {
		mkdirSync(dirname(join(folder, path)), { recursive: true });
		writeFileSync(join(folder, path), text);
	}
	const git = (...args: string[]) => execFileSync("git", ["-c", "core.hooksPath=/dev/null", "-c", "commit.gpgsign=false", ...args], { cwd: folder, stdio: ["ignore", "ignore", "pipe"] });
	git("init", "-q", "-b", "main");
	git("config", "user.name", "pawl demo");
	git("config", "user.email", "demo@pawl.invalid");
	git("add", "-A");
	git("commit", "-q", "-m", "Start");
}
