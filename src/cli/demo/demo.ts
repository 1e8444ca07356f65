// pawl demo: a real run with scripted agents, in a scratch repository that stays so that people can look around.
import { existsSync, mkdtempSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { Argument, Command } from "commander";
import { lookAt } from "../../runs/open.ts";
import { prepare } from "../../runs/start/prepare.ts";
import { startRun } from "../../runs/start/start.ts";
import type { StartOptions } from "../../runs/start/start-options.ts";
import type { Context } from "../context.ts";
import { follow } from "../run/follow.ts";
import { paint, wantsColor } from "../text/text.ts";
import { type DemoKind, happenedText, introText, lookAroundText } from "./happened.ts";
import { DEMO_AGENTS, demoPrd } from "./prd.ts";
import { DEMO_REQUEST, demoRepository, makeRepository } from "./repository.ts";

const KINDS: readonly DemoKind[] = ["prd", "one-shot"];

/** Far longer than a scripted step takes: an agent that waits for a story that went wrong must not wait for the usual quarter of an hour. */
const LONGEST_STEP_MS = 120_000;

export function command(c: Context): Command {
	return new Command("pawl demo")
		.description("show a run with scripted agents in a scratch repository: six stories side by side, or one request")
		.addArgument(new Argument("[kind]", "what is shown").choices(KINDS).default("prd"))
		.option("--json", "the journal as JSON lines on stdout")
		.action((kind: DemoKind, flags: { json?: boolean }) => demo(c, kind, flags.json ?? false));
}

async function demo(c: Context, kind: DemoKind, json: boolean): Promise<void> {
	const folder = realpathSync(mkdtempSync(join(tmpdir(), "pawl-demo-")));
	makeRepository(folder, { ...demoRepository(), ...(kind === "prd" ? { "prd.json": demoPrd() } : {}) });
	if (json) c.err(`${JSON.stringify({ ts: new Date(c.now()).toISOString(), event: "demo_started", folder })}\n`);
	else c.err(introText(kind, folder, paint(wantsColor(c.env, c.errIsTty))));
	const here: Context = { ...c, cwd: folder };
	const prepared = await prepare(here, "dynamic", kind === "prd" ? undefined : DEMO_REQUEST, optionsOf(kind));
	const code = await follow(here, { json, quiet: false }, async (observer) => (await startRun(here, prepared, observer)).ended);
	if (!json)
		await lookAt(here, "latest", ({ events }) => {
			const color = paint(wantsColor(c.env, c.outIsTty));
			c.out(`${happenedText(events, c.width, color)}${lookAroundText(kind, folder, ownCommand(c.env), color)}`);
		});
	c.exit(code);
}

function optionsOf(kind: DemoKind): StartOptions {
	const script = (name: string) => fileURLToPath(new URL(`../../../workflows/dynamic/${name}`, import.meta.url));
	if (kind === "one-shot") return { script: script("demo.yml") };
	return {
		flags: { prd: "prd.json" },
		agents: DEMO_AGENTS,
		script: script("demo-prd.yml"),
		timeout: { context_gathering: LONGEST_STEP_MS, review: LONGEST_STEP_MS },
	};
}

/** `npm run demo` also works in a checkout whose pawl is not in the PATH yet. */
function ownCommand(env: NodeJS.ProcessEnv): string {
	const installed = (env["PATH"] ?? "").split(delimiter).some((folder) => folder !== "" && existsSync(join(folder, "pawl")));
	return installed ? "pawl" : fileURLToPath(new URL("../../../bin/pawl", import.meta.url));
}
