// pawl ralph init RUN_ID ["REQUEST"] | check RUN_ID: run folders of the Ralph loop.

import { Command } from "commander";
import type { CommandContext } from "../../command.ts";
import { packagePath } from "../../package-root.ts";
import { RunFolder, runIdProblem } from "./folder.ts";
import { PLANE } from "./permissions.ts";
import { makeFolder, PROMISE } from "./prepare-folder.ts";
import { readiness } from "./readiness.ts";

/** The workflow of one step that fills a folder. */
const PREP = packagePath("workflows", "ralph", "ralph-prep");

interface InitFlags {
	readonly agent?: string;
	readonly agentCommand?: string;
	readonly script?: string;
	readonly model?: string;
	readonly promise: string;
	readonly maxIterations: number;
	readonly templates?: boolean;
}

export function command(c: CommandContext): Command {
	const ralph = new Command("pawl ralph").description("make and check run folders of the Ralph loop (ralph/runs/RUN_ID/)");
	ralph
		.command("init")
		.description("make a run folder from templates; with a request, a configured agent fills it")
		.argument("<run-id>", "the folder's name")
		.argument("[request]", "what to build, in plain words")
		.option("--agent <name>", "the agent that fills the folder (default: the agent of pawl.yml)")
		.option("--agent-command <cmd>", "the command of the agent `command`")
		.option("--script <file>", "the script of the agent `scripted`")
		.option("--model <name>", "the model that the agent uses")
		.option("--promise <text>", "the promise that ends the loop", PROMISE)
		.option("--max-iterations <n>", "how many iterations the run may have", c.parse.count, 10)
		.option("--templates", "only templates, even if an agent is configured")
		.action(async (id: string, request: string | undefined, flags: InitFlags) => c.exit(await init(c, id, request, flags)));
	ralph
		.command("check")
		.description("list what a run folder lacks, and what is weak in it")
		.argument("<run-id>", "the folder's name")
		.option("--json", "as one JSON document")
		.action(async (id: string, flags: { json?: boolean }) => c.exit(await check(c, id, flags.json ?? false)));
	return ralph;
}

async function folderNamed(c: CommandContext, id: string): Promise<RunFolder> {
	const problem = runIdProblem(id);
	if (problem !== null) throw c.refusal(problem);
	return new RunFolder((await c.repository()).tree().path, id);
}

async function init(c: CommandContext, id: string, request: string | undefined, flags: InitFlags): Promise<number> {
	const folder = await folderNamed(c, id);
	if (/[<>\r\n]/.test(flags.promise) || flags.promise.trim() === "") throw c.refusal("--promise must be one line of plain text");
	const { promise, maxIterations } = flags;
	const hadPlane = folder.text(PLANE) !== null;
	const made = makeFolder(folder, { request, promise: promise.trim(), maxIterations, at: c.now() });
	if ("problem" in made) throw c.refusal(made.problem);
	const asked = flags.agent !== undefined || flags.agentCommand !== undefined || flags.script !== undefined;
	const configured = asked || (await c.hasAgent("prep"));
	const written = (): void => {
		for (const file of made.written) c.out(`${file}\n`);
	};
	if (request === undefined || !configured || flags.templates) {
		written();
		c.out(`\nthese are templates: fill in PRD.md and prd.json, or have it done: a request and --agent NAME\n`);
	} else {
		const { agent, agentCommand, script, model } = flags;
		const named = { agent, agentCommand, script, model };
		const given = Object.fromEntries(Object.entries(named).filter(([, value]) => value !== undefined));
		const prepared = await c.prepareRun(PREP, `${id} ${request}`, given).catch((error: unknown) => {
			// Refused: as if nothing had been asked.
			folder.remove(folder.own());
			if (!hadPlane) folder.remove(PLANE);
			throw error;
		});
		written();
		const { exit } = await prepared.follow();
		if (exit !== 0) return exit;
	}
	c.out(`\nnext: pawl ralph check ${id}, then pawl run ralph ${id}\n`);
	return 0;
}

async function check(c: CommandContext, id: string, json: boolean): Promise<number> {
	const folder = await folderNamed(c, id);
	const { missing, weak, doc } = readiness(folder);
	const ready = missing.length === 0;
	if (json)
		c.out(`${JSON.stringify({ run_id: id, folder: folder.own(), ready, stories: doc?.stories.length ?? null, missing, weak }, null, 2)}\n`);
	else {
		for (const what of missing) c.out(`missing: ${what}\n`);
		for (const what of weak) c.out(`weak:    ${what}\n`);
		c.out(
			ready
				? `${folder.own()} is ready${weak.length > 0 ? `, with ${weak.length} weak point${weak.length === 1 ? "" : "s"}` : ""}\n`
				: `${folder.own()} is not ready\n`,
		);
	}
	return ready ? 0 : 1;
}
