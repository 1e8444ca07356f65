// pawl "REQUEST": the workflow for requests in the current tree, its files in a temporary folder while it runs.
import { Command } from "commander";
import { closest } from "../../core/closest.ts";
import { prepare } from "../../runs/start/prepare.ts";
import { startRun } from "../../runs/start/start.ts";
import type { Context } from "../context.ts";
import { dryRun } from "./dry-run.ts";
import { follow } from "./follow.ts";
import { addRunOptions, type RunFlags, startOptions } from "./run-options.ts";

export function oneShot(c: Context): Command {
	const shot = new Command("pawl")
		.description(`one request through the steps of \`${c.services.oneShotWorkflow}\`, in the current tree`)
		.argument("<request>", "what is to be done");
	return addRunOptions(c, shot).action(async (request: string, flags: RunFlags) => {
		const { json = false, detach = false, dryRun: dry, ...options } = startOptions(c, flags);
		const prepared = await prepare(c, c.services.oneShotWorkflow, request, options);
		if (dry) return dryRun(c, prepared, json);
		const exit = await follow(c, json, async (observer) => {
			const { run, ended } = await startRun(c, prepared, observer, { background: detach, ephemeral: true });
			if (ended === null) c.out(`${run}\n`);
			return ended;
		});
		c.exit(exit);
	});
}

/** A mistyped command must not become a request that is paid for: one word alone is no request here. */
export function notACommand(c: Context, argv: readonly string[]): string | null {
	const [word] = argv;
	if (word === undefined || word.startsWith("-") || /\s/.test(word)) return null;
	const near = closest(word, Object.keys(c.commands));
	if (near === null && argv.length > 1) return null;
	return `there is no command ${word}${near === null ? "" : ` (did you mean ${near}?)`}; pawl --help lists them. If it is a request: pawl run ${c.services.oneShotWorkflow} "${word}"`;
}
